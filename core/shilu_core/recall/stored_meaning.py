"""An engine's vectors on disk: int8 rows in SQLite, their search file, filled in batches by whoever has the time."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from shilu_core.embed import Embedder
from shilu_core.embed.fill import BackgroundFill, Progress, fill
from shilu_core.embed.search import RowVectors
from shilu_core.embed.store import VectorStore, discard, is_passing
from shilu_core.index.index import Index
from shilu_core.index.rows import IndexBusy
from shilu_core.recall.meaning import Meaning, texts_of
from shilu_core.recall.question import Question
from shilu_core.recall.ranking import EMPTY, Ranking

# Share of the live rows that have a vector before meaning votes. With a few only, the best line has none, another one's
# cosine stands in its place, and right answers are judged not to answer: on vault-example 0.61 without vectors, 0.05
# with a twentieth of them, 0.96 from half of them on.
LEAST_COVERED = 0.6
_LOOK_AGAIN = 2.0  # seconds between looks at what a background run has made


class StoredMeaning(Meaning):
    """Vectors of the active model; rows whose text has none yet are ranked by the other streams alone."""

    def __init__(self, index: Index, embedder: Embedder, folder: Path) -> None:
        self._folder = folder
        self._store, self._row_vectors = _opened(folder, embedder)
        super().__init__(index, embedder, self._row_vectors)
        self._revision = -1
        self._looked, self._seen, self._again = 0.0, 0, False
        self._background = BackgroundFill(folder, embedder)
        self.refresh()

    def refresh(self) -> None:
        """Takes in rows and vectors that came since; a store that was damaged or removed is begun anew."""
        try:
            if self._store.replaced:
                self._reopen()
            self._take_in()
        except (sqlite3.Error, OSError):
            self._reopen()
            self._take_in()

    def _reopen(self) -> None:
        self._row_vectors.close()
        self._store.close()
        self._store, self._row_vectors = _opened(self._folder, self._embedder)
        self.rows, self._revision = self._row_vectors, -1

    def _take_in(self) -> None:
        if self._index.revision != self._revision:
            self._row_vectors.bind(self._index.vector)
            self._revision = self._index.revision
        self._row_vectors.refresh()

    def rank(self, question: Question) -> Ranking:
        """As Meaning's, with the vectors that a background run has made by now."""
        if time.monotonic() - self._looked > _LOOK_AGAIN and self._background.progress.done != self._seen:
            self._row_vectors.refresh()
            self._looked, self._seen = time.monotonic(), self._background.progress.done
        if self._again and self._background.wait(0):
            self.fill_in_background()
        if len(self) < LEAST_COVERED * self._index.live:
            return EMPTY
        return super().rank(question)

    def _without_vector(self) -> list[str]:
        """Texts of live rows that have no vector yet."""
        rows = np.flatnonzero(~self._index.dead)
        return texts_of(self._index, rows[~np.isin(self._index.vector[rows], self._store.keys())])

    def fill(self, report: Callable[[Progress], None], stop: Callable[[], bool] = lambda: False) -> Progress:
        """Embeds in the foreground what has no vector yet."""
        progress = fill(self._without_vector(), self._store, self._embedder, report=report, stop=stop)
        self.refresh()
        return progress

    def fill_in_background(self) -> None:
        """Embeds behind everything else what has no vector yet; lines that came during a run are next."""
        self._again = not self._background.wait(0)
        if not self._again and (todo := self._without_vector()):
            self._background.start(todo)

    @property
    def progress(self) -> Progress:
        return self._background.progress

    def close(self) -> None:
        self._background.stop()
        self._row_vectors.close()
        self._store.close()


def _opened(folder: Path, embedder: Embedder) -> tuple[VectorStore, RowVectors]:
    """The store and its vectors ready to search; a store whose damage shows only now is begun anew."""
    for _ in range(2):
        store = VectorStore(folder, embedder.model_id, embedder.dimensions)
        try:
            return store, RowVectors(store)
        except sqlite3.Error as error:
            store.close()
            if is_passing(error):
                raise
            discard(store.path)
    raise IndexBusy(f"the vectors in {folder} are damaged again and again; check the disk")


def stored_meaning(index: Index, embedder: Embedder, folder: Path) -> StoredMeaning:
    return StoredMeaning(index, embedder, folder)
