"""Undo: one fact, or a batch, taken back out of the notes; later edits stay, a clash is told and nothing is changed."""

from __future__ import annotations

import secrets as random
from collections.abc import Sequence
from dataclasses import dataclass

from shilu_core.errors import ShiluError, UsageError
from shilu_core.hunks import Hunk, HunkClash, carry, invert, settled, tokens
from shilu_core.ledger import Ledger
from shilu_core.notes import decode

from shilu_inbox.carrying import begin, carry_out
from shilu_inbox.desk import Desk
from shilu_inbox.history import Change, changes, changes_of_edited, patched, replay
from shilu_inbox.plans import NotePlan, Plan, Step
from shilu_inbox.submissions import digest_of


@dataclass(frozen=True)
class Undone:
    """What was taken back, newest first, as note and text; `clashes` name the lines that a person changed since."""

    plan: str = ""
    taken_back: tuple[tuple[str, str, str], ...] = ()  # kind, note, text
    clashes: tuple[str, ...] = ()


def undo(desk: Desk, name: str, *, dry_run: bool = False, reject: bool = False) -> Undone:
    """Takes back the fact or batch with this id; raises UsageError where the ledger knows none.

    All of it or, where one line clashes with a later edit, nothing. `reject` also remembers the value as rejected.
    """
    with desk.locked("shilu undo"):
        meant = _meant(desk, name)
        plan, undone, read = plan_of(desk, meant, reject=reject)
        if undone.clashes or dry_run:
            return undone
        begin(desk.ledger, plan, read)
        clashes = carry_out(desk.vault, desk.ledger, plan)
        return Undone(plan.id, undone.taken_back, tuple(clashes))


def plan_of(desk: Desk, meant: Sequence[Change], *, reject: bool) -> tuple[Plan, Undone, dict[str, bytes]]:
    """The plan that takes these changes back, newest first; pure."""
    read: dict[str, bytes] = {}
    data: dict[str, bytes] = {}
    steps: dict[str, list[Step]] = {}
    clashes: list[str] = []
    for change in sorted(meant, key=lambda change: -change.sequence):
        read.setdefault(change.note, desk.vault.read(change.note))
        current = data.get(change.note, read[change.note])
        try:
            hunks = _back(desk.ledger, change, current)
        except HunkClash as clash:
            clashes.append(_clash(change, clash))
            continue
        data[change.note] = patched(current, hunks)
        steps.setdefault(change.note, []).append(
            Step("undo", change.note, change.text, change.fact, change.source, undoes=change.sequence, hunks=hunks)
        )
    notes = tuple(
        NotePlan(note, digest_of(read[note]), digest_of(data[note]), tuple(taken)) for note, taken in steps.items()
    )
    rejected = tuple((change.text, "rejected") for change in meant if change.kind == "add") if reject else ()
    plan = Plan(
        random.token_hex(8),
        "undo",
        desk.by,
        desk.at,
        notes,
        former=rejected,
        undone=tuple(change.sequence for change in meant),
    )
    taken_back = tuple(
        (change.kind, change.note, change.text) for change in sorted(meant, key=lambda one: -one.sequence)
    )
    return plan, Undone(plan.id, taken_back, tuple(clashes)), read


def _back(ledger: Ledger, change: Change, current: bytes) -> tuple[Hunk, ...]:
    """The change's inverse over the note as it stands; raises HunkClash where its lines were edited since."""
    after = tokens(decode(replay(ledger, change.note, until=change.sequence)))
    now = tokens(decode(current))
    return settled(now, carry(invert(change.hunks), after, now))


def _clash(change: Change, clash: HunkClash) -> str:
    written = "".join(clash.hunk.removed).strip() or change.text
    return (
        f"{change.note}: {written!r} was changed since it was written; change it by hand, or undo the later edit first"
    )


def _meant(desk: Desk, name: str) -> list[Change]:
    """The changes that a fact id or a batch id stands for and that are not undone yet."""
    batch = changes(desk.ledger, "plan = ? AND kind NOT IN ('foreign', 'undo')", (name,))
    if batch:
        open_changes = [change for change in batch if not change.undone]
        if not open_changes:
            raise ShiluError(f"batch {name} is undone already")
        return open_changes
    found = changes(desk.ledger, "fact = ? AND kind NOT IN ('foreign', 'undo')", (name,))
    found = found or changes_of_edited(desk.vault, desk.ledger, name)
    if not found and changes(desk.ledger, "plan = ? AND kind = 'undo'", (name,)):
        raise UsageError(f"{name} is an undo itself; to have its facts again, submit them again")
    if not found:
        raise UsageError(f"no fact and no batch of the ledger has the id {name!r}; `shilu log` lists them")
    still = [change for change in found if not change.undone]
    if not still:
        raise ShiluError(f"fact {name} is undone already")
    return [change for change in still if change.plan == still[-1].plan]
