"""Do the hits answer the turn? A calibrated probability, so that nothing is said where nothing is known.

Hard questions name things that the vault knows and ask for an attribute it lacks, so scores alone tell little. What
is asked for (a port, a person, a reason), the noun that is asked about and the names in the question are held against
what the best hits state. A logistic model over these and the streams' scores; `bench/abstain.py` fits the weights.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from shilu_core.recall.aspects import asked, concepts, stated
from shilu_core.recall.results import Hit
from shilu_core.recall.subject import Subject, subject_of
from shilu_core.words import is_cjk, tokens

MODEL_FILE = "abstain_model.json"
DEPTH = 5  # hits that are looked at: a default block
NEAREST = 20  # lines whose cosines tell how far the best one stands out
LEXICAL = "lexical"  # the model without vectors; the others are named by the embedder that they were fitted for

FEATURES = (
    "nearness",  # cosine of the nearest line above the store's mean
    "stands out",  # the same in standard deviations of the next nineteen
    "word share",  # best bm25 score as a share of the highest possible
    "kind stated early",
    "kind asked",
    "kind stated",
    "kinds asked",
    "kind stated nearby",  # by a hit that is near, too
    "concepts missed",
    "concept asked",
    "concept and kind",
    "permission asked",
    "measure asked",
    "moment asked",
    "reason stated",
    "length",
    "content words",
    "head covered",
    "head asked",
    "head unknown",  # words of the head that stand nowhere in the vault
    "same script",
    "name covered",
    "name asked",
    "head or kind with name",
)


@dataclass(frozen=True)
class Evidence:
    """What the streams found beyond the hits.

    `nearness`: cosines above the store's mean of the nearest lines, best first, empty without vectors. `word_share`:
    best bm25 score as a share of the highest possible, .5 for a question without words. `lines_with(field, token)`
    counts the lines that hold a token of the index's field `words` or `pairs`. `model_id` is the embedder's.
    """

    nearness: Sequence[float] = ()
    word_share: float = 0.5
    lines_with: Callable[[str, str], int] = lambda field, token: 1
    model_id: str = ""


@dataclass(frozen=True)
class Model:
    """Logistic weights over standardised features; `least` is the probability below which nothing is injected."""

    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float
    least: float


@dataclass(frozen=True)
class Judged:
    """`answered` is the probability that the hits answer; `weak` says it is below the threshold."""

    answered: float
    weak: bool


def judge(query: str, hits: Sequence[Hit], evidence: Evidence) -> Judged:
    """Whether `hits` (best first) answer `query`; no hits never do.

    Cosines of an embedder that no model was fitted for are left out: every model has a scale of its own.
    """
    if not hits:
        return Judged(0.0, True)
    fitted = models()
    model = fitted.get(evidence.model_id if evidence.nearness else LEXICAL, fitted[LEXICAL])
    values = features(query, hits, evidence)
    logit = model.intercept + sum(
        weight * (value - mean) / scale
        for weight, value, mean, scale in zip(model.weights, values, model.mean, model.scale, strict=True)
    )
    chance = 1 / (1 + math.exp(-max(min(logit, 30.0), -30.0)))
    return Judged(chance, chance < model.least)


def answered(query: str, hits: Sequence[Hit], evidence: Evidence) -> float:
    """The probability of `judge` alone."""
    return judge(query, hits, evidence).answered


def features(query: str, hits: Sequence[Hit], evidence: Evidence) -> tuple[float, ...]:
    """The values of `FEATURES`."""
    kinds, subject = asked(query), subject_of(query)
    lines = [_compare(hit, kinds, subject) for hit in hits[:DEPTH]]
    wanted = kinds - {"choice", "allowed"}
    best = max
    return (
        *_distance(evidence.nearness),
        evidence.word_share,
        best(line.kind for line in lines[:2]),
        float(bool(wanted)),
        best(line.kind for line in lines),
        float(len(kinds)),
        best(line.kind * line.near for line in lines),
        float(min(line.concepts_missed for line in lines)),
        float(bool(subject.concepts)),
        best(line.concept * line.kind for line in lines),
        float("allowed" in kinds),
        float(bool(kinds & {"version", "amount"})),
        float("moment" in kinds),
        float("reason" in kinds),
        min(len(query) / (1 if is_cjk(query) else 3), 40) / 10,
        len(subject.words) + len(subject.pairs) / 2,
        best(line.head for line in lines),
        float(bool(subject.head_words or subject.head_pairs)),
        _unknown(subject, evidence),
        float(is_cjk(hits[0].fact.text) == is_cjk(query)),
        best(line.name for line in lines),
        float(bool(subject.names)),
        best(max(line.head, line.kind) * line.name for line in lines),
    )


@dataclass(frozen=True)
class _Line:
    """What one hit has of what is asked, as shares."""

    kind: float
    near: float
    concept: float
    concepts_missed: int
    head: float
    name: float


def _compare(hit: Hit, kinds: frozenset[str], subject: Subject) -> _Line:
    text = f"{hit.title} {hit.fact.heading} {hit.fact.text}"
    found = tokens(text)
    held = frozenset(found.words) | frozenset(found.pairs)
    said = concepts(text, subject.concepts | subject.head_concepts)
    wanted = kinds - {"choice", "allowed"}
    head = _share([*subject.head_words, *subject.head_pairs], held)
    if subject.head_concepts:
        head = max(head, len(subject.head_concepts & said) / len(subject.head_concepts))
    near = hit.streams["vector"].score if "vector" in hit.streams else 0.0
    return _Line(
        len(stated(hit.fact.text, wanted)) / len(wanted) if wanted else 0.0,
        near,
        len(subject.concepts & said) / len(subject.concepts) if subject.concepts else 0.0,
        len(subject.concepts - said),
        head,
        _share(subject.names, held),
    )


def _share(wanted: Sequence[str], held: frozenset[str]) -> float:
    """How many of `wanted` are held; one half where nothing is wanted."""
    return sum(token in held for token in wanted) / len(wanted) if wanted else 0.5


def _distance(nearness: Sequence[float]) -> tuple[float, float]:
    if len(nearness) < 2:
        return (nearness[0] if nearness else 0.0), 0.0
    rest = nearness[1:NEAREST]
    mean = sum(rest) / len(rest)
    spread = math.sqrt(sum((value - mean) ** 2 for value in rest) / len(rest))
    return nearness[0], min((nearness[0] - mean) / (spread + 1e-3), 12.0)


def _unknown(subject: Subject, evidence: Evidence) -> float:
    words = sum(evidence.lines_with("words", word) == 0 for word in subject.head_words)
    pairs = sum(evidence.lines_with("pairs", pair) == 0 for pair in subject.head_pairs)
    return words + pairs / 2


@lru_cache(maxsize=1)
def models() -> Mapping[str, Model]:
    """The fitted models of `abstain_model.json`."""
    held: Any = json.loads(files("shilu_core.recall").joinpath(MODEL_FILE).read_text("utf-8"))
    return {
        name: Model(
            tuple(model["mean"]), tuple(model["scale"]), tuple(model["weights"]), model["intercept"], model["least"]
        )
        for name, model in held["models"].items()
    }
