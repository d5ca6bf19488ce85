"""Shilu setup: detect, preview, apply and roll back the wiring of agent programs."""
