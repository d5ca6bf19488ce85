"""From the rulings in the lists to a plan: what each mark writes, ends, rejects or settles; pure."""

from __future__ import annotations

import secrets as random
from collections.abc import Sequence
from typing import Any

from shilu_core import hidden, secrets
from shilu_core.edits import NoteHeld
from shilu_core.errors import ShiluError
from shilu_core.facts import fact_id
from shilu_core.stamps import source_name, without_stamp

from shilu_inbox.desk import Desk
from shilu_inbox.lists import ACCEPT, BOTH, REJECT, Entry, old_text, shown, shows_old
from shilu_inbox.plans import Draft, Plan, Step
from shilu_inbox.review import Item, Review
from shilu_inbox.settling import Applied, Settlement, Written, moves_of, receipts_of, settle_rest
from shilu_inbox.texts import LABELS

RULINGS = {
    ("pending", ACCEPT): "accept",
    ("pending", REJECT): "reject",
    ("conflict", ACCEPT): "use-new",
    ("conflict", REJECT): "keep-old",
    ("conflict", BOTH): "keep-both",
}


def plan_of(desk: Desk, found: Review, ruled: Sequence[Entry]) -> tuple[Plan, Applied, dict[str, bytes]]:
    """The plan for the rulings in the lists, what it will do, and the notes' bytes that it stands on; pure."""
    settlement = Settlement(Draft(desk.vault.layout), {}, [], [], [], [], [], [], [], [], {}, set(), {})
    for entry in _in_order(_single(ruled, settlement.held), found):
        ruling = RULINGS.get((entry.kind, entry.mark))
        item = found.item(entry.identity) or _legacy_item(entry, found, ruled)
        if ruling is None or (item is not None and item.is_outside):
            continue
        try:
            _rule(desk, settlement, entry, item, ruling, found)
        except (NoteHeld, ShiluError) as error:
            settlement.held.append(secrets.mask(f"{shown(entry.text)}: {error}"))
    settle_rest(settlement, found, {entry.identity for entry in ruled})
    moves = moves_of(desk, settlement, found)
    plan = Plan(
        id=random.token_hex(8),
        kind="apply",
        by=desk.by,
        at=desk.at,
        notes=settlement.draft.note_plans(settlement.read),
        receipts=tuple(settlement.receipts),
        former=tuple(settlement.former),
        corrections=tuple(settlement.corrections),
        rulings=tuple(settlement.rulings),
        decided=tuple(settlement.decided),
        moves=moves,
    )
    applied = Applied(
        plan.id if plan.notes else "",
        tuple(settlement.written),
        tuple(settlement.rejected),
        sum(receipt.outcome in ("duplicate", "refused") for receipt in plan.receipts),
        tuple(name for name, _, _ in moves),
        tuple(settlement.held),
    )
    return plan, applied, settlement.read


def _single(ruled: Sequence[Entry], held: list[str]) -> list[Entry]:
    """Entries without repeats; one that stands twice with different marks is held, since nobody knows which is meant."""
    marks: dict[str, set[str]] = {}
    for entry in ruled:
        marks.setdefault(entry.identity, set()).add(entry.mark)
    torn = [identity for identity, found in marks.items() if len(found) > 1]
    held += [f"{identity} stands in the list twice with different marks; keep one of both lines" for identity in torn]
    single = {(entry.identity, entry.text, entry.target): entry for entry in ruled if entry.identity not in torn}
    return list(single.values())


def _in_order(ruled: Sequence[Entry], found: Review) -> list[Entry]:
    """Entries in the order in which their lines arrived, so that a chain within a batch is written in order."""
    place = {item.id: number for number, item in enumerate(found.items)}
    return sorted(ruled, key=lambda entry: place.get(entry.identity, len(place)))


def _rule(desk: Desk, settlement: Settlement, entry: Entry, item: Item | None, ruling: str, found: Review) -> None:
    """Carries one ruling into the draft; raises NoteHeld with the reason where it can't be."""
    text = _text(entry, item)
    if item is None and not entry.legacy:
        raise NoteHeld("its submission is gone or was changed; it waits for the next review")
    is_settled = entry.legacy and item is not None and (item.place == "settled" or item.id in settlement.accepted)
    if is_settled or (item is None and _is_written(desk, entry)):
        settlement.decided.append((entry.identity, ruling, text))
        return
    _check_consent(entry, item)
    _check_shown(desk, entry, item, ruling, found)
    other = found.item(item.other) if item is not None and item.other else None
    if ruling in ("reject", "keep-old"):
        _reject(settlement, item, entry, text)
    else:
        _write(desk, settlement, entry, item, text, ruling, other)
    if other is not None and other.contested and not _is_ruled(settlement, other):
        if ruling == "use-new":
            _reject(settlement, other, None, other.submitted.text)
        else:
            _accept_other(desk, settlement, other)
    _note_ruling(desk, settlement, entry, item, ruling, text, other)


