"""What could be forgotten: facts that ended long ago, or that no turn has recalled for long; lists, and changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from shilu_core.facts import Fact
from shilu_core.ledger import Ledger

from shilu_inbox.desk import Desk


@dataclass(frozen=True)
class Candidate:
    """A fact that a person may want to take out: `kind` is `ended` (since then superseded) or `unused` (written then)."""

    kind: str
    fact: Fact
    since: date


def candidates(desk: Desk, *, days: int) -> list[Candidate]:
    """Superseded facts that ended `days` ago or earlier, then current ones written that long ago and never recalled since.

    What was recalled is known only as far back as the ledger's recall rows go; where they don't reach back
    `days`, nothing is called unused.
    """
    limit = desk.now.date() - timedelta(days=days)
    facts = desk.facts()
    found = [Candidate("ended", fact, fact.ended) for fact in facts if fact.ended is not None and fact.ended <= limit]
    used = recalled(desk.ledger, limit)
    if used is not None:
        found += _unused(facts, used, limit)
    return found


def _unused(facts: list[Fact], used: frozenset[str], limit: date) -> Iterator[Candidate]:
    for fact in facts:
        if not fact.superseded and fact.written is not None and fact.written <= limit and fact.id not in used:
            yield Candidate("unused", fact, fact.written)


def recalled(ledger: Ledger, since: date) -> frozenset[str] | None:
    """Ids of the facts that were put into a turn since that day, None where the ledger does not reach back so far."""
    first = ledger.row("SELECT min(at) AS at FROM recalls")
    if first is None or first["at"] is None or first["at"][:10] > since.isoformat():
        return None
    rows = ledger.rows("SELECT facts FROM recalls WHERE substr(at, 1, 10) >= ?", (since.isoformat(),))
    return frozenset(identity for row in rows for identity in json.loads(row["facts"]))
