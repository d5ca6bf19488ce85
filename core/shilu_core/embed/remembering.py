"""An embedder with a memory: a line that was embedded once is not embedded again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shilu_core.embed.embedder import Embedder
from shilu_core.embed.store import VectorStore
from shilu_core.embed.vectors import Vectors


class Remembering:
    """An embedder that keeps every passage's vector in the vault's cache, so that a line is embedded once."""

    def __init__(self, embedder: Embedder, store: VectorStore) -> None:
        self._embedder, self._store = embedder, store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def remembered(self, texts: Sequence[str]) -> Mapping[str, Vectors]:
        """Vectors of those of `texts` that were embedded before."""
        return self._store.known(texts)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors (n, d) of `texts`; new ones are computed and kept."""
        unknown = [text for text in dict.fromkeys(texts) if text not in self._store.known(texts)]
        if unknown:
            self._store.add(unknown, self._embedder.passages(unknown))
        known = self._store.known(texts)
        return (
            np.stack([known[text] for text in texts]) if texts else np.zeros((0, self._embedder.dimensions), np.float32)
        )
