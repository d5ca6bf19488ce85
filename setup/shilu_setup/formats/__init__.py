"""How an entry is put into a file of each format, and taken out again: one module a format, one table.

Each module has `put(text, edit) -> Written` and `take(text, edit, trace) -> str`, both over the whole text
of the file,
and `find(text, edit) -> str`: `absent`, `ours` (there, as we would write it) or `other` (there, but
different).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from shilu_setup.formats import jsonedit, section, tomledit, whole, yamlrows
from shilu_setup.formats.edits import Edit, Trace, Written


@dataclass(frozen=True)
class Format:
    """The three functions of one file format."""

    put: Callable[[str, Edit], Written]
    take: Callable[[str, Edit, Trace], str]
    find: Callable[[str, Edit], str]


MARK = "\ufeff"
"""A byte-order mark, which some editors put first; the formats never see it, and it stays."""


def _keeping_mark(inner: Format) -> Format:
    def put(text: str, edit: Edit) -> Written:
        written = inner.put(text.removeprefix(MARK), edit)
        return replace(written, text=MARK + written.text) if text.startswith(MARK) else written

    def take(text: str, edit: Edit, trace: Trace) -> str:
        return MARK * text.startswith(MARK) + inner.take(text.removeprefix(MARK), edit, trace)

    def find(text: str, edit: Edit) -> str:
        return inner.find(text.removeprefix(MARK), edit)

    return Format(put, take, find)


FORMATS: dict[str, Format] = {
    "json": _keeping_mark(Format(jsonedit.put, jsonedit.take, jsonedit.find)),
    "toml": _keeping_mark(Format(tomledit.put, tomledit.take, tomledit.find)),
    "yaml": _keeping_mark(Format(yamlrows.put, yamlrows.take, yamlrows.find)),
    "markdown": _keeping_mark(Format(section.put, section.take, section.find)),
    "whole": Format(whole.put, whole.take, whole.find),
}

__all__ = ["FORMATS", "Edit", "Format", "Trace", "Written"]
