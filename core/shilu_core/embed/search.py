"""Nearest lines: exact for some thousands of vectors, sign bits with rescoring above.

The vectors stand in blocks: one mapped from the search file, one in memory for what was embedded since.
Rows of the
index are joined to them by the key of their text, so a rebuilt index finds its vectors again.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shilu_core.embed.quantised import Places, cosines, hamming, nearest_codes, sign_codes
from shilu_core.embed.sidecar import Block, Sidecar, block_of, mean_of, state_of, write
from shilu_core.embed.store import Keys, VectorStore
from shilu_core.embed.vectors import Vectors

Rows = NDArray[np.int32]

EXACT = 5_000  # vectors that are compared one by one: below it the codes save nothing
LEAST_CANDIDATES, MOST_CANDIDATES = 1_000, 10_000
CANDIDATE_SHARE = 0.03  # 1,000 keep .84 of the top 10 at 100,000 in the worst case, 3 % of them .95
MOST_TAIL = 0.1  # share of vectors outside the search file before it is written anew


class RowVectors:
    """Cosines for the rows of an index; `bind` tells the key of each row's text. One thread at a time."""

    def __init__(self, store: VectorStore, *, exact: int = EXACT) -> None:
        self._store, self._exact = store, exact
        self._path = _search_file(store)
        self._sidecar: Sidecar | None = None
        self._row_keys = np.zeros(0, dtype=np.int64)
        self._load()

    def _load(self) -> None:
        self._last, self._count = self._store.last(), len(self._store)
        self._blocks = [self._base()]
        self._join()

    def _base(self) -> Block:
        """The mapped search file, written first where it is not the store's state; in memory for few
        vectors."""
        state = state_of(self._store)
        if self._count > self._exact:
            for _ in range(2):
                with suppress(OSError, ValueError):
                    self._close_sidecar()
                    self._sidecar = Sidecar(self._path, state)
                    return self._sidecar.block
                with suppress(OSError, ValueError):
                    write(self._path, block_of(*self._store.read()), state)
        return block_of(*self._store.read())

    def refresh(self) -> bool:
        """Takes in vectors that were added or removed since; True if any were."""
        last, count = self._store.last(), len(self._store)
        if (last, count) == (self._last, self._count):
            return False
        keys, rows, scales = self._store.read(after=self._last)
        grown = self._count + len(keys) == count
        tail = sum(len(block) for block in self._blocks[1:]) + len(keys)
        if not grown or tail > max(MOST_TAIL * count, self._exact):
            self._load()
            return True
        self._last, self._count = last, count
        self._blocks = [self._blocks[0], _merged(self._blocks, keys, rows, scales)]
        self._join()
        return True

    def bind(self, row_keys: Keys) -> None:
        """`row_keys[i]` is the key of row i's text (`store.key_of`); call it again when rows were added."""
        self._row_keys = np.asarray(row_keys, dtype=np.int64)
        self._join()

    def _join(self) -> None:
        keys = np.concatenate([block.keys for block in self._blocks])
        order = np.argsort(keys, kind="stable")
        found = np.searchsorted(keys[order], self._row_keys)
        inside = found < len(keys)
        places = np.full(len(self._row_keys), -1, dtype=np.int64)
        candidates = order[found[inside]]
        hit = keys[candidates] == self._row_keys[inside]
        places[np.flatnonzero(inside)[hit]] = candidates[hit]
        self._place_of_row = places
        self._known = int(np.count_nonzero(places >= 0))
        self._rows_by_place = np.argsort(places, kind="stable")
        self._sorted_places = places[self._rows_by_place]
        sizes = np.array([len(block) for block in self._blocks], dtype=np.float64)
        means = np.stack([block.mean for block in self._blocks])
        self._mean: Vectors = (sizes @ means / max(sizes.sum(), 1)).astype(np.float32)
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def __len__(self) -> int:
        """Rows that have a vector."""
        return self._known

    def mean(self) -> Vectors:
        """Mean of all vectors (d,): its cosine with a query is what an unrelated line scores."""
        return self._mean

    def search(self, vector: Vectors, depth: int) -> tuple[Rows, Vectors]:
        """Rows and cosines of the `depth` nearest vectors, best first, equal ones by row."""
        self._reload_if_cut()
        parts = [
            self._nearest(block, start, vector, depth) for block, start in zip(self._blocks, self._starts, strict=False)
        ]
        places = np.concatenate([part[0] for part in parts])
        scores = np.concatenate([part[1] for part in parts])
        first = np.searchsorted(self._sorted_places, places, "left")
        counts = np.searchsorted(self._sorted_places, places, "right") - first
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        rows = self._rows_by_place[np.repeat(first, counts) + offsets]
        scores = np.repeat(scores, counts)
        order = np.lexsort((rows, -scores))[:depth]
        found: Rows = rows[order].astype(np.int32)
        return found, scores[order]

    def _nearest(self, block: Block, start: np.int64, vector: Vectors, depth: int) -> tuple[Places, Vectors]:
        count = len(block)
        places: Places | None = None
        if count > self._exact:
            wanted = min(max(LEAST_CANDIDATES, int(CANDIDATE_SHARE * count)), MOST_CANDIDATES)
            code = sign_codes((vector - block.mean)[None, :])
            places = nearest_codes(hamming(block.codes, code), max(wanted, depth), block.rows.shape[1])
        scores = cosines(block.rows, block.scales, vector, places)
        if len(scores) > depth:
            best = np.argpartition(-scores, depth - 1)[:depth]
            return (best if places is None else places[best]) + start, scores[best]
        return (np.arange(count) if places is None else places) + start, scores

    def scores(self, vector: Vectors, rows: Rows) -> Vectors:
        """Cosines of `rows`; NaN for rows without a vector."""
        self._reload_if_cut()
        out = np.full(len(rows), np.nan, dtype=np.float32)
        known = rows < len(self._place_of_row)
        places = np.full(len(rows), -1, dtype=np.int64)
        places[known] = self._place_of_row[rows[known]]
        for block, start in zip(self._blocks, self._starts, strict=False):
            inside = np.flatnonzero((places >= start) & (places < start + len(block)))
            if len(inside):
                out[inside] = cosines(block.rows, block.scales, vector, places[inside] - start)
        return out

    def _reload_if_cut(self) -> None:
        if self._sidecar is not None and not self._sidecar.intact:
            self._load()

    def close(self) -> None:
        self._close_sidecar()

    def _close_sidecar(self) -> None:
        if self._sidecar is not None:
            self._sidecar.close()
            self._sidecar = None


def _merged(blocks: list[Block], keys: Keys, rows: NDArray[np.int8], scales: Vectors) -> Block:
    """The tail with what came to it; its signs are taken from its own mean."""
    tail = blocks[1:]
    all_rows = np.concatenate([*(block.rows for block in tail), rows])
    all_scales = np.concatenate([*(block.scales for block in tail), scales])
    all_keys = np.concatenate([*(block.keys for block in tail), keys])
    return block_of(all_keys, all_rows, all_scales, mean_of(all_rows, all_scales))


def _search_file(store: VectorStore) -> Path:
    safe = "".join(mark if mark.isalnum() else "_" for mark in store.model_id)[-60:]
    return store.path.with_name(f"search-{safe}.bin")
