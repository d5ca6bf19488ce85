"""Replays the audit's write rows: what the entries must be if nothing but this ledger's writes touched them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from shilu_core.ledger import Ledger

_STORING = ("add", "replace", "consolidate-add")
_REMOVING = ("remove", "consolidate-remove")


@dataclass(frozen=True)
class Difference:
    """An entry whose text is not what the rows say; None stands for no such entry."""

    entry_id: str
    replayed: str | None
    stored: str | None


def replayed(ledger: Ledger) -> dict[str, str]:
    """Text by entry id after all write rows, in their order."""
    marks = ", ".join("?" * len(_STORING + _REMOVING))
    rows = ledger.rows(
        f"SELECT action, entry_id, text FROM audit WHERE action IN ({marks}) ORDER BY seq", (*_STORING, *_REMOVING)
    )
    texts: dict[str, str] = {}
    for row in rows:
        texts.pop(row["entry_id"], None)
        if row["action"] in _STORING:
            texts[row["entry_id"]] = row["text"]
    return texts


def differences(ledger: Ledger) -> list[Difference]:
    """Where entries and rows differ: none, unless another program wrote to the store or dropped old rows."""
    with ledger.transaction():
        expected = replayed(ledger)
        stored = {row["id"]: row["text"] for row in ledger.rows("SELECT id, text FROM entries")}
    ids: Iterable[str] = dict.fromkeys([*expected, *stored])
    pairs = ((entry_id, expected.get(entry_id), stored.get(entry_id)) for entry_id in ids)
    return [Difference(*pair) for pair in pairs if pair[1] != pair[2]]
