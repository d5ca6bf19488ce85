"""Proposals for memories, taken from a text line by line (9.4-9.7); nothing is ever written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from shilu_host.mm.digest_sources import Source
from shilu_host.mm.text import (
    BLANKS,
    NO_LINE_END,
    SLUG,
    count_chars,
    first_line,
    slug_for_topic,
    trim,
    trim_end,
    well_formed,
)
from shilu_host.mm.uris import parse_memory_uri
from shilu_host.mm.values import Candidate, DigestResult, DigestUsage

Kind = Literal["uri", "explicit", "summary", "heading"]
KINDS: tuple[Kind, ...] = ("uri", "explicit", "summary", "heading")  # the order of the result (9.6)
DEFAULT_ITEMS = 50
NOTE = "nothing was written: look at the candidates and write those worth keeping with mem_write"
NO_SOURCE = "no session log under $DSH_HOME/sessions, no text and no file given: pass `source` or `file`"

_URI = re.compile(f"(?<![A-Za-z0-9_])mm:(?://{SLUG}/{SLUG}|{SLUG})")
_AFTER_URI = re.compile(f"^[{BLANKS},:：-]+")
_HEADING = re.compile(f"#{{2,3}}[{BLANKS}]+({NO_LINE_END}+)\\Z")


def _marker(words: str) -> re.Pattern[str]:
    return re.compile(f"(?:{words})[:：][{BLANKS}]*({NO_LINE_END}*)\\Z", re.IGNORECASE)


_MARKERS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("explicit", _marker("MEMO|REMEMBER|记忆|记住")),
    ("summary", _marker("Summary|Conclusion|总结|结论")),
)


@dataclass(frozen=True)
class _Find:
    kind: Kind
    topic: str
    body: str


@dataclass
class _Reader:
    """Goes through the lines; a section takes every line that names no URI and is no heading (9.4)."""

    hint: str
    finds: list[_Find] = field(default_factory=list)
    numbers: dict[Kind, int] = field(default_factory=dict)
    section: tuple[str, list[str]] | None = None

    def read(self, line: str) -> None:
        text = trim(line)
        if matched := _URI.search(line):
            self._uri(line, matched)
        elif matched := _HEADING.match(text):
            self.close_section()
            topic = slug_for_topic(matched[1])
            self.section = (topic, []) if topic else None
        elif self.section:
            self.section[1].append(text)
        else:
            self._marked(text)

    def close_section(self) -> None:
        if self.section:
            topic, lines = self.section
            if body := trim("\n".join(lines)):
                self.finds.append(_Find("heading", topic, body))
        self.section = None

    def _uri(self, line: str, matched: re.Match[str]) -> None:
        uri = parse_memory_uri(matched[0])
        rest = trim(_AFTER_URI.sub("", line[matched.end() :]))
        if uri is not None:
            self.finds.append(_Find("uri", uri.topic, rest or trim(line)))

    def _marked(self, text: str) -> None:
        for kind, pattern in _MARKERS:
            if (marked := _after_marker(pattern, text)) is not None:
                if body := trim(marked):
                    self.finds.append(_Find(kind, self._marked_topic(kind), body))
                return

    def _marked_topic(self, kind: Kind) -> str:
        number = self.numbers[kind] = self.numbers.get(kind, 0) + 1
        if kind == "summary":
            return f"summary-{number}"
        return self.hint or f"memo-{number}"


def _after_marker(pattern: re.Pattern[str], text: str) -> str | None:
    """What follows the first marker that no letter or digit stands before, None without one."""
    position = 0
    while matched := pattern.search(text, position):
        start = matched.start()
        if start == 0 or unicodedata.category(text[start - 1])[0] not in "LN":
            return matched[1]
        position = start + 1
    return None


def distil(source: Source, *, budget: int, max_items: int = DEFAULT_ITEMS, hint: str = "") -> DigestResult:
    """The candidates in `source`, bodies cut to `budget` characters; the first of a topic wins."""
    if source.kind == "none":
        return DigestResult(source.label, "none", (), DigestUsage(0, budget, 0), NO_SOURCE)
    reader = _Reader(hint)
    for line in source.lines:
        reader.read(trim_end(line))
    reader.close_section()
    candidates = tuple(_candidate(find, budget) for find in _first_of_each_topic(reader.finds)[:max_items])
    chars = sum(candidate.chars for candidate in candidates)
    usage = DigestUsage(chars, budget, max(0, chars - budget))
    return DigestResult(source.label, source.kind, candidates, usage, NOTE)


def _first_of_each_topic(finds: Sequence[_Find]) -> list[_Find]:
    unique: dict[str, _Find] = {}
    for find in finds:
        unique.setdefault(find.topic, find)
    return sorted(unique.values(), key=lambda find: KINDS.index(find.kind))


def _candidate(find: _Find, budget: int) -> Candidate:
    whole = well_formed(find.body)
    body = whole[:budget]
    over = len(whole) > budget
    return Candidate(find.topic, find.kind, first_line(whole), body, count_chars(body), budget, over)
