"""The search file: everything a scan needs, in one file that is mapped into memory and may be deleted at
any time.

A header of 65,536 bytes (JSON: version, model, newest number and count in the store, dimensions, mean
vector), then
sign codes, int8 rows, scales, keys. It is written beside its place and renamed, and is used only if its
header is the
store's own state; otherwise it is made anew from the store.
"""

from __future__ import annotations

import itertools
import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shilu_core.embed.quantised import CHUNK, Bytes, Codes, Scales, sign_codes
from shilu_core.embed.store import Keys, VectorStore
from shilu_core.embed.vectors import Vectors
from shilu_core.files import replace_parts
from shilu_core.index.arrays import Damaged, held

VERSION = 1
_HEADER = 65_536  # bytes; holds the mean vector of 4,096 dimensions and more


@dataclass(frozen=True)
class Block:
    """Vectors ready to scan: sign codes (columns, n), int8 rows (n, d), scales (n,), keys (n,), mean (d,)."""

    codes: Codes
    rows: Bytes
    scales: Scales
    keys: Keys
    mean: Vectors

    def __len__(self) -> int:
        return len(self.keys)


def block_of(keys: Keys, rows: Bytes, scales: Scales, mean: Vectors | None = None) -> Block:
    """A block in memory; signs are taken from what lies above `mean` (by default the block's own)."""
    middle = mean_of(rows, scales) if mean is None else mean
    columns = -(-rows.shape[1] // 64)
    codes = np.empty((columns, len(rows)), dtype=np.uint64)
    for start in range(0, len(rows), CHUNK):
        part = rows[start : start + CHUNK].astype(np.float32) * scales[start : start + CHUNK, None]
        codes[:, start : start + CHUNK] = sign_codes(part - middle)
    return Block(codes, rows, scales, keys, middle)


def mean_of(rows: Bytes, scales: Scales) -> Vectors:
    """Mean vector (d,), zeros without rows."""
    total = np.zeros(rows.shape[1], dtype=np.float64)
    for start in range(0, len(rows), CHUNK):
        # not `@`: the second thread that BLAS wakes for it spins for a tenth of a second afterwards
        total += np.einsum("i,ij->j", scales[start : start + CHUNK], rows[start : start + CHUNK].astype(np.float32))
    return (total / max(len(rows), 1)).astype(np.float32)


class Sidecar:
    """An open search file, mapped where it is large; `intact` must be asked before each scan then, since
    reading behind a cut end is deadly."""

    def __init__(self, path: Path, expected: dict[str, object]) -> None:
        """Raises ValueError or OSError where `path` is not the file of `expected`."""
        self._stream = path.open("rb")
        try:
            header = json.loads(self._stream.read(_HEADER).rstrip(b"\0") or b"{}")
            mean = np.array(header.pop("mean", []), dtype=np.float32)
            if header != expected or len(mean) != expected["dimensions"]:
                raise ValueError("another state of the store")
            self.block = self._map(int(str(expected["count"])), len(mean), mean)
        except Damaged as error:
            self._stream.close()
            raise ValueError(str(error)) from error
        except BaseException:
            self._stream.close()
            raise

    def _map(self, count: int, width: int, mean: Vectors) -> Block:
        columns = -(-width // 64)
        sizes = (columns * count * 8, count * width, count * 4, count * 8)
        self._size = _HEADER + sum(sizes)
        if not self.intact:
            raise ValueError("its end is missing")
        data = np.frombuffer(held(self._stream, self._size), np.uint8)
        ends = np.cumsum((_HEADER, *sizes))
        codes, rows, scales, keys = (data[start:end] for start, end in itertools.pairwise(ends))
        return Block(
            codes.view(np.uint64).reshape(columns, count),
            rows.view(np.int8).reshape(count, width),
            np.frombuffer(scales.tobytes(), np.float32),
            np.frombuffer(keys.tobytes(), np.int64),
            mean,
        )

    @property
    def intact(self) -> bool:
        return os.fstat(self._stream.fileno()).st_size == self._size

    def close(self) -> None:
        self._stream.close()


def state_of(store: VectorStore) -> dict[str, object]:
    """What a search file must have been written from."""
    return {
        "version": VERSION,
        "model": store.model_id,
        "last": store.last(),
        "count": len(store),
        "dimensions": store.dimensions,
    }


def write(path: Path, block: Block, state: dict[str, object]) -> None:
    """Puts the search file in place, whole; no sync, since a damaged one is made anew."""
    header = json.dumps({**state, "mean": [round(float(value), 6) for value in block.mean]}).encode("ascii")
    if len(header) > _HEADER:
        raise ValueError("too many dimensions for a search file")
    arrays = (block.codes, block.rows, block.scales, block.keys)
    views = (memoryview(np.ascontiguousarray(array).data).cast("B") if array.nbytes else b"" for array in arrays)
    replace_parts(path, itertools.chain((header.ljust(_HEADER, b"\0"),), views), sync=False)
