"""Markdown of sections and bullets, as both memory.md adapters read and write it (13.8-13.11)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from shilu_core import utf16

_LINE_END = re.compile("\r?\n")  # a carriage return alone ends no line


@dataclass(frozen=True)
class Line:
    """One line: `kind` is blank, section, bullet or other; `text` is trimmed; numbers count from 1."""

    number: int
    kind: str
    text: str


def document(payload: Any) -> str:
    """The Markdown of a payload: a string, or an object with one as `text`."""
    text = payload.get("text") if isinstance(payload, dict) else payload
    if not isinstance(text, str):
        raise ValueError("expected Markdown as a string, or an object with it as `text`")
    return text


def lines(text: str) -> Iterator[Line]:
    for number, line in enumerate(_LINE_END.split(text), 1):
        if not utf16.trim(line):
            yield Line(number, "blank", "")
        elif line.startswith("## "):
            yield Line(number, "section", utf16.trim(line[3:]))
        elif line.startswith(("- ", "* ")):
            yield Line(number, "bullet", utf16.trim(line[2:]))
        else:
            yield Line(number, "other", utf16.trim(line))


def add_input(adapter_id: str, text: str, section: str) -> dict[str, Any]:
    """A user/user-global add input; its section becomes a tag, and without one there is no `tags` field."""
    given: dict[str, Any] = {"track": "user", "scope": "user-global", "text": text, "source": adapter_id}
    return {**given, "tags": [section]} if section else given


def export(adapter_id: str, entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Bullets under `## track/scope`, groups in the order of that string, no final newline."""
    groups: dict[str, list[str]] = {}
    for entry in entries:
        bullet = "- " + entry["text"].replace("\n", " ")
        groups.setdefault(f"{entry['track']}/{entry['scope']}", []).append(bullet)
    sections = ["\n".join([f"## {name}", *groups[name]]) for name in sorted(groups)]
    return {"plugin": adapter_id, "text": "\n\n".join(sections)}
