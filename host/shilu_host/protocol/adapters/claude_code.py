"""Claude Code's CLAUDE.md: sections, bullets, and paragraphs of prose (13.11)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shilu_host.protocol.adapters import bullets

ID = "claude-code-memory-md"


def adapt(payload: Any) -> list[dict[str, Any]]:
    """Add inputs: one for each bullet and one for each paragraph, whose lines are joined by a blank."""
    inputs: list[dict[str, Any]] = []
    section = ""
    paragraph: list[str] = []

    def end_paragraph() -> None:
        if paragraph:
            inputs.append(bullets.add_input(ID, " ".join(paragraph), section))
            paragraph.clear()

    for line in bullets.lines(bullets.document(payload)):
        if line.kind == "other":
            paragraph.append(line.text)
            continue
        end_paragraph()
        if line.kind == "section":
            section = line.text
        elif line.kind == "bullet" and line.text:
            inputs.append(bullets.add_input(ID, line.text, section))
    end_paragraph()
    return inputs


def export(entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return bullets.export(ID, entries)
