"""The fitted parts of recall as a turn uses them: the embedder, and the gate that shares its query vector."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from shilu_core.embed import Embedder
from shilu_core.embed.vectors import Vectors
from shilu_core.recall.gate import wants_memory
from shilu_core.recall.reduce import reduce

KEPT_QUERIES = 64


class OnceEmbedder:
    """An embedder that embeds a question once, though gate and search both ask for it.

    `begin` lets it be embedded while the streams that need no vector search: the models' own code holds no lock of
    Python's.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name, self.model_id = embedder.name, embedder.model_id
        self.dimensions, self.scripts = embedder.dimensions, embedder.scripts
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._begun: tuple[str, Future[Vectors]] | None = None
        self._worker = ThreadPoolExecutor(1, "question")

    def begin(self, text: str) -> None:
        """Starts to embed a question that is asked for in a moment."""
        if text not in self._kept:
            self._begun = (text, self._worker.submit(self._embedder.query, text))

    def may_vote(self, text: str) -> bool:
        return self._embedder.may_vote(text)

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.passages(texts)

    def query(self, text: str) -> Vectors:
        """The unit vector of a question; float32, shape (dimensions,)."""
        if text not in self._kept:
            begun, self._begun = self._begun, None
            is_it = begun is not None and begun[0] == text
            self._kept[text] = begun[1].result() if begun is not None and is_it else self._embedder.query(text)
            while len(self._kept) > KEPT_QUERIES:
                self._kept.popitem(last=False)
        return self._kept[text]


class Loading:
    """An embedder on its way, on a thread of its own: a model may take longer to load than a turn may wait."""

    def __init__(self, load: Callable[[], Embedder | None], late: Callable[[], None]) -> None:
        self._load, self._late = load, late
        self._found: Embedder | None = None
        self.failure = ""
        self._guard = threading.Lock()
        self._has_come, self._is_late = threading.Event(), False
        threading.Thread(target=self._run, name="embedder", daemon=True).start()

    def within(self, seconds: float | None) -> bool:
        """Whether it came in time; if not, `late` is called once it has come. None waits as long as it takes."""
        if self._has_come.wait(seconds):
            return True
        with self._guard:
            self._is_late = not self._has_come.is_set()
        return not self._is_late

    def embedder(self) -> OnceEmbedder | None:
        return OnceEmbedder(self._found) if self._found is not None else None

    def _run(self) -> None:
        try:
            self._found = self._load()
        except Exception as error:  # recall goes on without
            self.failure = f"the embedder can't be loaded: {type(error).__name__}: {error}"
        with self._guard:
            self._has_come.set()
        if self._is_late:
            self._late()


def wanted(message: str, embedder: Embedder | None) -> tuple[bool, str]:
    """Whether a topic of the message needs memory, and which; looks at nothing but the message."""
    vector = embedder.query(reduce(message)) if embedder is not None else None  # what the search asks for, too
    gate = wants_memory(message, vector, model_id=embedder.model_id if embedder is not None else "")
    return gate.wanted, gate.topic
