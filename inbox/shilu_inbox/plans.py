"""A plan: what an apply or undo is about to write, thought through in memory before anything is touched."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from typing import Any

from shilu_core.edits import NoteHeld, add_fact, block_end, end_fact, fact_lines, remove_fact
from shilu_core.facts import Fact
from shilu_core.hunks import Hunk, HunkClash, carry, settled, tokens
from shilu_core.layout import Layout
from shilu_core.notes import Note, decode, parse
from shilu_core.stamps import Stamp

from shilu_inbox.history import dump_hunks, load_hunks, patched
from shilu_inbox.submissions import digest_of


@dataclass(frozen=True)
class Step:
    """One change of one note; `hunks` are over the note as the step found it when it was planned."""

    kind: str  # add | end | remove | undo
    note: str
    text: str
    fact: str = ""  # id of the fact that the change is about: the added one, also for the ending of the old
    source: str = ""  # as it stands in the stamp
    written: str = ""  # ISO date
    item: str = ""
    former: int = 0  # ended lines of this text and source that stood there before: a value that returns is no repeat
    undoes: int = 0  # sequence number of the change that an undo takes back
    hunks: tuple[Hunk, ...] = ()


@dataclass(frozen=True)
class NotePlan:
    """The steps of one note, from bytes with digest `before` to bytes with digest `after`; `kept` names the
    place of the replaced file, relative to the vault's folder; `on_disk` is the digest of what the swap will
    find, which differs from `before` where an editor's save was swapped out and is planned on now."""

    note: str
    before: str
    after: str
    steps: tuple[Step, ...]
    kept: str = ""
    on_disk: str = ""


@dataclass(frozen=True)
class Receipt:
    """One settled line of a submission file, known by name, digest and line."""

    name: str
    digest: str
    line: int
    outcome: str  # applied | rejected | duplicate | refused
    text: str
    fact: str = ""


