"""`promoter`: filled in with the review."""

from __future__ import annotations


def main() -> int:
    raise SystemExit(2)
