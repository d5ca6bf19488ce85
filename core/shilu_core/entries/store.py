"""Entries in the ledger: lookups by substring, sums by pot, and the changes a write makes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from shilu_core import utf16
from shilu_core.entries.entry import COLUMNS, Entry, from_row, to_row
from shilu_core.ledger import Ledger

# Rows that are made within one millisecond keep the order in which they came.
_CREATION = "ORDER BY created_at, rowid"
_CONTAINS = "instr(lower(text), lower(?)) > 0"  # SQLite's lower() folds A-Z only, as the protocol wants


class EntryStore:
    """The `entries` table; every change is meant to stand inside `ledger.transaction()`."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def all(self) -> list[Entry]:
        """Every entry in creation order."""
        return _entries(self._ledger.rows(f"SELECT {COLUMNS} FROM entries {_CREATION}"))

    def containing(self, track: str, scope: str, match: str) -> list[Entry]:
        """The entries of a pot whose text holds `match`, A-Z folded, in creation order."""
        return _entries(
            self._ledger.rows(
                f"SELECT {COLUMNS} FROM entries WHERE track = ? AND scope = ? AND {_CONTAINS} {_CREATION}",
                (track, scope, match),
            )
        )

    def ranked(self, track: str | None, scope: str | None, text: str | None) -> list[Entry]:
        """The entries that pass the given filters, those recalled most and changed last in front (9.4)."""
        wanted = [("track = ?", track), ("scope = ?", scope), (_CONTAINS, text)]
        given = [(clause, value) for clause, value in wanted if value is not None]
        where = " AND ".join(clause for clause, _ in given) or "1"
        statement = f"SELECT {COLUMNS} FROM entries WHERE {where} ORDER BY recall_count DESC, updated_at DESC, id"
        return _entries(self._ledger.rows(statement, [value for _, value in given]))

    def used(self, track: str, scope: str) -> int:
        """The UTF-16 units of all texts of a pot, over all workspaces and agents (7.2)."""
        rows = self._ledger.rows("SELECT text FROM entries WHERE track = ? AND scope = ?", (track, scope))
        return sum(utf16.units(row["text"]) for row in rows)

    def insert(self, entry: Entry) -> None:
        marks = ", ".join("?" * len(to_row(entry)))
        self._ledger.execute(f"INSERT INTO entries ({COLUMNS}) VALUES ({marks})", to_row(entry))

    def rewrite(self, entry: Entry) -> None:
        """Stores what a replace may change: text, tags, version, time and session."""
        *_, tags, version, _, updated_at, _, _, session_id = to_row(entry)
        self._ledger.execute(
            "UPDATE entries SET text = ?, tags = ?, version = ?, updated_at = ?, session_id = ? WHERE id = ?",
            (entry.text, tags, version, updated_at, session_id, entry.id),
        )

    def delete(self, entry_id: str) -> None:
        self._ledger.execute("DELETE FROM entries WHERE id = ?", (entry_id,))

    def mark_recalled(self, ids: Iterable[str], now: int) -> None:
        """Counts one recall for each id; neither version nor change time moves (9.5)."""
        for entry_id in ids:
            self._ledger.execute(
                "UPDATE entries SET recall_count = recall_count + 1, last_recalled = ? WHERE id = ?",
                (now, entry_id),
            )


def _entries(rows: list[sqlite3.Row]) -> list[Entry]:
    return [from_row(row) for row in rows]