@dataclass(frozen=True)
class Plan:
    """Everything that one run is going to do, as it is written to the ledger first."""

    id: str
    kind: str  # apply | undo
    by: str
    at: str  # ISO time
    notes: tuple[NotePlan, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    former: tuple[tuple[str, str], ...] = ()  # text, fate
    corrections: tuple[tuple[str, str], ...] = ()  # category, note
    rulings: tuple[tuple[str, str], ...] = ()  # item id, line for the rulings note
    decided: tuple[tuple[str, str, str], ...] = ()  # item id, ruling, text
    moves: tuple[tuple[str, str, str], ...] = ()  # name, digest, name below processed
    undone: tuple[int, ...] = ()  # sequence numbers of the changes that this plan takes back

    @property
    def is_empty(self) -> bool:
        return not (self.notes or self.receipts or self.rulings or self.moves or self.decided)

    def to_json(self) -> str:
        def plain(value: Any) -> Any:
            return {**asdict(value), "hunks": dump_hunks(value.hunks)} if isinstance(value, Step) else value

        notes = [{**asdict(note), "steps": [plain(step) for step in note.steps]} for note in self.notes]
        return json.dumps({**asdict(replace(self, notes=())), "notes": notes}, ensure_ascii=True)

    @classmethod
    def from_json(cls, text: str) -> Plan:
        body = json.loads(text)
        notes = tuple(
            NotePlan(
                **{
                    **note,
                    "steps": tuple(Step(**{**step, "hunks": load_hunks(step["hunks"])}) for step in note["steps"]),
                }
            )
            for note in body.pop("notes")
        )
        receipts = tuple(Receipt(**receipt) for receipt in body.pop("receipts"))
        lists: dict[str, Any] = {name: tuple(tuple(row) if isinstance(row, list) else row for row in body.pop(name)) for name in _LISTS}
        return cls(**body, **lists, notes=notes, receipts=receipts)


_LISTS = ("former", "corrections", "rulings", "decided", "moves", "undone")


@dataclass
class Draft:
    """Notes as they would be after the steps taken so far."""

    layout: Layout
    data: dict[str, bytes] = field(default_factory=dict)
    steps: dict[str, list[Step]] = field(default_factory=dict)

    def take(self, steps: Sequence[Step], read: Mapping[str, bytes]) -> None:
        """Takes all steps of one item, or none and raises NoteHeld."""
        data, done = dict(self.data), []
        for step in steps:
            before = data.get(step.note, read.get(step.note, b""))
            note = parse(step.note, before)
            step = replace(step, former=_ended_lines(note, step))
            hunks = step_hunks(step, note, self.layout)
            data[step.note] = patched(before, hunks)
            done.append(replace(step, hunks=hunks))
        self.data = data
        for step in done:
            self.steps.setdefault(step.note, []).append(step)

    def note_plans(self, read: Mapping[str, bytes]) -> tuple[NotePlan, ...]:
        return tuple(
            NotePlan(note, digest_of(read.get(note, b"")), digest_of(self.data[note]), tuple(steps))
            for note, steps in self.steps.items()
        )


def rebased(
    steps: Iterable[Step], base: bytes, current: bytes, layout: Layout
) -> tuple[bytes, tuple[Step, ...], list[str]]:
    """The steps over a note that a person changed meanwhile: new bytes, steps with new hunks, and why a step was held.

    A step that stands in the text already is left out, so that nothing is applied twice.
    """
    data, done, held = current, [], []
    for step in steps:
        try:
            if step.kind == "undo":
                now = tokens(decode(data))
                hunks = settled(now, carry(step.hunks, tokens(decode(base)), now))
            else:
                hunks = step_hunks(step, parse(step.note, data), layout)
        except NoteHeld as error:
            held.append(str(error))
            continue
        except HunkClash:
            held.append(f"{step.note}: the lines that {step.text!r} changed were edited since")
            continue
        base = patched(base, step.hunks) if step.kind == "undo" else base
        data = patched(data, hunks)
        done.append(replace(step, hunks=hunks))
    return data, tuple(done), held


def step_hunks(step: Step, note: Note, layout: Layout) -> tuple[Hunk, ...]:
    """What the step changes in the note as it stands; nothing where it is done already; raises NoteHeld."""
    if step.kind == "undo":
        return step.hunks
    if step.kind == "add":
        if _stands(note, step):
            return ()
        stamp = Stamp(date.fromisoformat(step.written), step.source)
        return add_fact(note, fact_lines(step.text, stamp, layout.language))
    fact = find_fact(note, step.text, superseded=False)
    if fact is None:
        gone = find_fact(note, step.text, superseded=True)
        if step.kind == "remove" or gone is not None:
            return ()
        raise NoteHeld(f"{note.id} no longer holds the fact {step.text!r}; it was changed since the review")
    if step.kind == "remove":
        nested = sum(fact.line < other.line <= block_end(note, fact) for other in note.facts)
        if nested:
            raise NoteHeld(f"{nested} facts are nested in {step.text!r}; take those back first, or move them in the note")
        return remove_fact(note, fact)
    return end_fact(note, fact, date.fromisoformat(step.written), layout.language, layout.superseded_heading)


def find_fact(note: Note, text: str, *, superseded: bool) -> Fact | None:
    """The first fact of a note with this text, among the current or the superseded ones; None without one."""
    return next((fact for fact in note.facts if fact.text == text and fact.superseded == superseded), None)


def _stands(note: Note, step: Step) -> bool:
    """Whether a note holds the fact that the step adds: as a current one, or written by it and ended since."""
    current = any(fact.text == step.text and not fact.superseded for fact in note.facts)
    return current or _ended_lines(note, step) > step.former


def _ended_lines(note: Note, step: Step) -> int:
    return sum(
        fact.text == step.text and fact.superseded and fact.stamp is not None and fact.stamp.source == step.source
        for fact in note.facts
    )
