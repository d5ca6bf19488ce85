"""A fact's id across hand edits: which fact of today is meant by an id that a person's edit has ended."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from shilu_core.facts import Fact
from shilu_core.ledger import Ledger
from shilu_core.notes import parse

from shilu_inbox.history import changes

LEAST_ALIKE = 0.5  # of two texts, for one to be the other's edited form: below it a line was replaced, not edited


def carried(ledger: Ledger, facts: Sequence[Fact], identities: Iterable[str]) -> dict[str, Fact]:
    """The fact of today for each id that `facts` lack and the ledger knows, where one is its moved or edited form."""
    present = {fact.id for fact in facts}
    found = {identity: _heir(ledger, facts, identity) for identity in {*identities} - present if identity}
    return {identity: fact for identity, fact in found.items() if fact is not None}


def _heir(ledger: Ledger, facts: Sequence[Fact], identity: str) -> Fact | None:
    before = _former_facts(ledger, identity)
    meant = next((fact for fact in before if fact.id == identity), None)
    if meant is None:
        return None
    moved = [fact for fact in facts if fact.text == meant.text and _stamp(fact) == _stamp(meant)]
    if moved:
        return next((fact for fact in moved if not fact.superseded), moved[0])
    texts = {fact.text for fact in before}
    edited = [
        fact for fact in facts if fact.note == meant.note and fact.text not in texts and _stamp(fact) == _stamp(meant)
    ]
    nearest = max(edited, key=lambda fact: _alike(fact.text, meant.text), default=None)
    return nearest if nearest is not None and _alike(nearest.text, meant.text) >= LEAST_ALIKE else None


def _former_facts(ledger: Ledger, identity: str) -> tuple[Fact, ...]:
    """The facts of the last recorded form of a note in which the id stood, `()` where the ledger knows none."""
    written = changes(ledger, "fact = ? AND kind = 'add'", (identity,))
    notes = [change.note for change in written] or [row["note"] for row in ledger.rows("SELECT note FROM states")]
    for note in dict.fromkeys(notes):
        for table in ("states", "origins"):
            row = ledger.row(f"SELECT data FROM {table} WHERE note = ?", (note,))
            facts = parse(note, zlib.decompress(row["data"])).facts if row is not None else ()
            if any(fact.id == identity for fact in facts):
                return facts
    return ()


def _stamp(fact: Fact) -> tuple[str, str]:
    return (str(fact.written or ""), fact.stamp.source if fact.stamp is not None else "")


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()
