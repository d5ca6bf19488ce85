"""Characters and pairs of Han, Kana and Hangul runs, traditional and simplified as one."""

from __future__ import annotations

from shilu_core.index.index import Index
from shilu_core.recall.question import Question
from shilu_core.recall.ranking import Ranking
from shilu_core.recall.streams.lexical import rank_field
from shilu_core.recall.weights import DEPTH

MOST_POSTINGS = 600_000


def rank(question: Question, index: Index) -> Ranking:
    return rank_field(question, index, "pairs", depth=DEPTH, budget=MOST_POSTINGS)
