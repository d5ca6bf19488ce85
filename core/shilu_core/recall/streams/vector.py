"""Lines by meaning: cosine between the question's vector and each line's, by a local embedder."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shilu_core.recall.ranking import EMPTY, Ranking, Rows, Scores
from shilu_core.recall.weights import DEPTH

Vector = NDArray[np.float32]


class VectorRows(Protocol):
    """Vectors of the index's rows, of one model; rows that are not embedded yet are left out or score NaN."""

    def search(self, vector: Vector, depth: int) -> tuple[Rows, Scores]: ...

    def scores(self, vector: Vector, rows: Rows) -> Scores: ...

    def mean(self) -> Vector: ...

    def __len__(self) -> int: ...


def rank(vector: Vector, store: VectorRows, dead: NDArray[np.bool_]) -> Ranking:
    """Rows by how far their cosine lies above the store's mean cosine with this question.

    The mean is what an unrelated line scores; it differs from model to model and from question to question.
    """
    if not len(store):
        return EMPTY
    middle = float(vector @ store.mean())
    rows, cosines = store.search(vector, DEPTH)
    living = ~dead[rows]
    rows, scores = rows[living], np.asarray(cosines[living] - middle, np.float32)

    def at(wanted: Rows) -> Scores:
        found = store.scores(vector, wanted) - middle
        return np.asarray(np.maximum(found, 0.0), np.float32)  # NaN stays

    return Ranking(rows[scores > 0], scores[scores > 0], at)
