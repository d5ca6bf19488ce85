"""From fused scores to the few lines that are shown: current ones, restatements as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

import numpy as np

from shilu_core.index.index import Index
from shilu_core.index.rows import Row
from shilu_core.recall.fusion import Fused
from shilu_core.recall.likeness import contradicts, restates

Chosen = tuple[Row, float, list[Row], list[Row]]
_READ = 8  # candidates that are read at once: what a few hits need


def choose(index: Index, fused: Fused, *, depth: int, limit: int, as_of: date | None) -> list[Chosen]:
    """At most `limit` lines with their scores, what restates them, and what contradicts them."""
    found = _best_rows(index, fused, depth)
    folded = _folded((one for one in found if as_of is None or _held(one[0], as_of)), limit)
    return [(row, score, same, _against(row, folded)) for row, score, same in folded]


def _best_rows(index: Index, fused: Fused, depth: int) -> Iterator[tuple[Row, float]]:
    """The best candidates, equal scores by note and line, so that the order of taking in does not show.

    They are read from the index a few at a time: most of them are never looked at.
    """
    useful = np.flatnonzero(fused.scores > 0)
    order = useful[np.argsort(-fused.scores[useful], kind="stable")][:depth]
    numbers = fused.rows[order].tolist()
    scores = [round(score, 5) for score in fused.scores[order].tolist()]
    start = 0
    while start < len(numbers):
        end = min(start + _READ, len(numbers))
        while end < len(numbers) and scores[end] == scores[end - 1]:
            end += 1
        stored = index.rows(numbers[start:end])
        found = [(stored[numbers[place]], scores[place]) for place in range(start, end) if numbers[place] in stored]
        yield from sorted(found, key=lambda item: (-item[1], item[0].entry.fact.note, item[0].ordinal))
        start = end


def _held(row: Row, day: date) -> bool:
    """Whether the line was in force on `day`, as far as it says."""
    fact = row.entry.fact
    if fact.written is not None and fact.written > day:
        return False
    return fact.ended > day if fact.ended is not None else not fact.superseded


def _folded(found: Iterable[tuple[Row, float]], limit: int) -> list[tuple[Row, float, list[Row]]]:
    """Each line once: what restates a better one stands under it."""
    out: list[tuple[Row, float, list[Row]]] = []
    for row, score in found:
        fact = row.entry.fact
        for kept, _, same in out:
            other = kept.entry.fact
            if other.superseded == fact.superseded and restates(other.text, fact.text):
                same.append(row)
                break
        else:
            if len(out) == limit:
                break
            out.append((row, score, []))
    return out


def _against(row: Row, folded: Sequence[tuple[Row, float, list[Row]]]) -> list[Row]:
    """Other current lines among the chosen that contradict this one; former ones only did once."""
    fact = row.entry.fact
    if fact.superseded:
        return []
    others = (other for other, _, _ in folded if other is not row and not other.entry.fact.superseded)
    return [other for other in others if contradicts(fact.text, other.entry.fact.text)]