def _is_ruled(settlement: Settlement, other: Item) -> bool:
    """Whether the contested item has a ruling of its own in this run, which then stands."""
    return other.id in settlement.accepted or other.id in settlement.refused


def _check_consent(entry: Entry, item: Item | None) -> None:
    """Raises NoteHeld where a flagged item has no mark of its own: the consent of an unmarked list covers none."""
    flags = item.judgement.flags if item is not None else hidden.flags(entry.text)
    if entry.by_list and flags:
        raise NoteHeld(f"it is flagged ({flags[0].kind}) and needs a mark of its own: [x] or [-]")
    unseen = item is not None and (item.contested or (item.verdict in ("conflict", "supersede") and not entry.old))
    if entry.by_list and item is not None and unseen:
        raise NoteHeld(f"{item.judgement.reason or 'another submission contradicts it'}; rule on it: promoter --review")


def _check_shown(desk: Desk, entry: Entry, item: Item | None, ruling: str, found: Review) -> None:
    """Raises NoteHeld where the item is no longer what the person saw when they ticked it."""
    if item is None:
        return
    words = LABELS[desk.vault.layout.language].verdicts
    became = words["refused" if item.place == "refused" else item.verdict]
    if entry.verdict not in ("", became):
        raise NoteHeld(f"since the review it became: {became} - {item.judgement.reason}")
    old = old_text(item, found)
    if ruling in ("accept", "use-new") and not entry.legacy and not shows_old(entry, old):
        raise NoteHeld(f"since the review the fact that it would end became {shown(old)!r}; look at it again: promoter --review")


def _text(entry: Entry, item: Item | None) -> str:
    """What is to be written: the submitted text, unless the person edited the list's."""
    if item is not None and entry.text == shown(item.submitted.text):
        return item.submitted.text
    text = without_stamp(" ".join(entry.text.split(" ⏎ ")))
    found = secrets.find(text)
    if found:
        raise NoteHeld(f"the edited text holds a plaintext secret ({found[0].kind}); take it out of the list")
    if not text:
        raise NoteHeld("the edited text is empty; give it a text, or mark it [-]")
    return text


def _write(
    desk: Desk, settlement: Settlement, entry: Entry, item: Item | None, text: str, ruling: str, other: Item | None
) -> None:
    name = source_name(item.submitted.submission if item is not None else entry.source)
    ended = _ended(desk, settlement, entry, item, other) if ruling != "keep-both" else None
    note = ended[0] if item is None and ended is not None and not entry.target else _note(desk, entry, item)
    note = desk.vault.real_note(note)
    identity = fact_id(note, text, 0)
    common: dict[str, Any] = {"fact": identity, "item": entry.identity, "written": desk.now.date().isoformat()}
    common["source"] = f"{desk.vault.layout.inbox}/{name}"
    retracts = item is not None and item.submitted.operation == "retract"
    if retracts:
        steps = [Step("remove", *ended, **common)] if ended else []
    else:
        holders = _holders(desk, settlement, *ended) if ended and text != ended[1] else []
        steps = [Step("end", holder, ended[1], **common) for holder in holders] if ended else []
        steps.append(Step("add", note, text, **common))
    for step in steps:
        settlement.read.setdefault(step.note, desk.vault.read(step.note))
    settlement.draft.take(steps, settlement.read)
    if retracts and ended:
        settlement.former.append((ended[1], "retracted"))
    if item is not None:
        settlement.accepted[item.id] = (note, text)
        settlement.receipts += receipts_of(item, "applied", identity)
        if note != item.judgement.note and item.submitted.operation == "add" and item.judgement.target is None:
            settlement.corrections.append((item.judgement.category, note))
    settlement.decided.append((entry.identity, ruling, text))
    settlement.written.append(Written(text if not retracts else "", note, identity, ended[1] if ended else ""))


def _ended(
    desk: Desk, settlement: Settlement, entry: Entry, item: Item | None, other: Item | None
) -> tuple[str, str] | None:
    """Note and text of the fact that the new one ends, None where it ends none."""
    if item is None:
        return _ended_by_text(desk, entry) if entry.old else None
    if item.judgement.target is not None and item.judgement.verdict in ("conflict", "supersede"):
        return item.judgement.target.note, item.judgement.target.text
    if other is None:
        return None
    if other.id in settlement.accepted:  # written by this run: a later line takes its place like any stored fact's
        return settlement.accepted[other.id]
    if not other.contested:
        raise NoteHeld("the fact of the same batch that it supersedes is not accepted yet; rule on that one first")
    stored = other.judgement.target if other.judgement.verdict in ("conflict", "supersede") else None
    if stored is not None and other.id in settlement.refused:
        raise NoteHeld("what it was compared with is rejected; the next review compares it with the notes: promoter --review")
    return (stored.note, stored.text) if stored is not None else None


