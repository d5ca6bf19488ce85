"""Lines reached over shared things: from the best lines so far, along hosts, services, people, files, tags,
links.

"Which host does the database of X run on, and its address?" is answered by two lines, of which the second
shares no word with the question. The spread is a bounded push (Andersen, Chung, Lang, "Local graph
partitioning using PageRank vectors", 2006, in spirit): from few seeds, over capped neighbour lists, at most
two hops. A line that states what was asked for (an address, a port, a person) ranks just behind the line
that leads to it; others far behind.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shilu_core.entities import entities
from shilu_core.index.index import Index
from shilu_core.index.postings import term_key
from shilu_core.index.terms import inside, mention, subject
from shilu_core.index.traits import SUPERSEDED
from shilu_core.recall.question import Question
from shilu_core.recall.ranking import EMPTY, Ranking, Rows, Scores
from shilu_core.recall.weights import HOPS, PER_SEED, SEEDS, WEIGHTS
from shilu_core.words import stem

MOST_NEIGHBOURS = 64  # lines looked at per thing: what everything mentions leads nowhere
_NEARNESS = 0.05  # between equal links the line that fits the question better goes first


class Names:
    """The plain words that some line defines as a name, for `entities`."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self._index.is_name(word)


class Things(Names):
    """As Names, with every word that some line mentions as a thing: a question may write it in lower case."""

    def __contains__(self, word: object) -> bool:
        if not isinstance(word, str):
            return False
        return super().__contains__(word) or self._index.fields["graph"].holding(term_key(mention(word))) > 0


def rank(question: Question, index: Index, seeds: Mapping[int, float], *, past: bool = False) -> Ranking:
    """Rows reached from `seeds` (row -> fused score so far), each with the score that its link grants it."""
    named = question.named(Things(index))
    push = _Push(question, index, seeds, named, past)
    for _ in range(HOPS):
        if not push.step():
            break
    if not push.reached:
        return EMPTY
    order = index.in_order(push.reached)
    rows = np.array([row for row, _ in order], np.int32)
    values = np.array([score for _, score in order], np.float32)
    reached = push.reached
    return Ranking(rows, values, lambda wanted: np.array([reached.get(int(row), 0.0) for row in wanted], np.float32))


class _Push:
    """The spread so far: what was reached, and from which rows nothing more is to be had."""

    def __init__(
        self, question: Question, index: Index, seeds: Mapping[int, float], named: frozenset[str], past: bool
    ) -> None:
        self._question, self._index, self._seeds, self._named, self._past = question, index, seeds, named, past
        self.reached: dict[int, float] = {}
        self._pushed: dict[int, float] = {}

    def step(self) -> bool:
        """One hop from the best rows of now; False where it changes nothing."""
        scores = dict(self._seeds)
        for row, score in self.reached.items():
            scores[row] = max(score, scores.get(row, 0.0))
        best = self._index.in_order(scores)[:SEEDS]
        new = [(row, score) for row, score in best if self._pushed.get(row) != score]
        stored = self._index.rows([row for row, _ in new]) if new else {}
        for row, score in new:
            self._pushed[row] = score
            if row in stored:
                self._from(row, score, stored[row].entry.fact.text)
        return bool(new)

    def _from(self, source: int, score: float, text: str) -> None:
        """Grants the best linked lines of one row their share of its score."""
        keys = sorted({entity.key for entity in entities(text, Names(self._index))} - self._named)
        if not keys:
            return
        found = [neighbours(self._index, key) for key in keys]
        rows = np.concatenate([rows for rows, _ in found])
        strengths = np.concatenate([strengths for _, strengths in found])
        kept = rows != source
        if not self._past:
            kept &= self._index.traits[rows] & SUPERSEDED == 0
        rows, strengths = rows[kept], strengths[kept]
        fits = self._index.traits[rows] & self._question.asked > 0
        shares = strengths * np.where(fits, WEIGHTS.link, WEIGHTS.other_link)
        for row, own in self._seeds.items():
            shares[rows == row] += _NEARNESS * min(own / score, 1.0) * WEIGHTS.link
        taken: set[int] = set()
        for place in np.lexsort((self._index.identity[rows], -shares)):
            row = int(rows[place])
            if row not in taken:
                taken.add(row)
                share = min(float(shares[place]), WEIGHTS.link * (1 + _NEARNESS))
                self.reached[row] = max(self.reached.get(row, 0.0), share * score)
            if len(taken) == PER_SEED:
                break


def neighbours(index: Index, key: str) -> tuple[Rows, Scores]:
    """Live rows that are about a thing (strength 1) or mention it, the newest of too many."""
    about = _rows(index, "graph", subject(key))
    near = _rows(index, "graph", mention(key))
    if index.is_name(key):
        near = np.concatenate([near, _rows(index, "words", stem(key))])
    near = np.concatenate([near, _rows(index, "graph", inside(key))])
    strengths = np.full(len(about) + len(near), WEIGHTS.mention, np.float32)
    strengths[: len(about)] = 1.0
    return np.concatenate([about, near]), strengths


def _rows(index: Index, field: str, token: str) -> Rows:
    found = index.fields[field].rows_with(term_key(token))[-2 * MOST_NEIGHBOURS :]
    return found[~index.dead[found]][-MOST_NEIGHBOURS:]
