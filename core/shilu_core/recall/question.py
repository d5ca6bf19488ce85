"""What a turn asks: its terms by field, its scripts, the things it names, what it asks for, and of which
time.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace

from shilu_core.entities import entities
from shilu_core.index.traits import asked
from shilu_core.recall.reduce import reduce
from shilu_core.words import is_cjk, tokens

MOST_TERMS = {"words": 64, "pairs": 128, "trigrams": 128}  # the earliest ones; more cost time and say little
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


_SENTENCE = re.compile(r"(?<=[？?！!。；;\n])|(?<=\.)\s+")
_MARK = re.compile(r"[？?]")
CONTEXT = 0.6  # weight of the words around one of several questions
MOST_QUESTIONS = 4  # the last ones of a turn


@dataclass(frozen=True)
class Question:
    """One analysed question; `terms` holds each field's tokens with their weights.

    `focus` is the question alone where the turn asks several: its meaning is asked for beside the whole's.
    """

    text: str
    terms: Mapping[str, Mapping[str, float]]
    cjk: bool
    past: bool
    asked: int
    words: frozenset[str] = field(default_factory=frozenset)  # case folded, to meet speakers' names
    focus: str = ""

    @property
    def is_empty(self) -> bool:
        return not any(self.terms.values())

    def named(self, known: Container[str]) -> frozenset[str]:
        """Keys of the things that the question names."""
        return frozenset(entity.key for entity in entities(self.text, known))


def analyse(query: str) -> Question:
    """The turn as one question; never fails, whatever stands in it: quotes, operators, emoji, 200 KB of log."""
    text = reduce(query)
    return _question(text, [(text, 1.0)])


def separate(query: str) -> list[Question]:
    """The questions of a turn, if it asks several: each finds its own facts; else the turn whole."""
    text = reduce(query)
    sentences = [part.strip() for part in _SENTENCE.split(text) if part.strip()]
    asking = [part for part in sentences if _MARK.search(part) and len(part) > 2]
    if len(asking) < 2:
        return [_question(text, [(text, 1.0)])]
    context = [(part, CONTEXT) for part in sentences if part not in asking]
    return [
        replace(_question(text, [(part, 1.0), *context]), focus=part, asked=asked(part))
        for part in asking[-MOST_QUESTIONS:]
    ]


def _question(text: str, parts: Sequence[tuple[str, float]]) -> Question:
    terms: dict[str, dict[str, float]] = {"words": {}, "pairs": {}, "trigrams": {}}
    for part, weight in parts:
        found = tokens(part)
        for name, more in (("words", found.words), ("pairs", found.pairs), ("trigrams", found.trigrams)):
            for token in more:
                if len(terms[name]) < MOST_TERMS[name]:
                    terms[name].setdefault(token, weight)
    past = bool(_PAST.search(text)) and not _NOW.search(text)
    words = frozenset(_WORD.findall(text.casefold()))
    return Question(text, terms, is_cjk(text), past, asked(text), words)
