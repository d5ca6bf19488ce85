"""Apply: what a person ticked in the last shown review becomes facts of the notes, once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from shilu_core.edits import NoteHeld
from shilu_core.errors import ShiluError

from shilu_inbox.carrying import begin, carry_out, take_late_saves
from shilu_inbox.desk import Desk, examine, read_text, write_lists
from shilu_inbox.lists import ACCEPT, WAIT, Entry, read_list, shown
from shilu_inbox.review import Review
from shilu_inbox.rulings import RULINGS, plan_of
from shilu_inbox.settling import Applied, Written

__all__ = ["RULINGS", "Applied", "Written", "apply", "entries", "plan_of"]


def apply(desk: Desk, *, dry_run: bool = False, only: Collection[str] | None = None) -> Applied:
    """Writes exactly the ticked items of the lists as they stand; what arrived since the last review waits.

    Every item is looked at again first: one whose verdict changed since it was shown is held with the reason.
    `only` names the items that a policy decided: what a person ticked beside them waits for the person.
    """
    if dry_run:
        found, _ = examine(desk)
        plan, applied, _ = plan_of(desk, found, entries(desk))
        return applied
    with desk.locked("promoter --apply") as interrupted:
        found, _ = examine(desk)
        ruled = entries(desk)
        chosen = ruled if only is None else [entry for entry in ruled if entry.identity in only]
        plan, applied, read = plan_of(desk, found, chosen)
        held = list(interrupted)
        if not plan.is_empty:
            begin(desk.ledger, plan, read)
            held += carry_out(desk.vault, desk.ledger, plan)
            held += take_late_saves(desk.vault, desk.ledger)
            again, _ = examine(desk)
            write_lists(desk, _only_shown(again, {entry.identity for entry in ruled}))
        if settled := [entry for entry in chosen if _is_ruled_outside(entry, found)]:
            applied = _carry_out_outside(desk, found, settled, applied)
            again, _ = examine(desk)
            write_lists(desk, _only_shown(again, {entry.identity for entry in ruled}))
        return replace(applied, held=(*applied.held, *held))


def _is_ruled_outside(entry: Entry, found: Review) -> bool:
    item = found.item(entry.identity)
    return item is not None and item.is_outside and (entry.kind, entry.mark) in RULINGS


def _carry_out_outside(desk: Desk, found: Review, ruled: Sequence[Entry], applied: Applied) -> Applied:
    """Hands each ruling on an outside item to its channel; one that fails there is held with its reason."""
    written, rejected, held = list(applied.written), list(applied.rejected), list(applied.held)
    for entry in ruled:
        item = found.item(entry.identity)
        assert item is not None and desk.outside is not None
        accepted = RULINGS[(entry.kind, entry.mark)] == "accept"
        try:
            if accepted and entry.text != shown(item.submitted.text):
                raise NoteHeld("its text was edited; it can only be carried out as it was asked for")
            identity = desk.outside.carry_out(item.id, accepted)
        except ShiluError as error:
            held.append(f"{shown(entry.text)}: {error}")
            continue
        if accepted:
            written.append(Written(item.submitted.text, item.judgement.note, identity))
        else:
            rejected.append(item.submitted.text)
    return replace(applied, written=tuple(written), rejected=tuple(rejected), held=tuple(held))


def entries(desk: Desk) -> list[Entry]:
    """What stands in the two lists; an old-format pending list without any tick means all of it."""
    layout = desk.vault.layout
    pending = read_list(read_text(desk.vault.pending), layout)
    if pending and all(entry.legacy and entry.mark == WAIT for entry in pending):
        pending = [replace(entry, mark=ACCEPT, by_list=True) for entry in pending]
    return [*pending, *read_list(read_text(desk.vault.conflicts), layout)]


def _only_shown(found: Review, identities: set[str]) -> Review:
    """The review without pending items that no list showed: what arrived later waits for the next review."""
    return replace(
        found,
        items=tuple(item for item in found.items if item.id in identities or item.place in ("settled", "refused")),
    )
