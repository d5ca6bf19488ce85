"""Shilu for the shared retrieval harness: `--system "shilu=bench/recall_adapter.py:Shilu"`.

Each store becomes a real index on disk, through the engine's own way of taking lines in; only the files of
a vault are left out (a document is one line, its group the note). `Lexical` leaves the vectors out.
SHILU_EMBED_CACHE names a folder of vectors that were made before (`recallbench embed`); what is missing is
embedded on the spot.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "core"))

from shilu_core.facts import Fact
from shilu_core.index.entries import Entry
from shilu_core.index.index import Index
from shilu_core.index.traits import SUPERSEDED
from shilu_core.recall.engine import Engine
from shilu_core.recall.meaning import Meaning, texts
from shilu_core.recall.memory_vectors import MemoryVectors
from shilu_core.recall.question import analyse
from shilu_core.recall.ranking import EMPTY
from shilu_core.recall.streams import STREAMS

sys.path.insert(0, str(Path(__file__).resolve().parent))
from bench_vectors import encoder


class Documents:
    """The harness's documents as an index source: one note a group, in their order."""

    name = "documents"

    def __init__(self, docs: Sequence[Any], superseded: frozenset[str]) -> None:
        self._groups: dict[str, list[Any]] = {}
        for number, doc in enumerate(docs):
            self._groups.setdefault(f"{doc.meta.get('group', '')}", []).append((number, doc))
        self._superseded = superseded

    def notes(self) -> Mapping[str, tuple[int, int]]:
        return {f"{number:07d}": (1, 1) for number in range(len(self._groups))}

    def digest(self, note: str) -> bytes:
        return hashlib.sha256(note.encode()).digest()[:16]

    def load(self, note: str) -> tuple[bytes, Sequence[Entry]]:
        group = list(self._groups.values())[int(note)]
        return self.digest(note), [self._entry(number, doc, note) for number, doc in group]

    def _entry(self, number: int, doc: Any, note: str) -> Entry:
        meta = doc.meta
        speaker = str(meta.get("speaker", ""))
        # Turns of a dialogue and sentences of an undated document follow each other; dated records stand
        # alone.
        flow = note if meta.get("group") and (speaker or "date" not in meta) else ""
        kind = "fact"
        fact = Fact(f"d{number}", doc.text, note, number, number + 1, superseded=doc.id in self._superseded)
        return Entry(fact, str(meta.get("title", "")).replace("_", " "), kind, flow, speaker)


class Lexical:
    """Four streams: no vectors."""

    supersession = True

    def index(self, docs: Sequence[Any]) -> None:
        former = frozenset(str(doc.meta["supersedes"]) for doc in docs if doc.meta.get("supersedes"))
        self._folder = Path(tempfile.mkdtemp(prefix="shilu-bench-"))
        source = Documents(docs, former if self.supersession else frozenset())
        index = Index.open(self._folder / "index", source)
        index.refresh()
        self._engine = Engine(index, source, self._meaning(index))
        self._ids = [doc.id for doc in docs]

    def _meaning(self, index: Index) -> Meaning | None:
        return None

    def search(self, query: str, k: int) -> list[str]:
        recall = self._engine.search(query, limit=k)
        out = []
        for hit in recall.hits:
            out.append(self._ids[int(hit.fact.id[1:])])
        return out

    def close(self) -> None:
        self._engine.close()
        shutil.rmtree(self._folder, ignore_errors=True)


class Shilu(Lexical):
    """All five streams."""

    def _meaning(self, index: Index) -> Meaning:
        store = encoder(os.environ.get("SHILU_EMBED_CACHE")).store(list(texts(index)))
        return Meaning(index, store, MemoryVectors(store.matrix))


class Inferring(Shilu):
    """As Shilu, but which facts are superseded is not told."""

    supersession = False


class _Only(Shilu):
    """One stream alone, as it ranks: what the fused result must not fall behind."""

    stream = ""

    def search(self, query: str, k: int) -> list[str]:
        question = analyse(query)
        engine = self._engine
        if self.stream == "vector":
            ranking = engine.meaning.rank(question) if engine.meaning else EMPTY
        else:
            ranking = STREAMS[self.stream].rank(question, engine.index)
        rows = [row for row in ranking.rows if not engine.index.traits[row] & SUPERSEDED][:k]
        stored = engine.index.rows(rows)
        return [self._ids[int(stored[int(row)].entry.fact.id[1:])] for row in rows]


class OnlyBm25(_Only):
    stream = "bm25"


class OnlyBigram(_Only):
    stream = "bigram"


class OnlyTrigram(_Only):
    stream = "trigram"


class OnlyVector(_Only):
    stream = "vector"