def _holders(desk: Desk, settlement: Settlement, note: str, text: str) -> list[str]:
    """Every note in which the ended text is current, once for each time: none of them may stay in force."""
    if not settlement.standing:
        for fact in desk.facts():
            if not fact.superseded:
                settlement.standing.setdefault(fact.text, []).append(fact.note)
    others = list(settlement.standing.get(text, ()))
    if note in others:
        others.remove(note)
    return [note, *others]


def _ended_by_text(desk: Desk, entry: Entry) -> tuple[str, str]:
    """The fact that an old-format entry names by its text: in its target note, else in whichever note holds it."""
    holders = [fact.note for fact in desk.facts() if not fact.superseded and fact.text == entry.old]
    if not holders:
        raise NoteHeld(f"no note holds {shown(entry.old)!r} any longer; take the entry out of the list")
    named = _note(desk, entry, None)
    return (named if named in holders else holders[0]), entry.old


def _is_written(desk: Desk, entry: Entry) -> bool:
    """Whether an old-format entry was applied already, by whichever tool: its stamp and text stand in a note."""
    source, text = entry.source, entry.text
    return any(
        fact.text == text and fact.stamp is not None and fact.stamp.submission in (source, source_name(source))
        for fact in desk.facts()
    )


def _accept_other(desk: Desk, settlement: Settlement, other: Item) -> None:
    """Writes the contested item that a ruling kept, once even where several items contest it."""
    if other.id not in settlement.accepted:
        entry = Entry(other.id, "pending", ACCEPT, shown(other.submitted.text), "", other.submitted.submission)
        _write(desk, settlement, entry, other, other.submitted.text, "accept", None)


def _reject(settlement: Settlement, item: Item | None, entry: Entry | None, text: str) -> None:
    if item is not None:
        settlement.receipts += receipts_of(item, "rejected", "")
    identity = item.id if item is not None else entry.identity if entry is not None else ""
    settlement.refused.add(identity)
    settlement.former.append((text, "rejected"))
    settlement.decided.append((identity, "reject", text))
    settlement.rejected.append(text)


def _note(desk: Desk, entry: Entry, item: Item | None) -> str:
    """The note that the entry's target names, else the judged one; raises NoteHeld for a target that is none."""
    named = entry.target.strip().strip("[]").replace("\\", "/")
    shown_target = f"{desk.vault.layout.root}/{item.judgement.note}" if item is not None else ""
    if not named or named == shown_target:
        if item is None:
            return desk.vault.layout.unclassified
        return item.judgement.note or desk.vault.layout.unclassified
    if named == "other":
        return desk.vault.layout.unclassified
    found = desk.vault.document(named)
    relative = named.removeprefix(desk.vault.layout.root + "/")
    if found is None and relative in desk.vault.layout.documents.values():
        found = relative
    if found is None and relative == desk.vault.layout.unclassified:
        found = relative
    if found is None:
        raise NoteHeld(f"there is no note {named!r}; make it, or name one of {', '.join(desk.vault.layout.documents)}")
    return found


def _note_ruling(
    desk: Desk, settlement: Settlement, entry: Entry, item: Item | None, ruling: str, text: str, other: Item | None
) -> None:
    if entry.kind != "conflict":
        return
    labels = LABELS[desk.vault.layout.language]
    colon, separator = labels.colon, labels.separator
    old = item.judgement.target.text if item is not None and item.judgement.target else entry.old
    old = other.submitted.text if other is not None else old
    parts = [
        f"{labels.new}{colon}{shown(text)}",
        f"{labels.old}{colon}{shown(old)}",
        f"{labels.source}{colon}{entry.source}",
    ]
    settlement.rulings.append(
        (
            entry.identity,
            f"- {desk.at[:16].replace('T', ' ')} {labels.rulings[ruling]}{separator}{separator.join(parts)} ^{entry.identity}",
        )
    )


def _legacy_item(entry: Entry, found: Review, ruled: Sequence[Entry]) -> Item | None:
    """The review's item for an entry of the old format, where its submission still waits.

    It is known by source and text; of a source with one edited text, the one line that no entry shows is meant.
    """
    if not entry.legacy:
        return None
    lines = [(one, item) for item in found.items for one in (item.submitted, *item.restatements)]
    waiting = {one.text: item for one, item in lines if one.submission == entry.source}
    listed = {other.text for other in ruled if other.source == entry.source}
    unlisted = [text for text in waiting if text not in listed]
    if entry.text not in waiting and len(unlisted) == len(listed - waiting.keys()) == 1:
        return waiting[unlisted[0]]
    return waiting.get(entry.text)
