"""The fitted parts of recall as a turn uses them: the embedder, and the gate that shares its query vector."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from shilu_core.embed import Embedder
from shilu_core.embed.vectors import Vectors
from shilu_core.recall.gate import wants_memory

KEPT_QUERIES = 64


class OnceEmbedder:
    """An embedder that embeds a question once, though gate and search both ask for it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name, self.model_id = embedder.name, embedder.model_id
        self.dimensions, self.scripts = embedder.dimensions, embedder.scripts
        self._kept: OrderedDict[str, Vectors] = OrderedDict()

    def may_vote(self, text: str) -> bool:
        return self._embedder.may_vote(text)

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.passages(texts)

    def query(self, text: str) -> Vectors:
        """The unit vector of a question; float32, shape (dimensions,)."""
        if text not in self._kept:
            self._kept[text] = self._embedder.query(text)
            while len(self._kept) > KEPT_QUERIES:
                self._kept.popitem(last=False)
        return self._kept[text]


def wanted(message: str, embedder: Embedder | None) -> tuple[bool, str]:
    """Whether a topic of the message needs memory, and which; looks at nothing but the message."""
    vector = embedder.query(message) if embedder is not None else None
    gate = wants_memory(message, vector, model_id=embedder.model_id if embedder is not None else "")
    return gate.wanted, gate.topic
