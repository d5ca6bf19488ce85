"""The vector side of an engine: which rows have a vector, what a question's vector is, and filling what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from shilu_core.embed import Embedder
from shilu_core.index.index import Index
from shilu_core.index.terms import vector_text
from shilu_core.index.traits import CONTINUES
from shilu_core.recall.question import Question
from shilu_core.recall.ranking import EMPTY, Ranking
from shilu_core.recall.streams import vector
from shilu_core.recall.streams.vector import VectorRows

Vector = NDArray[np.float32]
_FETCHED = 400  # rows read at a time
REMEMBERED = 256  # question vectors: a turn is asked more than once, and making one takes 20 ms
FOCUS = 0.5  # share of one question's own vector beside the whole turn's, where a turn asks several


class Meaning:
    """Vectors of one model over one index; without an embedder it ranks nothing."""

    def __init__(self, index: Index, embedder: Embedder, rows: VectorRows) -> None:
        self._index, self._embedder, self.rows = index, embedder, rows
        self._vector_of = lru_cache(maxsize=REMEMBERED)(embedder.query)

    def refresh(self) -> None:
        """Takes in rows and vectors that came since."""

    def fill_in_background(self) -> None:
        """Begins to embed what has no vector yet, where vectors are kept."""

    def close(self) -> None:
        """Frees the files."""

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def model_id(self) -> str:
        return self._embedder.model_id

    def __len__(self) -> int:
        return len(self.rows)

    def rank(self, question: Question) -> Ranking:
        """Rows near the question; nothing where the model cannot judge its script."""
        if not len(self.rows) or not self._embedder.may_vote(question.text):
            return EMPTY
        return vector.rank(self.vector(question), self.rows, self._index.dead)

    def vector(self, question: Question) -> Vector:
        """The turn's vector, with the one question's own where the turn asks several."""
        whole = self._vector_of(question.text)
        if not question.focus:
            return whole
        mixed = (1 - FOCUS) * whole + FOCUS * self._vector_of(question.focus)
        return np.asarray(mixed / max(float(np.linalg.norm(mixed)), 1e-9), np.float32)


def texts_of(index: Index, rows: NDArray[np.int64]) -> list[str]:
    """What is to be embedded for some rows."""
    out = []
    for start in range(0, len(rows), _FETCHED):
        part = [int(row) for row in rows[start : start + _FETCHED]]
        wanted = [*part, *(row - 1 for row in part if index.traits[row] & CONTINUES)]
        stored = index.rows(wanted, some_gone=True)
        for row in part:
            if row in stored:
                before = stored.get(row - 1)
                out.append(vector_text(stored[row].entry, before.entry if before is not None else None))
    return out


def texts(index: Index) -> Iterator[str]:
    """What is to be embedded, row by row."""
    before = None
    for row in index.every():
        yield vector_text(row.entry, before.entry if before is not None and before.number == row.number - 1 else None)
        before = row
