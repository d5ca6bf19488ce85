"""The recall engine: a question in, the facts that matter out.

analyse -> streams -> fuse -> follow links -> prefer current -> thin near copies -> fold restatements -> hits
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from shilu_core.index.index import Index
from shilu_core.index.rows import IndexBusy, Row, Unusable
from shilu_core.index.source import Source, VaultSource
from shilu_core.recall import fusion
from shilu_core.recall.choice import choose
from shilu_core.recall.question import Question, analyse
from shilu_core.recall.ranking import EMPTY, Ranking
from shilu_core.recall.results import Hit, Recall
from shilu_core.recall.streams import bigram, bm25, graph, trigram, vector
from shilu_core.recall.streams.vector import Vector, VectorRows
from shilu_core.recall.weights import NEAR_COPY_DEPTH, SEEDS
from shilu_core.vault import Vault


@dataclass(frozen=True)
class Status:
    """What the index holds beside what the vault holds; `stale` names notes that are not taken in yet."""

    notes: int
    facts: int
    passages: int
    vault_notes: int
    stale: tuple[str, ...]
    embedded: int = 0
    embedder: str = ""


class Engine:
    """Searches one vault; open once, refresh as files change, close at the end. One thread at a time."""

    def __init__(self, index: Index, source: Source, vectors: VectorRows | None = None) -> None:
        self.index, self._source, self.vectors = index, source, vectors

    @classmethod
    def open(cls, vault: Vault, cache: Path, *, embedder: object | None = None) -> Engine:
        """An engine over `vault`, up to date, its derived files below `cache`; raises IndexBusy."""
        source = VaultSource(vault)
        folder = cache / "index" / hashlib.sha256(source.name.encode()).hexdigest()[:16]
        engine = cls(Index.open(folder, source), source)
        engine.refresh()
        return engine

    def refresh(self) -> bool:
        """Takes in what changed in the vault; True if anything did."""
        return self.index.refresh()

    def status(self) -> Status:
        notes, facts, passages = self.index.counts()
        embedded = len(self.vectors) if self.vectors is not None else 0
        return Status(notes, facts, passages, len(self._source.notes()), tuple(self.index.stale()), embedded)

    def close(self) -> None:
        """Frees what the engine holds; it cannot be used after that."""
        self.index.close()

    def search(
        self,
        query: str,
        *,
        limit: int = 5,
        as_of: date | None = None,
        history: bool = False,
        query_vector: Vector | None = None,
    ) -> Recall:
        """The best `limit` hits; superseded facts only with `history`, `as_of` or a question of the past."""
        question = analyse(query)
        for _ in range(2):
            try:
                if self.index.intact:
                    return self._search(question, query, limit, as_of, history, query_vector)
            except (Unusable, IndexError):  # damaged while it was open: made anew, and asked again
                pass
            self.index.repair()
        raise IndexBusy(f"the index {self.index.folder} is damaged again and again; check the disk")

    def _search(
        self,
        question: Question,
        query: str,
        limit: int,
        as_of: date | None,
        history: bool,
        query_vector: Vector | None,
    ) -> Recall:
        past = history or as_of is not None or question.past
        rankings, failed = self._rankings(question, query_vector)
        fused = fusion.fuse(question, self.index, rankings, past=past)
        if len(fused.rows):
            top = fused.scores.argsort(kind="stable")[::-1][: 4 * SEEDS]
            seeds = {
                int(fused.rows[place]): float(fused.scores[place]) for place in top if fused.scores[place] > 0
            }
            rankings["graph"] = graph.rank(question, self.index, seeds, past=past)
            fused = fusion.with_links(fused, rankings["graph"])
        chosen = choose(self.index, fused, depth=max(NEAR_COPY_DEPTH, 2 * limit), limit=limit, as_of=as_of)
        hits = tuple(_hit(fused, rankings, *found) for found in chosen)
        notice, self.index.notice = self.index.notice, ""
        return Recall(query, hits, 0.0, not hits, failed, (notice,) if notice else ())

    def _rankings(
        self, question: Question, query_vector: Vector | None
    ) -> tuple[dict[str, Ranking], tuple[str, ...]]:
        """What each stream that needs no other one finds; a stream that fails is left out and named."""
        asked: dict[str, Callable[[], Ranking]] = {
            "bm25": lambda: bm25.rank(question, self.index),
            "bigram": lambda: bigram.rank(question, self.index),
            "trigram": lambda: trigram.rank(question, self.index),
        }
        vectors = self.vectors
        if query_vector is not None and vectors is not None:
            asked["vector"] = lambda: vector.rank(query_vector, vectors, self.index.dead)
        rankings: dict[str, Ranking] = {}
        failed = []
        for name, rank in asked.items():
            try:
                rankings[name] = rank()
            except (Unusable, IndexError, IndexBusy):
                raise
            except Exception as error:  # one stream's bug or model must not cost the turn the other four
                rankings[name] = EMPTY
                failed.append(f"{name}: {type(error).__name__}: {error}")
        return rankings, tuple(failed)


def _hit(
    fused: fusion.Fused,
    rankings: Mapping[str, Ranking],
    row: Row,
    score: float,
    same: Sequence[Row],
    against: Sequence[Row],
) -> Hit:
    return Hit(
        row.entry.fact,
        score,
        fusion.explained(fused, rankings, row.number),
        tuple(other.entry.fact for other in same),
        tuple(other.entry.fact for other in against),
        row.entry.title,
        row.entry.kind,
    )
