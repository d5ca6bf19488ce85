"""What bm25, bigram and trigram share: BM25 sums over the postings of one field."""

from __future__ import annotations

import numpy as np

from shilu_core.index.index import Index
from shilu_core.index.postings import K1, term_key
from shilu_core.recall.question import Question
from shilu_core.recall.ranking import EMPTY, Ranking, best


def rank_field(question: Question, index: Index, field: str, *, depth: int, budget: int) -> Ranking:
    """Rows by BM25 over the question's terms of `field`; at most `budget` postings are read."""
    keys = {term_key(token): weight for token, weight in question.terms[field].items()}
    matches, total = index.fields[field].chosen(keys, index.live, budget)
    if not matches:
        return EMPTY if not keys else Ranking(EMPTY.rows, EMPTY.scores, ceiling=total * (K1 + 1.0))
    scores = np.zeros(index.count, np.float32)
    for match in matches:
        scores[match.rows] += np.float32(match.idf) * match.weights
    if index.any_dead:
        scores[index.dead] = 0.0
    rows = best(scores, depth)
    return Ranking(rows, scores[rows], lambda wanted: scores[wanted], total * (K1 + 1.0))
