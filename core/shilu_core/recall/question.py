"""What a turn asks: its terms by field, its scripts, the things it names, what it asks for, and of which
time.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, field

from shilu_core.entities import entities
from shilu_core.index.traits import asked
from shilu_core.recall.reduce import reduce
from shilu_core.words import is_cjk, tokens

MOST_TERMS = 64  # a field's terms per query, the earliest of each; more cost time and say little
_PAST = re.compile(
    r"以前|之前(?:是|用|在|叫|的)|原来(?:是|用|在|叫|的)|原先|曾经|从前|过去(?:是|用|在|叫|的)|当时|历史上|旧版|以前の|かつて|예전"
    r"|\bused to\b|\bprevious(?:ly)?\b|\bformer(?:ly)?\b|\boriginal(?:ly)?\b|\bin the past\b|\bback then\b"
    r"|\bearlier\b"
    r"|\b(?:did|was|were|had)\b[^.?!]*\bbefore\b|\bbefore\b[^.?!]*\b(?:moved|switched|migrated|changed|hosted)\b"
    r"|\b(?:what|which|where|who) (?:was|were)\b[^.?!]*\b(?:old|last)\b",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"现在|目前|当前|如今|还(?:是|在|能|用)|\b(?:now|currently|today|these days|at the moment|still)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Question:
    """An analysed query; `terms` holds the tokens of each field, most telling part of the turn first."""

    text: str
    terms: dict[str, tuple[str, ...]]
    cjk: bool
    past: bool
    asked: int
    words: frozenset[str] = field(default_factory=frozenset)  # case folded, to meet speakers' names

    @property
    def is_empty(self) -> bool:
        return not any(self.terms.values())

    def named(self, known: Container[str]) -> frozenset[str]:
        """Keys of the things that the question names."""
        return frozenset(entity.key for entity in entities(self.text, known))


def analyse(query: str) -> Question:
    """Never fails, whatever stands in `query`: quotes, operators, brackets, emoji, 200 KB of log."""
    text = reduce(query)
    found = tokens(text)
    terms = {
        "words": tuple(dict.fromkeys(found.words))[:MOST_TERMS],
        "pairs": tuple(dict.fromkeys(found.pairs))[: 2 * MOST_TERMS],
        "trigrams": tuple(dict.fromkeys(found.trigrams))[: 2 * MOST_TERMS],
    }
    past = bool(_PAST.search(text)) and not _NOW.search(text)
    return Question(text, terms, is_cjk(text), past, asked(text), frozenset(_WORD.findall(text.casefold())))
