"""Term -> rows with precomputed BM25 weights, as CSR arrays that can be memory-mapped.

BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with the idf of Lucene
(`log(1 + (N - df + .5) / (df + .5))`, never negative). The idf is applied at search time, so that a row
added or deleted elsewhere changes no stored weight; the mean length enters through a `pivot`.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int32]
Weights = NDArray[np.float32]

K1 = 0.9  # measured on the recall sets (k1 .9, b .4 beat 1.2, .75 on lines of one or two sentences)
B = 0.4


def term_key(token: str) -> int:
    """64 bits that stand for a token; a million tokens collide with a probability of 3e-8."""
    digest = hashlib.blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


@dataclass(frozen=True)
class Postings:
    """CSR arrays over n rows: sorted `keys` (t,), `starts` (t + 1,), `rows`, `weights` (p,), `lengths` (n,).

    A weight is `f * (k1 + 1) / (f + k1 * (1 - b + b * length / pivot))`, without idf.
    """

    keys: NDArray[np.uint64]
    starts: NDArray[np.int64]
    rows: Rows
    weights: Weights
    lengths: Weights
    pivot: float

    def find(self, key: int) -> tuple[int, int]:
        """Slice of `rows` for the term, empty where it is unknown."""
        position = int(np.searchsorted(self.keys, np.uint64(key)))
        if position == len(self.keys) or int(self.keys[position]) != key:
            return 0, 0
        return int(self.starts[position]), int(self.starts[position + 1])


class PostingsBuilder:
    """Takes rows one after the other (row 0 first) and gives their postings."""

    def __init__(self) -> None:
        self._vocabulary: dict[str, int] = {}
        self._terms: list[NDArray[np.int32]] = []
        self._counts: list[NDArray[np.float32]] = []
        self._sizes: list[int] = []
        self._lengths: list[float] = []

    def add(self, frequencies: Mapping[str, float]) -> None:
        vocabulary = self._vocabulary
        numbers = [vocabulary.setdefault(token, len(vocabulary)) for token in frequencies]
        self._terms.append(np.array(numbers, dtype=np.int32))
        self._counts.append(np.fromiter(frequencies.values(), np.float32, len(frequencies)))
        self._sizes.append(len(numbers))
        self._lengths.append(sum(frequencies.values()))

    @property
    def total_length(self) -> float:
        return float(sum(self._lengths))

    def build(self, pivot: float, k1: float = K1, b: float = B) -> Postings:
        lengths = np.array(self._lengths, dtype=np.float32)
        terms = np.concatenate([np.zeros(0, np.int32), *self._terms])
        counts = np.concatenate([np.zeros(0, np.float32), *self._counts])
        rows = np.repeat(np.arange(len(lengths), dtype=np.int32), self._sizes)
        keys = np.fromiter((term_key(token) for token in self._vocabulary), np.uint64, len(self._vocabulary))
        order = np.argsort(keys, kind="stable")
        rank = np.empty(len(keys), np.int32)
        rank[order] = np.arange(len(keys), dtype=np.int32)
        terms = rank[terms]
        by_term = np.argsort(terms, kind="stable")
        starts = np.zeros(len(keys) + 1, np.int64)
        np.cumsum(np.bincount(terms, minlength=len(keys)), out=starts[1:])
        rows, counts = rows[by_term], counts[by_term]
        return Postings(keys[order], starts, rows, weigh(counts, lengths[rows], pivot, k1, b), lengths, pivot)


def weigh(counts: Weights, lengths: Weights, pivot: float, k1: float = K1, b: float = B) -> Weights:
    norm = k1 * (1.0 - b + b * lengths / max(pivot, 1e-9))
    return np.asarray(counts * (k1 + 1.0) / (counts + norm), dtype=np.float32)


def inverse_frequency(total: int, holding: int) -> float:
    return math.log(1.0 + (total - holding + 0.5) / (holding + 0.5))


def frequencies(tokens: Sequence[str], weak: Iterable[str] = (), share: float = 0.0) -> dict[str, float]:
    """Term counts of a line, with the tokens of weaker fields (title, heading) counted once as `share`."""
    out: dict[str, float] = {}
    for token in tokens:
        out[token] = out.get(token, 0.0) + 1.0
    if share:
        for token in set(weak):
            out[token] = out.get(token, 0.0) + share
    return out
