"""What was found; never the value itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Secret:
    """One plaintext secret: its kind, its line (from 1) and its place `text[start:end]`; the value is not kept."""

    kind: str
    line: int
    start: int
    end: int
