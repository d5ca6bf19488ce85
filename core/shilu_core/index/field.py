"""One searchable field over all rows: the mapped postings, the growing part, and what was deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shilu_core.index.postings import (
    EMPTY,
    Growing,
    Postings,
    Rows,
    Weights,
    inverse_frequency,
    term_key,
    weigh,
)

NOTHING = (np.zeros(0, np.int32), np.zeros(0, np.float32))


@dataclass(frozen=True)
class Match:
    """The rows that hold one term, with their weights (idf not applied); `holding` counts live rows only."""

    rows: Rows
    weights: Weights
    idf: float


class Field:
    """Terms of one kind (words, pairs, trigrams, entities) of all rows."""

    def __init__(self, base: Postings = EMPTY) -> None:
        self._base = base
        self._growing = Growing()
        self._gone: dict[int, int] = {}
        self._gone_length = 0.0
        self._gone_rows = 0
        self._base_total = float(base.lengths.sum())
        self._base_rows = int(np.count_nonzero(base.lengths))

    def add(self, row: int, counts: Mapping[str, float]) -> None:
        self._growing.add(row, counts)

    def drop(self, counts: Mapping[str, float]) -> None:
        """Takes a deleted row's terms out of the document frequencies; the row itself is masked elsewhere."""
        for token in counts:
            key = term_key(token)
            self._gone[key] = self._gone.get(key, 0) + 1
        self._gone_length += sum(counts.values())
        self._gone_rows += bool(counts)

    @property
    def mean_length(self) -> float:
        """Mean length of the live rows that hold anything."""
        count = self._base_rows + self._growing.used - self._gone_rows
        total = self._base_total + self._growing.total - self._gone_length
        return total / count if count > 0 else 1.0

    @property
    def drift(self) -> float:
        """How far the mean length left the pivot of the mapped weights, as a share of it."""
        return abs(self.mean_length / self._base.pivot - 1.0) if self._base_rows else 0.0

    def holding(self, key: int) -> int:
        """Live rows that hold the term."""
        return self._held(key, self._base.find(key))

    def rows_with(self, keys: Sequence[int]) -> list[Rows]:
        """For each term all rows with it, deleted ones included, in the order of taking in."""
        spans = self._base.find_all(keys)
        found = [self._base.rows[slice(*spans[key])] for key in keys]
        if self._growing.used:
            more = (self._growing.find(key)[0] for key in keys)
            found = [np.concatenate([rows, new]) if len(new) else rows for rows, new in zip(found, more, strict=True)]
        return found

    def held_by_few(self, keys: Sequence[int], most: int) -> list[Rows]:
        """The rows of each term that at least two and at most `most` live rows hold, deleted rows included."""
        spans = self._base.find_all(keys)
        return self.rows_with([key for key in keys if 2 <= self._held(key, spans[key]) <= most])

    def _postings(self, key: int, span: tuple[int, int], pivot: float) -> tuple[Rows, Weights]:
        """Rows and weights of a term: the mapped ones, then those that came since."""
        start, end = span
        base_rows, base_weights = self._base.rows[start:end], self._base.weights[start:end]
        if not self._growing.count(key):
            return base_rows, base_weights
        rows, counts = self._growing.find(key)
        weights = weigh(counts, self._growing.lengths(rows), pivot)
        return np.concatenate([base_rows, rows]), np.concatenate([base_weights, weights])

    def chosen(self, keys: Mapping[int, float], live: int, budget: int) -> tuple[list[Match], float]:
        """The matches of `keys` (with their weights), rarest first, until `budget` postings are spent, and the
        idf of all terms summed.

        A term that nearly every row holds says little and costs most, so it is the first to be left out.
        """
        spans = self._base.find_all(keys)
        ordered = sorted((self._held(key, spans[key]), key) for key in keys)
        total, spent = 0.0, 0
        matches: list[Match] = []
        pivot = self.pivot
        for holding, key in ordered:
            idf = inverse_frequency(live, max(holding, 0)) * keys[key]
            total += idf
            if holding <= 0 or (spent + holding > budget and len(matches) >= 3):
                continue
            matches.append(Match(*self._postings(key, spans[key], pivot), idf))
            spent += holding
        return matches, total

    def _held(self, key: int, span: tuple[int, int]) -> int:
        return span[1] - span[0] + self._growing.count(key) - self._gone.get(key, 0)

    @property
    def pivot(self) -> float:
        """Mean length that weights are computed with: the mapped part's own, so that both parts agree."""
        return self._base.pivot if self._base_rows else self.mean_length
