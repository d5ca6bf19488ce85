"""Entries of the memory protocol as a source of the recall index: facts like any other, for those who may see them.

A note's id is `memory-protocol/track/scope/entry id`, so that a hit shows its source; nothing here ever writes.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime

from shilu_core.entries import Entry, EntryStore, EntryUnreadable
from shilu_core.facts import Fact, fact_id
from shilu_core.index import entries as lines
from shilu_core.ledger import Ledger
from shilu_core.stamps import Stamp
from shilu_host.protocol.sessions import Session

PREFIX = "memory-protocol/"


class EntrySource:
    """The entries of one ledger. Each is a note of one fact; what can't be read gives none."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._entries: dict[str, Entry] = {}
        self._state: tuple[object, ...] = ()

    @property
    def name(self) -> str:
        return f"entries:{self._ledger.path}".encode("utf-8", "backslashreplace").decode("utf-8")

    def owns(self, note: str) -> bool:
        return note.startswith(PREFIX)

    def changed(self) -> bool:
        """Whether entries came, went or were rewritten since they were last listed; a few microseconds."""
        return self._read_state() != self._state

    def notes(self) -> Mapping[str, tuple[int, int]]:
        """Length and change time (ns) of each entry; recalls change neither."""
        self._state = self._read_state()
        try:
            entries = EntryStore(self._ledger).all()
        except (EntryUnreadable, sqlite3.DatabaseError):
            entries = []
        self._entries = {_note(entry): entry for entry in entries}
        return {
            note: (len(entry.text), entry.updated_at * 1_000_000 + entry.version)
            for note, entry in self._entries.items()
        }

    def load(self, note: str) -> tuple[bytes, Sequence[lines.Entry]]:
        entry = self._entries.get(note)
        if entry is None:
            return b"", ()
        written = datetime.fromtimestamp(entry.updated_at / 1000).date()
        stamp = Stamp(written, source=f"{entry.source}")
        fact = Fact(fact_id(note, entry.text, 0), entry.text, note, 1, 2, stamp)
        return _digest(entry), (lines.Entry(fact, " ".join(entry.tags) or f"{entry.track}/{entry.scope}"),)

    def digest(self, note: str) -> bytes:
        entry = self._entries.get(note)
        return _digest(entry) if entry is not None else b""

    def is_visible(self, note: str, session: Session) -> bool:
        """Whether the session may see the entry of this note (3.5); True for what is no entry."""
        if not self.owns(note):
            return True
        entry = self._entries.get(note)
        return entry is not None and session.viewpoint.sees_entry(entry)

    def hidden(self, session: Session) -> int:
        """How many of the listed entries the session may not see."""
        return sum(not session.viewpoint.sees_entry(entry) for entry in self._entries.values())

    def _read_state(self) -> tuple[object, ...]:
        try:
            statement = "SELECT count(*), max(rowid), total(version), max(updated_at) FROM entries"
            return tuple(self._ledger.rows(statement)[0])
        except sqlite3.DatabaseError:
            return ()


def _note(entry: Entry) -> str:
    return f"{PREFIX}{entry.track}/{entry.scope}/{entry.id}"


def _digest(entry: Entry) -> bytes:
    shown = "\0".join([entry.id, str(entry.version), ",".join(entry.tags), entry.text])
    return hashlib.blake2b(shown.encode("utf-8"), digest_size=16).digest()
