"""What makes a linked line worth showing: that it states what was asked for, or says where that is to be found.

A thing of a vault need not look like a name: "the message bus", "the backend lead". Words that few lines hold join two
lines as a name does, but only to a line that states what was asked for: rare words alone lead anywhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shilu_core.index.index import Index
from shilu_core.index.postings import term_key
from shilu_core.index.traits import ADDRESS, COMMAND, PERSON, PLACE, PORT
from shilu_core.recall.question import Question
from shilu_core.recall.ranking import Rows, Scores
from shilu_core.recall.weights import WEIGHTS
from shilu_core.words import content

_THINGS = ADDRESS | PORT | PLACE | PERSON | COMMAND  # what few lines state; nearly every line holds a time or number
RARE = 8  # lines that hold a word at most, for it to join them
ENOUGH = {"words": 2, "pairs": 3}  # shared rare terms that make a full link; a CJK word of three is two pairs, so three


def fitting(asked: int) -> int:
    """The bits of `asked` by which linked lines are told apart."""
    return asked & _THINGS or asked


def leading(asked: int) -> int:
    """The bits of lines that lead on: an address or port is that of a machine, and some line says which."""
    return PLACE if asked & (ADDRESS | PORT) else 0


def linked_shares(traits: NDArray[np.uint16], asked: int) -> Scores:
    """What each linked line gets of the score of the line that leads to it, by its traits."""
    fits, leads = traits & fitting(asked) > 0, traits & leading(asked) > 0
    return np.where(fits, WEIGHTS.link, np.where(leads, WEIGHTS.bridge, WEIGHTS.other_link)).astype(np.float32)


def by_rare_words(index: Index, question: Question, text: str) -> tuple[Rows, float]:
    """Lines that share words with `text` which few lines hold and the question does not, and state what is asked."""
    bits = (question.asked & _THINGS) | leading(question.asked)
    if not question.asked & _THINGS:
        return np.zeros(0, np.int32), 0.0
    found = content(text)
    rows, weights = [np.zeros(0, np.int32)], [np.zeros(0, np.float32)]
    for field, terms in (("words", found.words), ("pairs", found.pairs)):
        keys = [term_key(term) for term in sorted(terms) if len(term) > 1 and term not in question.terms[field]]
        for held in index.fields[field].held_by_few(keys, RARE):
            rows.append(held)
            weights.append(np.full(len(held), 1.0 / ENOUGH[field], np.float32))
    distinct, place = np.unique(np.concatenate(rows), return_inverse=True)
    strengths = np.bincount(place, np.concatenate(weights), len(distinct))
    kept = (strengths > 0.99) & (index.traits[distinct] & bits > 0) & ~index.dead[distinct]
    return distinct[kept], WEIGHTS.rare
