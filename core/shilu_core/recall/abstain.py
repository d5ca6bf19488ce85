"""Do the hits answer the turn? A calibrated probability, so that nothing is said where nothing is known.

Hard questions name things that the vault knows and ask for an attribute it lacks, so scores alone tell little. What
is asked for (a port, a person, a reason), the noun that is asked about and the names in the question are held against
what the best hits state (`comparison`). Two logistic models: one says of each hit alone whether it is the line that was
asked for, the other takes their joint verdict and looks at the turn whole. `bench/abstain.py` fits the weights.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from shilu_core.recall.comparison import Asking, Comparison, asking, compare, line_features
from shilu_core.recall.results import Hit
from shilu_core.recall.subject import Subject

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
    "a line answers",  # logit of it, by the model of single lines
)


@dataclass(frozen=True)
class Evidence:
    """What the streams found beyond the hits.

    `nearness`: cosines above the store's mean of the nearest lines, best first, empty without vectors. `word_share`:
    best bm25 score as a share of the highest possible, .5 for a question without words. `lines_with(field, token)`
    counts the lines that hold a token of the index's field `words` or `pairs`, `lines` all of them. `model_id` is the
    embedder's.
    """

    nearness: Sequence[float] = ()
    word_share: float = 0.5
    lines_with: Callable[[str, str], int] = lambda field, token: 1
    lines: int = 1000
    model_id: str = ""


@dataclass(frozen=True)
class Logistic:
    """Weights over standardised features."""

    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float

    def logit(self, values: Sequence[float]) -> float:
        return self.intercept + sum(
            weight * (value - mean) / scale
            for weight, value, mean, scale in zip(self.weights, values, self.mean, self.scale, strict=True)
        )


@dataclass(frozen=True)
class Model:
    """The model of a line and that of a turn; `least` is the probability below which nothing is injected."""

    line: Logistic
    turn: Logistic
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
    ask, found = compared(query, hits, evidence)
    lines = [model.line.logit(values) for values in each_line(ask, found, evidence)]
    chance = probability(model.turn.logit((*whole_turn(query, ask, found, evidence), together(lines))))
    return Judged(chance, chance < model.least)


def answered(query: str, hits: Sequence[Hit], evidence: Evidence) -> float:
    """The probability of `judge` alone."""
    return judge(query, hits, evidence).answered


def compared(query: str, hits: Sequence[Hit], evidence: Evidence) -> tuple[Asking, list[Comparison]]:
    """What `query` asks, and the best hits held against it."""
    ask = asking(query, evidence.lines_with, evidence.lines)
    return ask, [compare(hit, ask) for hit in hits[:DEPTH]]


def each_line(ask: Asking, found: Sequence[Comparison], evidence: Evidence) -> list[tuple[float, ...]]:
    """The values of `LINE_FEATURES` for each hit."""
    nearest = evidence.nearness[0] if evidence.nearness else 0.0
    return [line_features(line, ask, nearest) for line in found]


def together(logits: Sequence[float]) -> float:
    """Logit that at least one of several lines answers, halved: the lines are no independent witnesses."""
    missed = math.prod(1 - probability(logit) for logit in logits)
    chance = min(max(1 - missed, 1e-6), 1 - 1e-6)
    return math.log(chance / (1 - chance)) / 2


def whole_turn(query: str, ask: Asking, lines: Sequence[Comparison], evidence: Evidence) -> tuple[float, ...]:
    """The values of `FEATURES` but for the last one."""
    kinds, subject = ask.kinds, ask.subject
    best = max
    return (
        *_distance(evidence.nearness),
        evidence.word_share,
        best(line.kind for line in lines[:2]),
        float(bool(ask.wanted)),
        best(line.kind for line in lines),
        float(len(kinds)),
        best(line.kind * line.near for line in lines),
        float(min(line.concepts_missed for line in lines)),
        float(bool(subject.concepts)),
        best(line.concept * line.kind for line in lines),
        float("allowed" in kinds),
        float(bool(kinds & {"version", "amount"})),
        float(bool(kinds & {"moment", "clock", "day"})),
        float("reason" in kinds),
        min(len(query) / (1 if ask.cjk else 3), 40) / 10,
        len(subject.words) + len(subject.pairs) / 2,
        best(line.head for line in lines),
        float(bool(subject.head_words or subject.head_pairs)),
        _unknown(subject, evidence),
        float(lines[0].same_script),
        best(line.name for line in lines),
        float(bool(subject.names)),
        best(max(line.head, line.kind) * line.name for line in lines),
    )


def probability(logit: float) -> float:
    return 1 / (1 + math.exp(-max(min(logit, 30.0), -30.0)))


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
    return {name: model_of(model) for name, model in held["models"].items()}


def model_of(held: Mapping[str, Any]) -> Model:
    """A model as `abstain_model.json` holds it."""
    return Model(_logistic(held["line"]), _logistic(held["turn"]), held["least"])


def _logistic(model: Any) -> Logistic:
    return Logistic(tuple(model["mean"]), tuple(model["scale"]), tuple(model["weights"]), model["intercept"])
