"""Lines reached over shared things: from the best lines so far, along hosts, services, people, files, tags,
links.

"Which host does the database of X run on, and its address?" is answered by two lines, of which the second
shares no word with the question. The spread is a bounded push (Andersen, Chung, Lang, "Local graph
partitioning using PageRank vectors", 2006, in spirit): from few seeds, over capped neighbour lists, at most
two hops. A line that states what was asked for (an address, a port, a person) ranks just behind the line
that leads to it; others far behind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shilu_core.entities import entities
from shilu_core.index.index import Index
from shilu_core.index.postings import term_key
from shilu_core.index.terms import inside, mention, subject
from shilu_core.index.traits import SUPERSEDED
from shilu_core.recall.links import by_rare_words, linked_shares
from shilu_core.recall.question import Question
from shilu_core.recall.ranking import EMPTY, Ranking, Rows, Scores
from shilu_core.recall.weights import HOPS, PER_SEED, SEEDS, WEIGHTS
from shilu_core.words import stem

Piece = tuple[Rows, float]
MOST_NEIGHBOURS = 64  # lines looked at per thing: what everything mentions leads nowhere
RARE_SEEDS = 2  # best lines whose rare words are followed, too: names are surer and cost less
UNCROWDED = 4  # lines that name a thing and still tell something of each other
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
    if not seeds:
        return EMPTY
    push = _Push(question, index, seeds, named, past)
    for _ in range(HOPS):
        if not push.step():
            break
    if not push.reached:
        return EMPTY
    order = index.in_order(push.reached)
    rows = np.array([row for row, _ in order], np.int32)
    values = np.array([score for _, score in order], np.float32)
    ascending = np.argsort(rows)
    return Ranking(rows, values, lambda wanted: _looked_up(rows[ascending], values[ascending], wanted))


def _looked_up(rows: Rows, values: NDArray[Any], wanted: Rows) -> NDArray[Any]:
    """The value of each wanted row, 0 where it is not among `rows` (ascending, at least one)."""
    places = np.minimum(np.searchsorted(rows, wanted), len(rows) - 1)
    return np.where(rows[places] == wanted, values[places], values.dtype.type(0))


class _Push:
    """The spread so far: what was reached, and from which rows nothing more is to be had."""

    def __init__(
        self, question: Question, index: Index, seeds: Mapping[int, float], named: frozenset[str], past: bool
    ) -> None:
        self._question, self._index, self._seeds, self._named, self._past = question, index, seeds, named, past
        rows = sorted(seeds)
        self._own = (np.array(rows, np.int32), np.array([seeds[row] for row in rows], np.float64))
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
        texts = {row: found.entry.fact.text for row, found in stored.items()}
        keys = {row: self._keys(text) for row, text in texts.items()}
        near = pieces(self._index, sorted(set().union(*keys.values())))
        for row, score in new:
            self._pushed[row] = score
            if row in texts:
                linked = [piece for key in keys[row] for piece in near[key]]
                if (row, score) in best[:RARE_SEEDS]:
                    linked.append(by_rare_words(self._index, self._question, texts[row]))
                if linked:
                    self._from(row, score, linked)
        return bool(new)

    def _keys(self, text: str) -> list[str]:
        """What a line names and the question does not."""
        return sorted({entity.key for entity in entities(text, Names(self._index))} - self._named)

    def _from(self, source: int, score: float, near: Sequence[Piece]) -> None:
        """Grants the best linked lines of one row their share of its score."""
        rows, strengths = _joined(near)
        kept = rows != source
        traits = self._index.traits[rows]
        if not self._past:
            kept &= traits & SUPERSEDED == 0
        rows, strengths, traits = rows[kept], strengths[kept], traits[kept]
        shares = strengths * linked_shares(traits, self._question.asked)
        shares += _NEARNESS * np.minimum(_looked_up(*self._own, rows) / score, 1.0) * WEIGHTS.link
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
    """Live rows that are about a thing (strength 1) or mention it (less, the more do), the newest of too many."""
    return _joined(pieces(index, [key])[key])


def pieces(index: Index, keys: Sequence[str]) -> dict[str, list[Piece]]:
    """The neighbours of many things, each as rows with one strength."""
    tokens = [(subject(key), mention(key), inside(key)) for key in keys]
    found = iter(index.fields["graph"].rows_with([term_key(token) for three in tokens for token in three]))
    out = {}
    for key, about, named, within in zip(keys, found, found, found, strict=True):
        more = index.fields["words"].rows_with([term_key(stem(key))]) if index.is_name(key) else []
        first, *others = (_newest(index, rows) for rows in (about, named, *more, within))
        crowd = max(len(first) + sum(len(rows) for rows in others), UNCROWDED)
        weak = WEIGHTS.mention * float(np.sqrt(UNCROWDED / crowd))
        out[key] = [(first, 1.0), *((rows, weak) for rows in others)]
    return out


def _newest(index: Index, rows: Rows) -> Rows:
    found = rows[-2 * MOST_NEIGHBOURS :]
    return found[~index.dead[found]][-MOST_NEIGHBOURS:] if len(found) else found


def _joined(near: Sequence[Piece]) -> tuple[Rows, Scores]:
    strengths = np.array([strength for _, strength in near], np.float32)
    return np.concatenate([rows for rows, _ in near]), np.repeat(strengths, [len(rows) for rows, _ in near])
