"""One hit held against what the question asks: is the value stated, and of the thing that is meant?"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from shilu_core.recall.aspects import asked, concepts, stated
from shilu_core.recall.kinds import FORMS
from shilu_core.recall.results import Hit
from shilu_core.recall.subject import Subject, subject_of
from shilu_core.words import content, is_cjk

PAIR = 0.5  # weight of a pair of Han beside a word: a word of three characters makes two


@dataclass(frozen=True)
class Asking:
    """What a question asks for: kinds, subject, and its content tokens by how rare they are in the vault."""

    kinds: frozenset[str]
    subject: Subject
    rarity: Mapping[str, float]
    cjk: bool

    @property
    def wanted(self) -> frozenset[str]:
        """The kinds of value among the kinds."""
        return self.kinds - FORMS


@dataclass(frozen=True)
class Comparison:
    """What one hit has of what is asked, as shares, one half where nothing of the sort is asked."""

    kind: float  # of the wanted kinds, stated by the line; 0 where none is wanted
    near: float  # its cosine above the store's mean, 0 without vectors
    same_script: bool
    coverage: float  # of the question's rarity
    uncovered: float  # rarity of the rarest token that the hit lacks
    concept: float
    concepts_missed: int
    head: float
    name: float


def asking(question: str, lines_with: Callable[[str, str], int], lines: int) -> Asking:
    """What `question` asks in a vault of `lines` lines, `lines_with(field, token)` of which hold a token."""
    subject = subject_of(question)
    weights = dict.fromkeys(subject.words, 1.0) | dict.fromkeys(subject.pairs, PAIR)
    fields = dict.fromkeys(subject.words, "words") | dict.fromkeys(subject.pairs, "pairs")
    rarity = {
        token: weight * math.log(1 + (lines + 0.5) / (lines_with(fields[token], token) + 0.5))
        for token, weight in weights.items()
    }
    return Asking(asked(question), subject, rarity, is_cjk(question))


def compare(hit: Hit, ask: Asking) -> Comparison:
    """How far `hit` has what is asked; title and heading count for the subject, not for the value."""
    text = f"{hit.title} {hit.fact.heading} {hit.fact.text}"
    subject = ask.subject
    parts = [content(part) for part in (hit.title, hit.fact.heading, hit.fact.text)]
    held = frozenset().union(*(part.words | part.pairs for part in parts))
    said = concepts(text, subject.concepts | subject.head_concepts)
    head = share([*subject.head_words, *subject.head_pairs], held)
    if subject.head_concepts:
        head = max(head, len(subject.head_concepts & said) / len(subject.head_concepts))
    total = sum(ask.rarity.values())
    return Comparison(
        len(stated(hit.fact.text, ask.wanted, subject.words)) / len(ask.wanted) if ask.wanted else 0.0,
        hit.streams["vector"].score if "vector" in hit.streams else 0.0,
        is_cjk(hit.fact.text) == ask.cjk,
        sum(rarity for token, rarity in ask.rarity.items() if token in held) / total if total else 0.5,
        max((rarity for token, rarity in ask.rarity.items() if token not in held), default=0.0),
        len(subject.concepts & said) / len(subject.concepts) if subject.concepts else 0.0,
        len(subject.concepts - said),
        head,
        share(subject.names, held),
    )


def share(wanted: Sequence[str], held: frozenset[str]) -> float:
    """How many of `wanted` are held; one half where nothing is wanted."""
    return sum(token in held for token in wanted) / len(wanted) if wanted else 0.5


LINE_FEATURES = (
    "nearness",
    "below the nearest",
    "same script",
    "coverage in the same script",
    "coverage across scripts",
    "kind stated",
    "kind asked",
    "concepts missed",
    "head in the same script",
    "head across scripts",
    "head asked",
    "name",
    "kind and name",
    "kind and nearness",
    "kind and coverage",
    "kind and head",
    "uncovered",
)


def line_features(found: Comparison, ask: Asking, nearest: float) -> tuple[float, ...]:
    """The values of `LINE_FEATURES` for one hit; `nearest` is the best cosine of the vault."""
    same, subject = float(found.same_script), ask.subject
    return (
        found.near,
        nearest - found.near,
        same,
        found.coverage * same,
        found.coverage * (1 - same),
        found.kind,
        float(bool(ask.wanted)),
        float(found.concepts_missed),
        found.head * same,
        found.head * (1 - same),
        float(bool(subject.head_words or subject.head_pairs)),
        found.name,
        found.kind * found.name,
        found.kind * found.near,
        found.kind * found.coverage,
        found.kind * found.head,
        found.uncovered,
    )
