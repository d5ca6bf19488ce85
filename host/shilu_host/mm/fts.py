"""Search by SQLite's FTS5, over a table in memory (8.4)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import lru_cache

from shilu_host.mm.search import Limits, match, searched_text
from shilu_host.mm.text import split_words, well_formed
from shilu_host.mm.values import Note, SearchResult

_CREATE = "CREATE VIRTUAL TABLE notes USING fts5(topic UNINDEXED, body)"


@lru_cache(maxsize=1)
def fts5_available() -> bool:
    """Whether this Python's SQLite has FTS5."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(_CREATE)
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()
    return True


class FullText:
    """The notes of one snapshot as an FTS5 table; closed by `close`."""

    def __init__(self, notes: Sequence[Note]) -> None:
        self._notes = notes
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        self._connection.execute(_CREATE)
        rows = ((number, note.topic, searched_text(note)) for number, note in enumerate(notes))
        self._connection.executemany("INSERT INTO notes(rowid, topic, body) VALUES (?, ?, ?)", rows)

    def search(self, query: str, limits: Limits) -> SearchResult:
        """Notes that hold any of the query's words, best first by BM25; `total` counts all of them."""
        words = split_words(well_formed(query).replace("\0", " "))
        if not words:
            return SearchResult(query, "fts5", 0, False, ())
        expression = " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
        rows = self._connection.execute(
            "SELECT rowid, rank FROM notes WHERE notes MATCH ? ORDER BY rank, topic", (expression,)
        ).fetchall()
        matches = tuple(
            match(self._notes[number], max(0.0, -rank), words[0], limits.snippet)
            for number, rank in rows[: limits.matches]
        )
        return SearchResult(query, "fts5", len(rows), len(rows) > len(matches), matches)

    def close(self) -> None:
        self._connection.close()
