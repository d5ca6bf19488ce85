"""What bm25, bigram and trigram share: BM25 sums over the postings of one field."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shilu_core.index.field import Match
from shilu_core.index.index import Index
from shilu_core.index.postings import K1, term_key
from shilu_core.recall.question import Question
from shilu_core.recall.ranking import EMPTY, Ranking, Scores, best

TOGETHER = 50_000  # postings that are added at once: many short lists cost their calls, long ones their copies


def rank_field(question: Question, index: Index, field: str, *, depth: int, budget: int) -> Ranking:
    """Rows by BM25 over the question's terms of `field`; at most `budget` postings are read."""
    keys = {term_key(token): weight for token, weight in question.terms[field].items()}
    matches, total = index.fields[field].chosen(keys, index.live, budget)
    if not matches:
        return EMPTY if not keys else Ranking(EMPTY.rows, EMPTY.scores, ceiling=total * (K1 + 1.0))
    scores = summed(matches, index.count)
    scores[index.dead_rows] = 0.0
    rows = best(scores, depth)
    return Ranking(rows, scores[rows], lambda wanted: scores[wanted], total * (K1 + 1.0))


def summed(matches: Sequence[Match], count: int) -> Scores:
    """For each of `count` rows its weights times their terms' idf, added up in the order of `matches`."""
    scores = np.zeros(count, np.float32)
    if sum(len(match.rows) for match in matches) > TOGETHER:
        for match in matches:  # `add.at` needs no second look at the rows, which `scores[rows] += ...` does
            np.add.at(scores, match.rows.astype(np.intp), np.float32(match.idf) * match.weights)
        return scores
    rows = np.concatenate([match.rows for match in matches]).astype(np.intp)
    weights = np.concatenate([match.weights for match in matches])
    factors = np.array([match.idf for match in matches], np.float32)
    np.add.at(scores, rows, np.repeat(factors, [len(match.rows) for match in matches]) * weights)
    return scores
