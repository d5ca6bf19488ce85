"""Shilu inbox: submissions, verdicts, review, decisions, apply and undo."""
