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
from shilu_core.index.terms import mention, subject
from shilu_core.index.traits import SUPERSEDED
from shilu_core.recall.question import Question
from shilu_core.recall.ranking import EMPTY, Ranking, Rows
from shilu_core.recall.weights import HOPS, PER_SEED, SEEDS, WEIGHTS
from shilu_core.words import stem

MOST_NEIGHBOURS = 128  # lines looked at per thing: what everything mentions leads nowhere
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
    reached: dict[int, float] = {}
    for _ in range(HOPS):
        scores = {**seeds, **{row: max(score, seeds.get(row, 0.0)) for row, score in reached.items()}}
        best = index.in_order(scores)[:SEEDS]
        if not best:
            return EMPTY
        stored = index.rows([row for row, _ in best])
        for row, score in best:
            if row in stored:
                _push(question, index, row, score, stored[row].entry.fact.text, named, seeds, reached, past)
    if not reached:
        return EMPTY
    order = index.in_order(reached)
    rows = np.array([row for row, _ in order], np.int32)
    values = np.array([score for _, score in order], np.float32)
    return Ranking(rows, values, lambda wanted: np.array([reached.get(int(row), 0.0) for row in wanted], np.float32))


def _push(
    question: Question,
    index: Index,
    source: int,
    score: float,
    text: str,
    named: frozenset[str],
    seeds: Mapping[int, float],
    reached: dict[int, float],
    past: bool,
) -> None:
    """Grants the best linked lines of one seed their share of its score."""
    links: dict[int, float] = {}
    for key in {entity.key for entity in entities(text, Names(index))} - named:
        for row, strength in neighbours(index, key):
            if row != source and (past or not index.traits[row] & SUPERSEDED):
                fits = bool(question.asked & int(index.traits[row]))
                share = strength * (WEIGHTS.link if fits else WEIGHTS.other_link)
                share += _NEARNESS * min(seeds.get(row, 0.0) / score, 1.0) * WEIGHTS.link
                links[row] = max(links.get(row, 0.0), share)
    for row, share in index.in_order(links)[:PER_SEED]:
        reached[row] = max(reached.get(row, 0.0), min(share, WEIGHTS.link * (1 + _NEARNESS)) * score)


def neighbours(index: Index, key: str) -> list[tuple[int, float]]:
    """Live rows that are about a thing (strength 1) or mention it, the newest of too many."""
    about = _rows(index, "graph", subject(key))
    near = _rows(index, "graph", mention(key))
    if index.is_name(key):
        near = np.concatenate([near, _rows(index, "words", stem(key))])
    found = {int(row): WEIGHTS.mention for row in near}
    found.update({int(row): 1.0 for row in about})
    return sorted(found.items())


def _rows(index: Index, field: str, token: str) -> Rows:
    match = index.fields[field].match(term_key(token), index.live, 1.0)
    if match is None:
        return EMPTY.rows
    return match.rows[~index.dead[match.rows]][-MOST_NEIGHBOURS:]
