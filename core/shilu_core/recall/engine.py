"""The recall engine: a question in, the facts that matter out.

analyse -> streams -> fuse -> follow links -> prefer current -> fold restatements -> hits
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from shilu_core.facts import Fact
from shilu_core.index.index import TRIES, Index
from shilu_core.index.rows import IndexBusy, Row, Unusable
from shilu_core.index.source import Source, VaultSource
from shilu_core.recall import fusion
from shilu_core.recall.abstain import judge
from shilu_core.recall.choice import choose
from shilu_core.recall.evidence import evidence_of
from shilu_core.recall.fusion import Fused
from shilu_core.recall.question import Question, separate
from shilu_core.recall.ranking import EMPTY, Ranking
from shilu_core.recall.results import Hit, Recall, StreamRank
from shilu_core.recall.streams import bigram, bm25, graph, trigram
from shilu_core.recall.weights import MOST_CHOSEN, SEEDS
from shilu_core.vault import Vault

if TYPE_CHECKING:
    from shilu_core.embed import Embedder
    from shilu_core.recall.meaning import Meaning

Rankings = dict[str, Ranking]
Answer = TypeVar("Answer")


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

    def __init__(self, index: Index, source: Source, meaning: Meaning | None = None) -> None:
        self.index, self.meaning, self._source = index, meaning, source
        self._without_meaning = ""  # why the stream of meaning is left out

    @classmethod
    def open(
        cls, vault: Vault, cache: Path, *, embedder: Embedder | None = None, source: Source | None = None
    ) -> Engine:
        """An engine over `vault`, up to date, its derived files below `cache`; raises IndexBusy.

        `source` gives the vault's notes and more, where recall covers more than the vault.
        """
        source = VaultSource(vault) if source is None else source
        folder = cache / "index" / hashlib.sha256(source.name.encode()).hexdigest()[:16]
        engine = cls(Index.open(folder, source), source)
        engine.index.refresh()
        if embedder is not None:
            engine.embed_with(embedder)
        return engine

    def embed_with(self, embedder: Embedder) -> None:
        """Adds the stream of meaning, for an embedder that was loaded after the engine was opened."""
        from shilu_core.recall.stored_meaning import stored_meaning

        try:
            self.meaning = stored_meaning(self.index, embedder, self.index.folder / "vectors")
        except (sqlite3.Error, OSError, IndexBusy) as error:  # the other four streams answer
            self._without_meaning = f"vector: {error}"

    def refresh(self) -> bool:
        """Takes in what changed in the vault; True if anything did."""
        changed = self.index.refresh()
        if self.meaning is not None:
            try:
                self.meaning.refresh()
            except (sqlite3.Error, OSError, IndexBusy) as error:
                self.meaning, self._without_meaning = None, f"vector: {error}"
        return changed

    def embed_in_background(self) -> None:
        """Begins to embed what has no vector yet, behind everything else; searching goes on meanwhile."""
        if self.meaning is not None:
            with suppress(Unusable, sqlite3.Error):  # damaged just now: the next refresh mends it
                self.meaning.fill_in_background()

    def status(self) -> Status:
        notes, facts, passages = self._mended(self.index.counts)
        stale = tuple(self.index.stale())
        embedded, name = (len(self.meaning), self.meaning.name) if self.meaning is not None else (0, "")
        return Status(notes, facts, passages, len(self._source.notes()), stale, embedded, name)

    def find(self, identity: str) -> tuple[Fact, ...]:
        """The facts with this id."""
        return tuple(row.entry.fact for row in self._mended(lambda: self.index.with_id(identity)))

    def close(self) -> None:
        """Frees what the engine holds; it cannot be used after that."""
        self.index.close()
        if self.meaning is not None:
            self.meaning.close()

    def search(self, query: str, *, limit: int = 5, as_of: date | None = None, history: bool = False) -> Recall:
        """The best `limit` hits; superseded facts only with `history`, `as_of` or a question of the past."""
        return self._mended(lambda: self._search(query, limit, as_of, history))

    def _mended(self, ask: Callable[[], Answer]) -> Answer:
        """What `ask` gives; an index that is damaged or replaced while it is asked is made anew first."""
        unreadable = 0
        for _ in range(TRIES):
            try:
                if self.index.intact:
                    return ask()
            except (Unusable, IndexError):
                unreadable += 1
            except IndexBusy:  # what SQLite says of a file that was removed, too
                if not self.index.replaced:
                    raise
            self.index.repair(anew=unreadable > 1)
        raise IndexBusy(f"the index {self.index.folder} is damaged again and again; check the disk")

    def _search(self, query: str, limit: int, as_of: date | None, history: bool) -> Recall:
        questions = separate(query)
        past = history or as_of is not None or questions[0].past
        failed: dict[str, str] = {}
        parts: list[tuple[Fused, Rankings]] = []
        for question in questions:
            rankings = self._rankings(question, failed)
            fused = fusion.fuse(question, self.index, rankings, past=past)
            parts.append((self._linked(question, fused, rankings, past), rankings))
        fused = fusion.united([part for part, _ in parts])
        chosen = choose(self.index, fused, depth=max(MOST_CHOSEN, 2 * limit), limit=limit, as_of=as_of)
        streams = fusion.explained(fused, [rankings for _, rankings in parts], [row.number for row, *_ in chosen])
        hits = tuple(_hit(ranks, *found) for ranks, found in zip(streams, chosen, strict=True))
        notice, self.index.notice = self.index.notice, ""
        left_out = tuple(f"{name}: {reason}" for name, reason in failed.items())
        left_out += (self._without_meaning,) if self._without_meaning and self.meaning is None else ()
        model_id = self.meaning.model_id if self.meaning is not None else ""
        judged = judge(questions[0].text, hits, evidence_of(self.index, [rankings for _, rankings in parts], model_id))
        return Recall(query, hits, judged.answered, judged.weak, left_out, (notice,) if notice else ())

    def _linked(self, question: Question, fused: Fused, rankings: Rankings, past: bool) -> Fused:
        """The candidates with what the graph reaches from the best of them."""
        top = fused.scores.argsort(kind="stable")[::-1][: 4 * SEEDS]
        seeds = {int(fused.rows[place]): float(fused.scores[place]) for place in top if fused.scores[place] > 0}
        rankings["graph"] = graph.rank(question, self.index, seeds, past=past)
        return fusion.with_links(fused, rankings["graph"])

    def _rankings(self, question: Question, failed: dict[str, str]) -> Rankings:
        """What each stream that needs no other one finds; a stream that fails is left out and named."""
        asked: dict[str, Callable[[], Ranking]] = {
            "bm25": lambda: bm25.rank(question, self.index),
            "bigram": lambda: bigram.rank(question, self.index),
            "trigram": lambda: trigram.rank(question, self.index),
        }
        meaning = self.meaning
        if meaning is not None:
            asked["vector"] = lambda: meaning.rank(question)
        rankings: Rankings = {}
        for name, rank in asked.items():
            try:
                rankings[name] = rank()
            except (Unusable, IndexError, IndexBusy):
                raise
            except Exception as error:  # one stream's bug or model must not cost the turn the other four
                rankings[name] = EMPTY
                failed[name] = f"{type(error).__name__}: {error}"
        return rankings


def _hit(streams: Mapping[str, StreamRank], row: Row, score: float, same: Sequence[Row], against: Sequence[Row]) -> Hit:
    return Hit(
        row.entry.fact,
        score,
        streams,
        tuple(other.entry.fact for other in same),
        tuple(other.entry.fact for other in against),
        row.entry.title,
        row.entry.kind,
    )
