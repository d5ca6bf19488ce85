"""Making the files of an index: all of them from the notes, or the arrays from the rows."""

from __future__ import annotations

import gc
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shilu_core.index.arrays import Array, ArrayFile, write_arrays
from shilu_core.index.assemble import Piece, assemble
from shilu_core.index.entries import Entry
from shilu_core.index.postings import Postings, PostingsBuilder, weigh
from shilu_core.index.rows import NoteState, Row, RowStore
from shilu_core.index.source import Source
from shilu_core.index.terms import FIELDS, Terms, identity_of, terms_of, vector_key, vector_text
from shilu_core.index.traits import CONTINUES

COLUMNS = {"traits": np.uint16, "identity": np.uint32, "vector": np.int64}
PIECE = 50_000  # rows that are sorted at a time: bounds the memory of a build
ROWS = "rows.db"


class _Pieces:
    """Collects terms of consecutive rows into pieces of raw counts, one list a field."""

    def __init__(self, first: int) -> None:
        self.first = self.next = first
        self.pieces: dict[str, list[Piece]] = {name: [] for name in FIELDS}
        self._open()

    def _open(self) -> None:
        self._builders = {name: PostingsBuilder() for name in FIELDS}
        self._started = self.next

    def add(self, number: int, terms: Terms | None) -> None:
        for name, builder in self._builders.items():
            for _ in range(self.next, number):
                builder.skip()
            if terms is not None:
                builder.add(terms.fields[name])
        self.next = number + (terms is not None)
        if self.next - self._started >= PIECE:
            self.finish()

    def finish(self) -> None:
        """Closes the open piece."""
        if self.next > self._started:
            for name in FIELDS:
                self.pieces[name].append(Piece(self._builders.pop(name).counted(), self._started))
        self._open()


@dataclass(frozen=True)
class Columns:
    """One number a row: its traits, its identity, the key of its vector."""

    traits: list[int]
    identity: list[int]
    vector: list[int]

    def add(self, traits: int, identity: int, vector: int) -> None:
        self.traits.append(traits)
        self.identity.append(identity)
        self.vector.append(vector)

    def arrays(self) -> dict[str, Array]:
        return {name: np.array(getattr(self, name), kind) for name, kind in COLUMNS.items()}


def build_arrays(folder: Path, source: Source, few: int) -> None:
    """All rows and arrays anew from the notes; the new files take the place of the old in one step."""
    path = folder / f".{ROWS}-{secrets.token_hex(6)}.tmp"
    store = RowStore.create(path, source.name)
    try:
        pieces = _Pieces(0)
        columns = Columns([], [], [])
        with store.transaction(), _no_collection():
            store.set_meta({"next": str(_insert_all(store, source, pieces, columns))})
        pieces.finish()
        if pieces.next > few:
            dead = np.zeros(pieces.next, np.bool_)
            name = _write(folder, _joined(pieces.pieces, pieces.next, dead), columns.arrays())
            with store.transaction():
                store.set_meta({"base": name, "base_rows": str(pieces.next)})
        store.close()
        path.replace(folder / ROWS)
    finally:
        store.close()
        path.unlink(missing_ok=True)
        _journal(path).unlink(missing_ok=True)
    _journal(folder / ROWS).unlink(missing_ok=True)
    _sweep(folder, RowStore.open(folder / ROWS, source.name))


@contextmanager
def _no_collection() -> Iterator[None]:
    """Millions of short-lived values and no cycles among them: looking for some takes a twelfth of a build."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _insert_all(store: RowStore, source: Source, pieces: _Pieces, columns: Columns) -> int:
    for note, found in sorted(source.notes().items()):
        checked = time.time_ns()
        digest, entries = source.load(note)
        number = store.put_note(note, NoteState(0, *found, checked, digest))
        store.insert(_rows(entries, pieces, columns), number)
    return pieces.next


def _rows(entries: Sequence[Entry], pieces: _Pieces, columns: Columns) -> Iterator[Row]:
    before: Entry | None = None
    for ordinal, entry in enumerate(entries):
        terms = terms_of(entry)
        goes_on = bool(entry.flow) and before is not None and before.flow == entry.flow
        bits = terms.traits | (CONTINUES if goes_on else 0)
        number = pieces.next
        pieces.add(number, terms)
        vector = vector_key(vector_text(entry, before))
        columns.add(bits, identity_of(entry), vector)
        yield Row(number, ordinal, entry, bits, vector)
        before = entry


def _joined(pieces: dict[str, list[Piece]], count: int, dead: NDArray[np.bool_]) -> dict[str, Postings]:
    """One field after the other, so that only one is sorted at a time."""
    return {name: _joined_field(pieces.pop(name), count, dead) for name in FIELDS}


def _joined_field(pieces: list[Piece], count: int, dead: NDArray[np.bool_]) -> Postings:
    """A field's counts weighted by the mean length of its rows."""
    lengths = np.concatenate([piece.postings.lengths for piece in pieces])
    pivot = float(lengths[lengths > 0].mean()) if (lengths > 0).any() else 1.0
    weighted = [Piece(weighted_by(piece.postings, pivot), piece.first) for piece in pieces]
    return assemble(weighted, count, dead, pivot)


def weighted_by(counted: Postings, pivot: float) -> Postings:
    """Postings of raw counts with their weights."""
    weights = weigh(counted.weights, counted.lengths[counted.rows], pivot)
    return Postings(counted.keys, counted.starts, counted.rows, weights, counted.lengths, pivot)


def merge_arrays(
    folder: Path,
    store: RowStore,
    file: ArrayFile | None,
    dead: NDArray[np.bool_],
    columns: Mapping[str, Array],
) -> None:
    """The mapped arrays and the rows since as new arrays; deleted rows leave them."""
    first = int(store.meta()["base_rows"])
    pieces = _Pieces(first)
    for row in store.since(first):
        pieces.add(row.number, terms_of(row.entry))
    pieces.add(len(dead), None)
    pieces.finish()
    fields = {}
    for name in FIELDS:
        if file is None:
            fields[name] = _joined_field(pieces.pieces[name], len(dead), dead)
            continue
        base = Postings.read(file, name)
        new = [Piece(weighted_by(piece.postings, base.pivot), piece.first) for piece in pieces.pieces[name]]
        fields[name] = assemble([Piece(base, 0), *new], len(dead), dead, base.pivot)
    name = _write(folder, fields, columns)
    with store.transaction():
        store.forget_gone()
        store.set_meta({"base": name, "base_rows": str(len(dead))})
    _sweep(folder, store)


def _write(folder: Path, fields: dict[str, Postings], columns: Mapping[str, Array]) -> str:
    name = f"arrays-{secrets.token_hex(6)}.bin"
    arrays: dict[str, Array] = dict(columns)
    for field, postings in fields.items():
        arrays.update(postings.arrays(field))
    write_arrays(folder / name, arrays, {"pivots": {field: postings.pivot for field, postings in fields.items()}})
    return name


def _journal(path: Path) -> Path:
    return path.with_name(path.name + "-journal")


def _sweep(folder: Path, store: RowStore) -> None:
    """Removes array files that no rows name and what killed builds left; only the writer does this."""
    used = store.meta()["base"]
    for path in [*folder.glob("arrays-*.bin"), *folder.glob(".*.tmp"), *folder.glob(".*.tmp-journal")]:
        if path.name != used:
            try:
                path.unlink()
            except OSError:  # in use on systems that forbid it: the next writer tries again
                continue
