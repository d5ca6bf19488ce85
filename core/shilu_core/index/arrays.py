"""One file that holds named numpy arrays and can be memory-mapped whole.

Layout: 8 bytes of magic, 8 bytes of header length, a JSON header (version, meta, arrays with type, length
and offset), then the arrays, each at a multiple of 64 bytes. A file whose size is not the one its header
names is refused, at opening and again before every use, because touching a mapped page behind the end of a
file kills the process. That can still happen in the milliseconds of one search, so a file is mapped only
where reading it whole would cost too much.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from shilu_core.files import replace_parts

MAGIC = b"SHILUARR"
_ALIGN = 64
LARGEST_READ = 96 * 2**20  # bytes; of 200,000 facts. Reading takes 30 ms then, and nothing done to the file matters
Array = NDArray[Any]


class Damaged(Exception):
    """The file is no array file of this version, or is cut short; whoever made it makes it anew."""


class ArrayFile:
    """Arrays of one file, mapped read-only; `meta` is what the writer put beside them."""

    def __init__(self, path: Path) -> None:
        # kept open: its size is asked before every search
        self._stream = open(path, "rb")  # noqa: SIM115
        try:
            self.meta, self._table, self._size = _read_header(self._stream)
            self._data = held(self._stream, self._size)
        except (Damaged, OSError, ValueError):
            self._stream.close()
            raise

    @property
    def intact(self) -> bool:
        """Whether the file still has the size that its header names."""
        return os.fstat(self._stream.fileno()).st_size == self._size

    def __getitem__(self, name: str) -> Array:
        kind, length, offset = self._table[name]
        return np.frombuffer(self._data, np.dtype(kind), length, offset)

    def close(self) -> None:
        """Closes the file; the mapping goes when the last array on it does."""
        self._stream.close()


def held(stream: IO[bytes], size: int) -> bytes | mmap.mmap:
    """The file's `size` bytes: read, or mapped where there are many. Raises Damaged where some are missing."""
    if size > LARGEST_READ:
        return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    stream.seek(0)
    data = stream.read(size)
    if len(data) != size:
        raise Damaged(f"{len(data)} bytes instead of {size}")
    return data


def _read_header(stream: Any) -> tuple[Mapping[str, Any], Mapping[str, tuple[str, int, int]], int]:
    start = stream.read(16)
    if len(start) < 16 or start[:8] != MAGIC:
        raise Damaged("no array file")
    try:
        header = json.loads(stream.read(int.from_bytes(start[8:], "little")))
        table = {name: (row[0], int(row[1]), int(row[2])) for name, row in header["arrays"].items()}
        size, meta = int(header["size"]), dict(header["meta"])
    except (ValueError, KeyError, TypeError, IndexError, OverflowError, MemoryError) as error:
        raise Damaged(f"unreadable header: {error}") from error
    if os.fstat(stream.fileno()).st_size != size:
        raise Damaged(f"{os.fstat(stream.fileno()).st_size} bytes instead of {size}")
    return meta, table, size


def write_arrays(path: Path, arrays: Mapping[str, Array], meta: Mapping[str, Any]) -> None:
    """Writes the file whole: a temporary sibling, synced, then renamed."""
    table: dict[str, tuple[str, int, int]] = {}
    offset = 0
    for name, array in arrays.items():
        table[name] = (array.dtype.str, len(array), offset)
        offset += -(-array.nbytes // _ALIGN) * _ALIGN
    header = _header(table, meta, offset)
    replace_parts(path, _parts(header, arrays.values()))


def _parts(header: bytes, arrays: Iterable[Array]) -> Iterator[bytes | memoryview]:
    yield header
    for array in arrays:
        yield memoryview(np.ascontiguousarray(array).data).cast("B") if array.nbytes else b""
        yield bytes(-array.nbytes % _ALIGN)


def _header(table: Mapping[str, tuple[str, int, int]], meta: Mapping[str, Any], data: int) -> bytes:
    """Magic, length and JSON, padded so that the data begin at a multiple of 64 bytes."""
    length = _ALIGN
    while True:
        arrays = {name: (kind, count, offset + length) for name, (kind, count, offset) in table.items()}
        text = json.dumps({"arrays": arrays, "meta": dict(meta), "size": length + data}).encode()
        if len(text) + 16 <= length:
            text += b" " * (length - 16 - len(text))
            return MAGIC + len(text).to_bytes(8, "little") + text
        length = -(-(len(text) + 16) // _ALIGN) * _ALIGN + _ALIGN
