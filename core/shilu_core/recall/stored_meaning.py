"""An engine's vectors on disk: int8 rows in SQLite, their search file, filled in batches by whoever has the time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from shilu_core.embed import Embedder
from shilu_core.embed.fill import BackgroundFill, Progress, fill
from shilu_core.embed.search import RowVectors
from shilu_core.embed.store import VectorStore
from shilu_core.index.index import Index
from shilu_core.recall.meaning import Meaning, texts


class StoredMeaning(Meaning):
    """Vectors of the active model; rows whose text has none yet are ranked by the other streams alone."""

    def __init__(self, index: Index, embedder: Embedder, folder: Path) -> None:
        self._store = VectorStore(folder, embedder.model_id, embedder.dimensions)
        self._row_vectors = RowVectors(self._store)
        super().__init__(index, embedder, self._row_vectors)
        self._revision = -1
        self._background = BackgroundFill(folder, embedder)
        self.refresh()

    def refresh(self) -> None:
        """Takes in rows and vectors that came since."""
        if self._index.revision != self._revision:
            self._row_vectors.bind(self._index.vector)
            self._revision = self._index.revision
        self._row_vectors.refresh()

    def fill(self, report: Callable[[Progress], None], stop: Callable[[], bool] = lambda: False) -> Progress:
        """Embeds in the foreground what has no vector yet."""
        progress = fill(texts(self._index), self._store, self._embedder, report=report, stop=stop)
        self.refresh()
        return progress

    def fill_in_background(self) -> None:
        """Embeds behind everything else what has no vector yet; `progress` tells how far it is."""
        self._background.start(list(texts(self._index)))

    @property
    def progress(self) -> Progress:
        return self._background.progress

    def close(self) -> None:
        self._background.stop()
        self._row_vectors.close()
        self._store.close()


def stored_meaning(index: Index, embedder: Embedder, folder: Path) -> StoredMeaning:
    return StoredMeaning(index, embedder, folder)
