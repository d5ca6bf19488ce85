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
_RESCORED = 256  # rows made float at once, for the same reason
_SUMMED = 3  # columns whose distances fit into eight bits together
_SAMPLED = 65_536  # distances from which the smallest are counted among a sample first


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
    columns, count = codes.shape
    distances = np.zeros(count, dtype=np.uint16)
    differing = np.empty(min(count, CHUNK), np.uint64)
    ones, several = (np.empty(min(count, CHUNK), np.uint8) for _ in range(2))
    for start in range(0, count, CHUNK):
        part = distances[start : start + CHUNK]
        size = len(part)
        for first in range(0, columns, _SUMMED):
            several[:size] = 0
            for column in range(first, min(first + _SUMMED, columns)):
                np.bitwise_xor(codes[column, start : start + size], query[column, 0], out=differing[:size])
                np.bitwise_count(differing[:size], out=ones[:size])
                several[:size] += ones[:size]
            part += several[:size]
    return distances


def nearest_codes(distances: NDArray[np.uint16], count: int, width: int) -> Places:
    """Places of at least `count` smallest distances (all ties of the last one), in order."""
    if count >= len(distances):
        return np.arange(len(distances))
    places = _surely_near(distances, count, width)
    near = distances if places is None else distances[places]
    below = np.cumsum(np.bincount(near, minlength=width + 1))
    inside = np.flatnonzero(near <= int(np.searchsorted(below, count)))
    return inside if places is None else places[inside]


def _surely_near(distances: NDArray[np.uint16], count: int, width: int) -> Places | None:
    """Places that hold the `count` smallest distances and few more, by a limit that a sample suggests.

    None where the sample misled or there is little to save; counting all distances takes twice as long.
    """
    if len(distances) < _SAMPLED:
        return None
    step = len(distances) // (_SAMPLED // 4)
    below = np.cumsum(np.bincount(distances[::step], minlength=width + 1)) * step
    limit = int(np.searchsorted(below, 1.5 * count))
    places = np.flatnonzero(distances <= limit)
    return places if len(places) >= count else None


def cosines(rows: Bytes, scales: Scales, query: Vectors, places: Places | None = None) -> Vectors:
    """Cosine of `query` (d,) with the rows at `places`, all rows by default; in chunks, so that they stay in
    the cache."""
    count = len(rows) if places is None else len(places)
    out = np.empty(count, dtype=np.float32)
    whole = np.empty((min(count, _RESCORED), rows.shape[1]), np.float32)
    for start in range(0, count, _RESCORED):
        end = min(start + _RESCORED, count)
        block = whole[: end - start]
        block[:] = rows[start:end] if places is None else rows[places[start:end]]
        # not `@`: BLAS wakes a second thread for it, which on a busy machine costs twenty times what it saves
        np.einsum("ij,j->i", block, query, out=out[start:end])
    out *= scales if places is None else scales[places]
    return out
