"""Hermes memory.md: sections and bullets, and nothing else (13.8-13.10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shilu_host.protocol.adapters import bullets

ID = "hermes-memory-md"


def adapt(payload: Any) -> list[dict[str, Any]]:
    """Add inputs, one for each bullet; raises ValueError with the number of a line it can't map."""
    inputs: list[dict[str, Any]] = []
    section = ""
    for line in bullets.lines(bullets.document(payload)):
        if line.kind == "section":
            section = line.text
        elif line.kind == "bullet" and line.text:
            inputs.append(bullets.add_input(ID, line.text, section))
        elif line.kind == "other":
            raise ValueError(f"line {line.number} is neither a `## ` section nor a `- ` or `* ` bullet")
    return inputs


def export(entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return bullets.export(ID, entries)
