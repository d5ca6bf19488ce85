"""Which known facts may concern a submitted one: BM25 over words, character pairs, concepts and values.

The known facts' terms go into the posting lists that the search index uses (`shilu_core.index.postings`);
the lines of a batch are ranked by rank-bm25's `BM25Okapi`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from rank_bm25 import BM25Okapi
from shilu_core.folding import fold
from shilu_core.index.postings import PostingsBuilder, inverse_frequency, term_key
from shilu_core.words import stem

from shilu_inbox.judge.analysis import analyse
from shilu_inbox.judge.lexicon import FUNCTION_WORDS, concepts

# Six by all terms and six by those of no value: a rare value must not crowd out facts on the same subject.
KNOWN_CANDIDATES = 6
EARLIER_CANDIDATES = 6
_RUN = re.compile(r"[a-z0-9]+(?:[._/:@+#-]+[a-z0-9]+)*|[㐀-鿿぀-ヿ가-힯]+")
_PART = re.compile(r"[a-z0-9]+")
_LONGEST_RUN = 64  # longer ones are base64, hashes and the like
_COMMON = 0.5  # a term in more than half of many facts finds nothing that others do not
_MANY = 2_000  # facts; below, common terms are cheap and sometimes all there is


def terms(text: str) -> list[str]:
    """What a fact is found by: stemmed words, character pairs and the concepts of its words.

    Leaner than `shilu_core.words.tokens`, which also makes trigrams: 100,000 facts are read at each review.
    """
    listed: list[str] = []
    for run in _RUN.findall(text.casefold() if text.isascii() else fold(text)):
        if run[0].isascii():
            listed.extend(_latin_terms(run))
        else:
            listed.extend(run[at : at + 2] for at in range(len(run) - 1))
            listed.extend(_han_concepts(run))
    return listed


@lru_cache(maxsize=200_000)
def _latin_terms(run: str) -> tuple[str, ...]:
    """The words of one run such as `order-svc`, their concepts, and the run itself if it has several words."""
    known = concepts()
    words = [stem(part) for part in _PART.findall(run[:_LONGEST_RUN]) if part not in FUNCTION_WORDS]
    listed = words + [f"={known.stems[word]}" for word in words if word in known.stems]
    return tuple(listed if len(words) < 2 else [*listed, run[:_LONGEST_RUN]])


def _han_concepts(run: str) -> list[str]:
    known = concepts()
    longest = _longest_by_first()
    found, at = [], 0
    while at < len(run):
        for length in range(min(longest.get(run[at], 0), len(run) - at), 1, -1):
            if concept := known.han.get(run[at : at + length]):
                found.append(f"={concept}")
                at += length
                break
        else:
            at += 1
    return found


@lru_cache(maxsize=1)
def _longest_by_first() -> dict[str, int]:
    """The length of the longest known word by its first character."""
    longest: dict[str, int] = {}
    for word in concepts().han:
        longest[word[0]] = max(len(word), longest.get(word[0], 0))
    return longest


class KnownCandidates:
    """Posting lists over the known facts' texts."""

    def __init__(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> None:
        builder = PostingsBuilder()
        for at, text in enumerate(texts):
            builder.add(Counter(terms(text)))
            if progress and at % 1000 == 0:
                progress(at)
        self._postings = builder.build(builder.mean_length)
        self._scores = np.zeros(len(texts), dtype=np.float32)

    def nearest(self, text: str, limit: int = KNOWN_CANDIDATES) -> list[int]:
        """At most twice `limit` rows that share the rarest terms with `text`, best first."""
        found = self._ranked(set(terms(text)), limit)
        subject = self._ranked(set(terms(without_values(text))), limit)
        return found + [row for row in subject if row not in found]

    def _ranked(self, wanted: set[str], limit: int) -> list[int]:
        total = len(self._scores)
        self._scores[:] = 0.0
        for term in sorted(wanted):
            start, end = self._postings.find(term_key(term))
            if start == end or (total > _MANY and end - start > _COMMON * total):
                continue
            rows = self._postings.rows[start:end]
            self._scores[rows] += inverse_frequency(total, end - start) * self._postings.weights[start:end]
        found = np.flatnonzero(self._scores)
        if len(found) > limit:
            least = np.partition(self._scores[found], -limit)[-limit]
            found = found[self._scores[found] >= least]
        order = np.lexsort((found, -self._scores[found]))[:limit]
        return [int(row) for row in found[order]]


def without_values(text: str) -> str:
    """The folded text with its values, and identifiers behind its predicate, left out."""
    fact = analyse(text)
    characters = list(fact.folded)
    for value in fact.values:
        characters[value.start : value.end] = " " * (value.end - value.start)
    for token in fact.tokens:
        if token.kind == "name" and not token.head and any(character.isdigit() for character in token.text):
            characters[token.start : token.start + len(token.text)] = " " * len(token.text)
    return "".join(characters)


class EarlierCandidates:
    """The lines of a batch, ranked by BM25Okapi; a line sees only those before it."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._terms = [terms(text) or ["-"] for text in texts]
        self._ranking = BM25Okapi(self._terms) if texts else None

    def nearest(self, line: int, open_lines: Sequence[int], limit: int = EARLIER_CANDIDATES) -> list[int]:
        """Of `open_lines`, all before `line`, those that resemble it most; few lines are all taken."""
        if self._ranking is None or len(open_lines) <= limit:
            return list(open_lines)
        scores = self._ranking.get_batch_scores(self._terms[line], list(open_lines))
        order = sorted(zip(scores, open_lines, strict=True), key=lambda scored: (-scored[0], scored[1]))
        return [found for _, found in order[:limit]]
