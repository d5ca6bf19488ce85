"""The recall engine: a question in, the facts that matter out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shilu_core.index.entries import Entry, entries_of
from shilu_core.index.postings import Postings, PostingsBuilder, frequencies, inverse_frequency, term_key
from shilu_core.recall.results import Hit, Recall, StreamRank
from shilu_core.recall.words import Tokens, tokens
from shilu_core.vault import Vault

PAST = re.compile(
    r"以前|之前|原来|原先|曾经|从前|过去|旧的|当时|历史上|\b(?:used to|before|previous(?:ly)?|former(?:ly)?|"
    r"original(?:ly)?|in the past|back then|old|earlier)\b",
    re.IGNORECASE,
)
FIELD_SHARE = 0.3
STREAMS = (("bm25", 1.0), ("bigram", 1.0), ("trigram", 0.4))


@dataclass(frozen=True)
class Status:
    """What the index holds beside what the vault holds."""

    notes: int
    facts: int
    passages: int
    vault_notes: int
    stale: bool
    embedded: int = 0
    embedder: str = ""


class Engine:
    """Searches one vault; open once, refresh as files change, close at the end."""

    def __init__(self, vault: Vault, cache: Path) -> None:
        self._vault, self._cache = vault, cache
        self._seen: dict[str, tuple[int, int]] = {}
        self._entries: list[Entry] = []
        self._postings: dict[str, Postings] = {}

    @classmethod
    def open(cls, vault: Vault, cache: Path, *, embedder: object | None = None) -> Engine:
        """An engine over `vault` whose derived files stand below `cache`; brings itself up to date first."""
        engine = cls(vault, cache)
        engine.refresh()
        return engine

    def _state(self) -> dict[str, tuple[int, int]]:
        out = {}
        for note in self._vault.note_ids():
            try:
                status = self._vault.note_path(note).stat()
            except OSError:
                continue
            out[note] = (status.st_size, status.st_mtime_ns)
        return out

    def refresh(self) -> bool:
        """Takes in what changed in the vault; whether anything had."""
        state = self._state()
        if state == self._seen and self._postings:
            return False
        self._seen = state
        self._entries = [entry for note in state for entry in entries_of(self._vault.parse(note))]
        builders = {name: PostingsBuilder() for name, _ in STREAMS}
        for entry in self._entries:
            body, weak = tokens(entry.fact.text), tokens(f"{entry.title} {entry.fact.heading}")
            for name, kind in (("bm25", "words"), ("bigram", "pairs"), ("trigram", "trigrams")):
                share = 0.0 if name == "trigram" else FIELD_SHARE
                builders[name].add(frequencies(getattr(body, kind), getattr(weak, kind), share))
        count = max(1, len(self._entries))
        self._postings = {
            name: builder.build(builder.total_length / count) for name, builder in builders.items()
        }
        return True

    def status(self) -> Status:
        facts = sum(entry.kind == "fact" for entry in self._entries)
        state = self._state()
        return Status(len(self._seen), facts, len(self._entries) - facts, len(state), state != self._seen)

    def close(self) -> None:
        """Frees what the engine holds; it cannot be used after that."""
        self._entries, self._postings = [], {}

    def search(
        self, query: str, *, limit: int = 5, as_of: date | None = None, history: bool = False
    ) -> Recall:
        """The best `limit` hits; superseded facts only with `history`, `as_of` or a question of the past."""
        found = tokens(query)
        scores = {name: self._scores(name, found) for name, _ in STREAMS}
        total = np.zeros(len(self._entries), np.float32)
        for name, weight in STREAMS:
            total += weight * scores[name]
        past = history or as_of is not None or bool(PAST.search(query))
        rows = [int(row) for row in np.argsort(-total, kind="stable")[: limit * 8] if total[row] > 0]
        hits = [
            self._hit(row, scores, total) for row in rows if past or not self._entries[row].fact.superseded
        ]
        return Recall(
            query,
            tuple(_folded(hits))[:limit],
            answered=min(1.0, hits[0].score / 10) if hits else 0.0,
            weak=not hits,
        )

    def _scores(self, name: str, found: Tokens) -> NDArray[np.float32]:
        postings = self._postings[name]
        out = np.zeros(len(self._entries), np.float32)
        kind = {"bm25": found.words, "bigram": found.pairs, "trigram": found.trigrams}[name]
        for token in dict.fromkeys(kind):
            start, end = postings.find(term_key(token))
            if end > start:
                out[postings.rows[start:end]] += (
                    inverse_frequency(len(out), end - start) * postings.weights[start:end]
                )
        return out

    def _hit(self, row: int, scores: dict[str, NDArray[np.float32]], total: NDArray[np.float32]) -> Hit:
        entry = self._entries[row]
        ranks = {
            name: StreamRank(
                int((scores[name] > scores[name][row]).sum()) + 1, float(scores[name][row]), weight
            )
            for name, weight in STREAMS
            if scores[name][row] > 0
        }
        return Hit(entry.fact, float(total[row]), ranks, title=entry.title, kind=entry.kind)


def _folded(hits: Iterable[Hit]) -> list[Hit]:
    seen: set[str] = set()
    out = []
    for hit in hits:
        key = " ".join(sorted(tokens(hit.fact.text).words + tokens(hit.fact.text).pairs))
        if key not in seen:
            out.append(hit)
        seen.add(key)
    return out
