"""Several pieces of postings made one: the pieces of a first build, or the mapped arrays and what came
since.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shilu_core.index.postings import Postings, Weights


@dataclass(frozen=True)
class Piece:
    """Postings whose row 0 is row `first` of the whole."""

    postings: Postings
    first: int


def assemble(pieces: Sequence[Piece], count: int, dead: NDArray[np.bool_], pivot: float) -> Postings:
    """The postings of rows 0..count-1 without those of dead rows; pieces follow each other by row."""
    keys = np.unique(np.concatenate([np.zeros(0, np.uint64), *(piece.postings.keys for piece in pieces)]))
    kept = [_kept(piece, keys, dead) for piece in pieces]
    sizes = np.zeros(len(keys), np.int64)
    for terms, _, _ in kept:
        sizes += np.bincount(terms, minlength=len(keys))
    starts = np.zeros(len(keys) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    rows = np.empty(int(starts[-1]), np.int32)
    weights = np.empty(int(starts[-1]), np.float32)
    cursor = starts[:-1].copy()
    for terms, piece_rows, piece_weights in kept:
        held = np.bincount(terms, minlength=len(keys))
        inside = np.arange(len(terms)) - np.repeat(np.cumsum(held) - held, held)
        place = cursor[terms] + inside
        rows[place], weights[place] = piece_rows, piece_weights
        cursor += held
    lengths = np.zeros(count, np.float32)
    for piece in pieces:
        lengths[piece.first : piece.first + len(piece.postings.lengths)] = piece.postings.lengths
    lengths[dead[:count]] = 0.0
    used = sizes > 0
    starts = np.concatenate([[0], np.cumsum(sizes[used])]).astype(np.int64)
    return Postings(keys[used], starts, rows, weights, lengths, pivot)


def _kept(
    piece: Piece, keys: NDArray[np.uint64], dead: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int32], Weights]:
    """(term number, row, weight) of a piece's postings whose rows live, in term order."""
    postings = piece.postings
    numbers = np.searchsorted(keys, postings.keys)
    terms = np.repeat(numbers, np.diff(postings.starts))
    rows = np.asarray(postings.rows + piece.first, np.int32)
    living = ~dead[rows]
    if living.all():
        return terms, rows, postings.weights
    return terms[living], rows[living], postings.weights[living]
