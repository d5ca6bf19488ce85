"""Search in a snapshot (section 8): the choice of an engine, and the scan that knows Han characters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from shilu_host.mm.snippet import make_snippet
from shilu_host.mm.text import well_formed
from shilu_host.mm.values import Engine, Mode, Note, SearchMatch, SearchResult

_HAN = re.compile("[\u3400-\u9fff]+")
_WORD = re.compile("[a-z0-9]+")
FALLBACK = "fts5 was asked for, but this Python's SQLite has no FTS5; scan was used"


@dataclass(frozen=True)
class Limits:
    """How many matches are given, and how long a snippet is."""

    matches: int
    snippet: int


def choose_search_engine(mode: str, fts5_available: bool) -> Engine:
    """The engine that a mode stands for, whatever the query (8.2)."""
    return "scan" if mode == "scan" or not fts5_available else "fts5"


def engine_for(mode: Mode, query: str, fts5_available: bool) -> Engine:
    """The engine for one query: in `auto` a query with Han characters is scanned.

    FTS5's unicode61 takes a run of Han characters for one word, so that a part of it is not found (8.5).
    """
    if mode == "auto" and _HAN.search(query):
        return "scan"
    return choose_search_engine(mode, fts5_available)


def tokenize(text: str) -> list[str]:
    """Words of `a-z0-9`, then of each run of Han every character and the pair that it begins (8.3)."""
    tokens = _WORD.findall(text.lower())
    for run in _HAN.findall(text):
        for first, second in zip(run, [*run[1:], ""], strict=True):
            tokens.append(first)
            if second:
                tokens.append(first + second)
    return tokens


def scan(notes: Sequence[Note], query: str, limits: Limits, remark: str | None = None) -> SearchResult:
    """Notes by the number of times that they hold the query's tokens; equal ones by topic."""
    wanted = list(dict.fromkeys(tokenize(query)))
    scored = [(_score(note, wanted), note) for note in notes]
    found = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: (-pair[0], pair[1].topic))
    rows = found[: limits.matches]
    matches = tuple(match(note, score, wanted[0], limits.snippet) for score, note in rows)
    return SearchResult(query, "scan", len(found), len(found) > len(rows), matches, remark)


def _score(note: Note, wanted: Sequence[str]) -> int:
    counts = Counter(tokenize(f"{note.topic} {searched_text(note)}"))
    return sum(counts[token] for token in wanted)


def searched_text(note: Note) -> str:
    """What of a note is searched: its topic, summary, tags and body."""
    return well_formed(" ".join([note.topic, note.summary, " ".join(note.tags), note.body]))


def match(note: Note, score: float, term: str, snippet_chars: int) -> SearchMatch:
    """A row of the result; its URI carries the id of the file's header, as the reference has it (7.5)."""
    snippet = make_snippet(note.body or note.summary, term, snippet_chars)
    return SearchMatch(note.topic, f"mm://{note.memory_id}/{note.topic}", note.updated, score, snippet)
