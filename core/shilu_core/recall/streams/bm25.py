"""Words and identifiers: stemmed English, names whole and split, words of all other scripts."""

from __future__ import annotations

from shilu_core.index.index import Index
from shilu_core.recall.question import Question
from shilu_core.recall.ranking import Ranking
from shilu_core.recall.streams.lexical import rank_field
from shilu_core.recall.weights import DEPTH

MOST_POSTINGS = 600_000


def rank(question: Question, index: Index) -> Ranking:
    return rank_field(question, index, "words", depth=DEPTH, budget=MOST_POSTINGS)
