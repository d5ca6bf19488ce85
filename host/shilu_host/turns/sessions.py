"""What each session has been shown, so that nothing is said twice; kept in the ledger, so that a restart
forgets nothing.

A row of the ledger's `recalls` holds session, harness, time, fact ids and digests, and never a prompt.
Rows without
facts are marks: the rules were told, the notice was told, the session was compacted or cleared.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal

from shilu_core.ledger import Ledger

KEPT_SESSIONS = 100  # in memory; the ledger knows the rest
DROPPED_AT_ONCE = 500
RETENTION_DAYS = 180  # of recall rows; use counts need no more
Mark = Literal["rules", "notice", "compacted"]


@dataclass
class Session:
    """Facts by id with the digest of the text that was shown, and what was told once."""

    facts: dict[str, str] = field(default_factory=dict)
    marks: set[str] = field(default_factory=set)


class Sessions:
    """All sessions of one vault; reads the ledger for a session it doesn't know."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._known: OrderedDict[str, Session] = OrderedDict()

    def of(self, key: str) -> Session:
        """The session of this name; one that is not kept for `""`."""
        if not key:
            return Session()
        if key not in self._known:
            self._known[key] = self._load(key)
        self._known.move_to_end(key)
        while len(self._known) > KEPT_SESSIONS:
            self._known.popitem(last=False)
        return self._known[key]

    def show(self, key: str, facts: Mapping[str, str], marks: Iterable[Mark] = ()) -> None:
        """Remembers for this process what was shown; `record` keeps it."""
        session = self.of(key)
        session.facts.update(facts)
        session.marks.update(marks)

    def forget(self, key: str) -> None:
        """The session was compacted or cleared: what was shown is gone from its context."""
        session = self.of(key)
        session.facts.clear()
        session.marks.discard("rules")

    def _load(self, key: str) -> Session:
        session = Session()
        rows = self._ledger.rows("SELECT facts, digest FROM recalls WHERE session = ? ORDER BY seq", (key,))
        for row in rows:
            facts = json.loads(row["facts"])
            if facts:
                session.facts.update(zip(facts, json.loads(row["digest"]), strict=False))
            elif row["digest"] == "compacted":
                session.facts.clear()
                session.marks.discard("rules")
            else:
                session.marks.add(row["digest"])
        return session


def record(ledger: Ledger, key: str, harness: str, facts: Mapping[str, str], marks: Iterable[Mark], at: str) -> None:
    """Writes what was shown; `at` is an ISO time."""
    rows = [(json.dumps([*facts]), json.dumps([*facts.values()]))] if facts else []
    rows += [("[]", mark) for mark in marks]
    with ledger.transaction():
        for ids, digests in rows:
            ledger.execute(
                "INSERT INTO recalls (session, harness, facts, digest, at) VALUES (?, ?, ?, ?, ?)",
                (key, harness, ids, digests, at),
            )


def expire(ledger: Ledger) -> None:
    """Drops recall rows that are older than RETENTION_DAYS, few at a time: others write meanwhile."""
    before = (datetime.now(UTC) - timedelta(days=RETENTION_DAYS)).isoformat(timespec="seconds")
    oldest = "SELECT seq FROM recalls WHERE at < ? ORDER BY seq LIMIT ?"
    while ledger.row(oldest, (before, 1)) is not None:
        with ledger.transaction():
            ledger.execute(f"DELETE FROM recalls WHERE seq IN ({oldest})", (before, DROPPED_AT_ONCE))


def digest(text: str) -> str:
    """Eight hex bytes of a shown fact: enough to see that it changed, too little to give it away."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
