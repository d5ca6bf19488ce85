"""One stream's answer: its best rows, and its score for any row that another stream proposes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int32]
Scores = NDArray[np.float32]
_BLOCK = 512


def _nothing(rows: Rows) -> Scores:
    return np.zeros(len(rows), np.float32)


@dataclass(frozen=True)
class Ranking:
    """`rows` best first with `scores` > 0; `at` scores any rows, 0 where the stream has no evidence,
    NaN where it has not looked at the line yet (no vector).

    `ceiling` is the highest score that a line could reach for this question (0 where unknown).
    """

    rows: Rows
    scores: Scores
    at: Callable[[Rows], Scores] = _nothing
    ceiling: float = 0.0


EMPTY = Ranking(np.zeros(0, np.int32), np.zeros(0, np.float32))


def best(scores: Scores, depth: int) -> Rows:
    """Rows of the `depth` highest scores above 0, best first, equal ones by row number.

    Block maxima first: the best rows lie in the best blocks, and a million scores are read once, not sorted.
    """
    count = len(scores)
    if count > 64 * _BLOCK and depth * _BLOCK < count:
        whole = count // _BLOCK * _BLOCK
        peaks = scores[:whole].reshape(-1, _BLOCK).max(axis=1)
        blocks = np.sort(np.argpartition(peaks, -depth)[-depth:]) if depth < len(peaks) else np.arange(len(peaks))
        rows = (blocks[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
        rows = np.concatenate([rows, np.arange(whole, count)])
    else:
        rows = np.flatnonzero(scores > 0)
    found = scores[rows]
    if len(rows) > depth:
        # everything that is not below the last place, so that ties are cut by row number and not by chance
        limit = np.partition(found, -depth)[-depth]
        rows, found = rows[found >= limit], found[found >= limit]
    rows, found = rows[found > 0], found[found > 0]
    order = np.argsort(-found, kind="stable")[:depth]
    return rows[order].astype(np.int32)
