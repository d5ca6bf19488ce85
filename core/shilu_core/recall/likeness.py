"""How two found lines relate: one said twice, or one against the other. By words and values, without a model.

The inbox judges new facts with far more care; here it is only asked which of ten hits need not be shown
twice.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import lru_cache

from shilu_core.entities import entities
from shilu_core.folding import fold
from shilu_core.words import content

RESTATES = 0.8  # overlap of content terms (Dice), values and polarity equal
CONTRADICTS = 0.6  # the same without the values, where these or the polarity differ
_ALIKE = 0.4  # overlap of character pairs below which nothing else is looked at, for speed
_NUMBER = re.compile(r"(?<![\w.])v?\d+(?:[.:]\d+)*%?(?![\w])")
_NEGATION = re.compile(
    r"不(?!仅|但|同|过|少)|别|禁止|严禁|没有|未|无需|停用"
    r"|\b(?:not|no|never|don't|doesn't|must not|cannot|can't|without|disabled?|forbidden)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Shape:
    """A line's content terms apart from its values, its values, and whether it negates."""

    terms: frozenset[str]
    values: frozenset[str]
    negated: bool


@lru_cache(maxsize=512)  # a turn compares fewer than a hundred lines; more would only let the daemon grow
def shape(text: str) -> Shape:
    folded = fold(text)
    kinds = ("address", "url", "path", "file", "identifier")
    named = {mention.key for mention in entities(text) if mention.kind in kinds}
    values = frozenset(_NUMBER.findall(folded)) | named
    found = content(text)
    terms = frozenset(term for term in found.words | found.pairs if len(term) > 1 and term not in values)
    return Shape(terms, values, bool(_NEGATION.search(folded)))


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """Dice coefficient."""
    return 2 * len(first & second) / max(1, len(first) + len(second))


def restates(first: str, second: str) -> bool:
    """Whether two lines say the same: most content terms, all values and the polarity are equal."""
    if overlap(grams(first), grams(second)) < _ALIKE:
        return False
    one, two = shape(first), shape(second)
    return one.values == two.values and one.negated == two.negated and overlap(one.terms, two.terms) >= RESTATES


def contradicts(first: str, second: str) -> bool:
    """Whether two lines say different things of one subject: another value, or the opposite."""
    if overlap(grams(first), grams(second)) < _ALIKE:
        return False
    one, two = shape(first), shape(second)
    if overlap(one.terms, two.terms) < CONTRADICTS:
        return False
    if one.negated != two.negated:
        return one.values == two.values
    return bool(one.values - two.values) and bool(two.values - one.values) and len(one.values) == len(two.values)


@lru_cache(maxsize=1024)  # about 5 KB each
def grams(text: str) -> frozenset[str]:
    """Character pairs: lines that share few of them are neither restatements nor contradictions."""
    return frozenset(map("".join, itertools.pairwise(text)))
