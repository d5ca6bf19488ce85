"""Verify: the ledger replayed over the kept starting bytes, against the notes as they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shilu_core.hunks import Hunk, HunkClash
from shilu_core.ledger import Ledger
from shilu_core.vault import Vault

from shilu_inbox.history import changes, changes_between, replay
from shilu_inbox.submissions import digest_of


@dataclass(frozen=True)
class Difference:
    """Where a note differs from its replay: `removed` lines were expected, `inserted` stand there."""

    note: str
    hunks: tuple[Hunk, ...] = ()
    broken: str = ""  # set where the ledger itself does not add up


def verify(vault: Vault, ledger: Ledger) -> tuple[Difference, ...]:
    """Every note that the ledger knows and that is not what its replay gives, by note id."""
    notes: Sequence[str] = [row["note"] for row in ledger.rows("SELECT note FROM origins ORDER BY note")]
    return tuple(found for note in notes if (found := _compare(vault, ledger, note)) is not None)


def _compare(vault: Vault, ledger: Ledger, note: str) -> Difference | None:
    try:
        expected = replay(ledger, note)
    except HunkClash as clash:
        return Difference(note, broken=f"a recorded change does not fit at line {clash.hunk.start + 1}")
    last = changes(ledger, "note = ?", (note,))
    if last and last[-1].after != digest_of(expected):
        return Difference(note, broken="the recorded digest is not the replay's")
    current = vault.read(note)
    return None if current == expected else Difference(note, changes_between(expected, current))
