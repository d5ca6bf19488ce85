"""Unit vectors in eight bits with a scale a row, and their signs in one bit a number.

Rounding costs .003 of the top 10. The sign bits of centred vectors hold 97 % of the exact top 10 among the
best 100
by Hamming distance; column-major codes make the scan five times faster than row-major ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shilu_core.embed.vectors import Vectors

Bytes = NDArray[np.int8]
Scales = NDArray[np.float32]
Codes = NDArray[np.uint64]
Places = NDArray[np.int64]

CHUNK = 32_768  # rows scanned at once: the distances of a chunk stay in the cache


def quantise(vectors: Vectors) -> tuple[Bytes, Scales]:
    """int8 rows and one scale each, so that `rows * scales[:, None]` is near `vectors` (n, d)."""
    scales = np.maximum(np.abs(vectors).max(axis=1, initial=0.0), 1e-9) / 127
    rows = np.rint(vectors / scales[:, None]).astype(np.int8)
    return rows, scales.astype(np.float32)


def sign_codes(rows: NDArray[np.int8] | Vectors) -> Codes:
    """Signs of `rows` (n, d) as uint64 columns, shape (ceil(d / 64), n)."""
    count, width = rows.shape
    padded = np.zeros((count, -(-width // 64) * 64), dtype=bool)
    padded[:, :width] = rows > 0
    packed = np.packbits(padded, axis=1).view(np.uint64)
    return np.ascontiguousarray(packed.T)


def hamming(codes: Codes, query: Codes) -> NDArray[np.uint16]:
    """How many signs differ from `query` (columns, 1), for each of the rows in `codes` (columns, n)."""
    count = codes.shape[1]
    distances = np.zeros(count, dtype=np.uint16)
    for start in range(0, count, CHUNK):
        end = min(start + CHUNK, count)
        part = distances[start:end]
        for column, sign in zip(codes, query[:, 0], strict=True):
            part += np.bitwise_count(column[start:end] ^ sign)
    return distances


def nearest_codes(distances: NDArray[np.uint16], count: int, width: int) -> Places:
    """Places of at least `count` smallest distances (all ties of the last one), unordered."""
    if count >= len(distances):
        return np.arange(len(distances))
    below = np.cumsum(np.bincount(distances, minlength=width + 1))
    limit = int(np.searchsorted(below, count))
    return np.flatnonzero(distances <= limit)


def cosines(rows: Bytes, scales: Scales, query: Vectors, places: Places | None = None) -> Vectors:
    """Cosine of `query` (d,) with the rows at `places`, all rows by default; in chunks, so memory stays
    small."""
    wanted = np.arange(len(rows)) if places is None else places
    out = np.empty(len(wanted), dtype=np.float32)
    for start in range(0, len(wanted), CHUNK):
        part = wanted[start : start + CHUNK]
        block = rows[part[0] : part[-1] + 1] if places is None else rows[part]
        # not `@`: BLAS wakes a second thread for it, which on a busy machine costs twenty times what it saves
        out[start : start + CHUNK] = np.einsum("ij,j->i", block.astype(np.float32), query) * scales[part]
    return out
