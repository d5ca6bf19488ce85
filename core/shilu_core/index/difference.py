"""What changed between the rows of a note and its lines of now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from shilu_core.index.entries import Entry
from shilu_core.index.rows import Row
from shilu_core.index.terms import terms_of, vector_key, vector_text
from shilu_core.index.traits import CONTINUES


@dataclass(frozen=True)
class Difference:
    """Rows that went, rows that came (numbered from the first free number), rows that only moved."""

    removed: tuple[Row, ...]
    added: tuple[Row, ...]
    moved: tuple[Row, ...]


def difference(rows: Sequence[Row], entries: Sequence[Entry], free: int) -> Difference:
    """Rows and lines with the same id and search terms stay; a dialogue or paragraph that changed comes
    anew whole.
    """
    broken = _changed_flows(rows, entries)
    by_id = {row.entry.fact.id: row for row in rows if row.entry.flow not in broken}
    added: list[Row] = []
    moved: list[Row] = []
    kept: set[int] = set()
    before: Entry | None = None
    for ordinal, entry in enumerate(entries):
        row = by_id.get(entry.fact.id)
        if row is not None and row.number not in kept and _same_terms(row.entry, entry):
            kept.add(row.number)
            if row.ordinal != ordinal or row.entry.fact != entry.fact:
                moved.append(replace(row, ordinal=ordinal, entry=entry))
        else:
            added.append(_numbered(entry, before, ordinal, free + len(added)))
        before = entry
    removed = tuple(row for row in rows if row.number not in kept)
    return Difference(removed, tuple(added), tuple(moved))


def _changed_flows(rows: Sequence[Row], entries: Sequence[Entry]) -> set[str]:
    old: dict[str, list[str]] = defaultdict(list)
    new: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        old[row.entry.flow].append(row.entry.fact.id)
    for entry in entries:
        new[entry.flow].append(entry.fact.id)
    return {flow for flow in old if flow and old[flow] != new.get(flow)}


def _same_terms(old: Entry, new: Entry) -> bool:
    return (old.fact.heading, old.fact.superseded, old.title, old.kind, old.flow, old.speaker) == (
        new.fact.heading,
        new.fact.superseded,
        new.title,
        new.kind,
        new.flow,
        new.speaker,
    )


def _numbered(entry: Entry, before: Entry | None, ordinal: int, number: int) -> Row:
    goes_on = bool(entry.flow) and before is not None and before.flow == entry.flow
    traits = terms_of(entry).traits | (CONTINUES if goes_on else 0)
    return Row(number, ordinal, entry, traits, vector_key(vector_text(entry, before)))
