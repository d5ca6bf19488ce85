"""What one run of apply puts together: what is written, which lines are settled by it, which files are done."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from shilu_inbox.desk import Desk
from shilu_inbox.drops import free_name
from shilu_inbox.plans import Draft, Receipt
from shilu_inbox.review import Item, Review
from shilu_inbox.verdicts import Submitted


@dataclass(frozen=True)
class Written:
    """One fact that was written, or taken back."""

    text: str
    note: str
    fact: str
    supersedes: str = ""


@dataclass(frozen=True)
class Applied:
    """What an apply did, or with `--dry-run` would do; `held` says why a ticked item was not written."""

    plan: str = ""
    written: tuple[Written, ...] = ()
    rejected: tuple[str, ...] = ()
    settled: int = 0  # duplicates and refused lines
    moved: tuple[str, ...] = ()
    held: tuple[str, ...] = ()


@dataclass
class Settlement:
    """What is being put together while the rulings are gone through."""

    draft: Draft
    read: dict[str, bytes]
    receipts: list[Receipt]
    former: list[tuple[str, str]]
    corrections: list[tuple[str, str]]
    rulings: list[tuple[str, str]]
    decided: list[tuple[str, str, str]]
    written: list[Written]
    rejected: list[str]
    held: list[str]
    accepted: dict[str, tuple[str, str]]  # item id -> note and text of what this run writes
    refused: set[str]  # ids of the items that this run rejects
    standing: dict[str, list[str]]  # text of a current fact -> the notes that hold it, once for each time; read late


def receipts_of(item: Item, outcome: str, identity: str) -> list[Receipt]:
    """The receipts of an item and of its restatements, which share its fate."""
    return [_receipt(fact, outcome, identity) for fact in (item.submitted, *item.restatements)]


def _receipt(fact: Submitted, outcome: str, identity: str = "") -> Receipt:
    return Receipt(fact.submission, fact.digest, fact.line, outcome, fact.text, identity)


def settle_rest(settlement: Settlement, found: Review, listed: Collection[str]) -> None:
    """Duplicates and refused lines need no ruling: they are settled as they were shown.

    What is listed as an item to decide was shown as something else, so that a refusal since waits for the next review.
    """
    for item in found.items:
        if item.place == "settled":
            identity = item.judgement.target.id if item.judgement.target else ""
            settlement.receipts += receipts_of(item, "duplicate", identity)
        elif item.place == "refused" and item.id not in listed:
            settlement.receipts += receipts_of(item, "refused", "")


def moves_of(desk: Desk, settlement: Settlement, found: Review) -> tuple[tuple[str, str, str], ...]:
    """Files all of whose lines are settled now."""
    done = {(one.name, one.digest, one.line) for one in settlement.receipts}
    rows = desk.ledger.rows("SELECT name, digest, line FROM receipts WHERE closed = 0")
    done |= {(row["name"], row["digest"], row["line"]) for row in rows}
    moves: list[tuple[str, str, str]] = []
    for arrival in found.arrivals:
        lines = {(arrival.name, arrival.digest, fact.line) for fact in arrival.facts} or {
            (arrival.name, arrival.digest, 0)
        }
        if not arrival.secret and lines <= done:
            taken = {target for _, _, target in moves}
            moves.append((arrival.name, arrival.digest, free_name(desk.vault.processed, arrival.name, taken).name))
    return tuple(moves)
