"""Vectors of all rows in memory: exact search for small stores, and for benches that bring their own
vectors.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shilu_core.recall.ranking import Rows, Scores

Vectors = NDArray[np.float32]


class MemoryVectors:
    """`matrix` (n, d) of unit vectors; row i of it is row i of the index."""

    def __init__(self, matrix: Vectors) -> None:
        self._matrix = matrix
        self._mean = matrix.mean(axis=0) if len(matrix) else np.zeros(matrix.shape[1:], np.float32)

    def search(self, vector: Vectors, depth: int) -> tuple[Rows, Scores]:
        """The `depth` rows of the highest cosine, best first."""
        cosines = self._matrix @ vector
        order = np.argsort(-cosines, kind="stable")[:depth]
        return order.astype(np.int32), cosines[order]

    def scores(self, vector: Vectors, rows: Rows) -> Scores:
        """Cosines of `rows`; NaN for rows that have no vector."""
        out = np.full(len(rows), np.nan, np.float32)
        known = rows < len(self._matrix)
        out[known] = self._matrix[rows[known]] @ vector
        return out

    def mean(self) -> Vectors:
        return self._mean

    def __len__(self) -> int:
        return len(self._matrix)
