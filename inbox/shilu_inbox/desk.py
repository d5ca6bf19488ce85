"""The desk: the vault, its ledger and what waits, put together for one run of review, apply or undo."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from shilu_core.embed import Embedder
from shilu_core.facts import Fact
from shilu_core.ledger import Ledger
from shilu_core.lock import WAIT_SECONDS, vault_lock
from shilu_core.notes import decode
from shilu_core.vault import Vault

from shilu_inbox.carrying import recover, rewrite
from shilu_inbox.identities import carried
from shilu_inbox.lists import update_list
from shilu_inbox.outside import Outside
from shilu_inbox.review import Known, Review, review
from shilu_inbox.verdicts import FormerValue
from shilu_inbox.waiting import Arrival, Waiting, look, quarantine


@dataclass(frozen=True)
class Desk:
    """Everything a run works on. `state` is the vault's own state folder, `now` the local time of the run."""

    vault: Vault
    ledger: Ledger
    state: Path
    now: datetime
    by: str = "a person"
    load_embedder: Callable[[], Embedder | None] | None = None  # called once a line waits to be judged
    progress: Callable[[int, int], None] | None = None
    outside: Outside | None = None  # what waits from other channels than the inbox's files
    wait: float = WAIT_SECONDS  # seconds for which another writer is waited for

    @property
    def at(self) -> str:
        return self.now.isoformat(timespec="seconds")

    def facts(self) -> list[Fact]:
        """Every fact of every canonical note, superseded ones included."""
        return [fact for note in self.vault.note_ids() for fact in self.vault.parse(note).facts]

    @contextmanager
    def locked(self, purpose: str) -> Iterator[list[str]]:
        """Holds the vault, and first finishes what an earlier run left; gives what it had to hold back."""
        with vault_lock(self.vault, purpose, wait=self.wait):
            yield recover(self.vault, self.ledger)


def known(desk: Desk, arrivals: Sequence[Arrival] = ()) -> Known:
    """What the review compares with, read now; `arrivals` are the files that wait."""
    former = [FormerValue(row["text"], row["fate"], row["at"][:10]) for row in desk.ledger.rows("SELECT * FROM former")]
    settled = {
        (row["name"], row["digest"], row["line"])
        for row in desk.ledger.rows("SELECT name, digest, line FROM receipts WHERE closed = 0")
    }
    asked = "SELECT DISTINCT name, digest FROM receipts WHERE name = ? AND closed = 1"
    before = {(row["name"], row["digest"]) for one in arrivals for row in desk.ledger.rows(asked, (one.name,))}
    corrections = {row["category"]: row["note"] for row in desk.ledger.rows("SELECT category, note FROM corrections")}
    facts = desk.facts()
    meant = carried(desk.ledger, facts, (fact.fact for one in arrivals for fact in one.facts))
    return Known(desk.vault, facts, former, settled, before, corrections, meant)


def examine(desk: Desk, *, clock: Callable[[], float] = time.time) -> tuple[Review, Waiting]:
    """The review of what waits now; writes nothing."""
    waiting = look(desk.vault, clock=clock)
    arrivals = [arrival for arrival in waiting.arrivals if not arrival.secret]
    asked = any(arrival.facts for arrival in arrivals)
    embedder = desk.load_embedder() if asked and desk.load_embedder is not None else None
    found = review(arrivals, known(desk, arrivals), embedder=embedder, progress=desk.progress)
    secret = tuple(arrival for arrival in waiting.arrivals if arrival.secret)
    outside = desk.outside.items() if desk.outside is not None else ()
    return Review((*found.items, *outside), secret, waiting.unsettled, found.arrivals), waiting


def show(desk: Desk) -> Review:
    """Reviews, quarantines what holds a secret, and brings both lists up to date without losing a mark."""
    with desk.locked("review"):
        found, _ = examine(desk)
        for arrival in found.quarantined:
            moved = quarantine(desk.vault, arrival, desk.state)
            if moved is not None:
                desk.ledger.execute(
                    "INSERT INTO events (kind, subject, detail, at) VALUES ('quarantined', ?, ?, ?)",
                    (moved.name, arrival.secret, desk.at),
                )
        write_lists(desk, found)
        return found


def write_lists(desk: Desk, found: Review) -> None:
    """Both lists as the review has them."""
    layout = desk.vault.layout
    rewrite(desk.vault, desk.vault.pending, lambda text: update_list(text, found, layout, "pending"))
    if found.at("conflict") or desk.vault.conflicts.exists():
        rewrite(desk.vault, desk.vault.conflicts, lambda text: update_list(text, found, layout, "conflict"))


def read_text(path: Path) -> str:
    """Text of one of the lists, `""` where it does not stand there."""
    try:
        return decode(path.read_bytes())
    except FileNotFoundError:
        return ""
