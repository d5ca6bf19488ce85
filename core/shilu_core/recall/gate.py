"""Does this user message need stored memory? Asked of the message alone, before anything is searched.

A logistic model over cues (`gate_cues`), words and word pairs, and, where a fitted embedder made it, the message's
vector. `bench/gate.py` fits the weights on `bench/data/gate/` and writes `gate_model.json`.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from shilu_core.folding import fold
from shilu_core.recall.gate_cues import CUES, MOST_READ, found

if TYPE_CHECKING:
    from shilu_core.embed.vectors import Vectors

MODEL_FILE = "gate_model.json"
ANY_TOPIC = "memory"  # wanted for its words or its vector, though no cue names a topic
LEXICAL = "lexical"  # the weights that are used without a vector
VECTOR_SCALE, GRAM_SCALE = 4.0, 3.0  # put the three groups of features on one footing for one penalty

_TOKEN = re.compile(r"[a-z0-9'_-]+|[\u3040-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True)
class Gate:
    """`wanted` says whether to search; `topic` names why (`""` if not wanted); `score` is a probability."""

    wanted: bool
    topic: str
    score: float


@dataclass(frozen=True)
class Weights:
    """One fitted model: `threshold` is the least logit of a message that needs memory."""

    plain: tuple[float, ...]  # of the cues in their order, then of the shape
    grams: Mapping[str, float]
    vector: tuple[float, ...]
    intercept: float
    threshold: float


def wants_memory(message: str, vector: Vectors | None = None, *, model_id: str = "") -> Gate:
    """Whether `message` needs stored memory; `vector` is its query vector by the embedder `model_id`.

    A vector of a model that the gate was not fitted for is left out.
    """
    fitted = _fitted()
    weights = fitted[LEXICAL] if vector is None else fitted.get(model_id, fitted[LEXICAL])
    cues = found(message)
    logit = weights.intercept + _dot(weights.plain, (*cues, *shape(message)))
    present = grams(message)
    logit += GRAM_SCALE * sum(weights.grams.get(gram, 0.0) for gram in present) / math.sqrt(max(len(present), 1))
    if weights.vector and vector is not None:
        logit += VECTOR_SCALE * _dot(weights.vector, vector.tolist())
    wanted = logit > weights.threshold
    return Gate(wanted, _topic(cues, weights) if wanted else "", _probability(logit))


def shape(message: str) -> tuple[float, float, float]:
    """Length in units of 50 characters up to 4, whether it asks with a mark, whether it is very short."""
    return min(len(message), 200) / 50, float("?" in message or "？" in message), float(len(message) < 6)


def grams(message: str) -> frozenset[str]:
    """Words, single East Asian characters, and pairs of neighbours with the ends of the message marked."""
    read = message if len(message) <= 2 * MOST_READ else f"{message[:MOST_READ]}\n{message[-MOST_READ:]}"
    words = _TOKEN.findall(fold(read))
    ends = ["^", *words, "$"]
    return frozenset(words) | {f"{first}_{second}" for first, second in itertools.pairwise(ends)}


def _dot(weights: tuple[float, ...], values: tuple[float, ...] | list[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, values, strict=True))


def _probability(logit: float) -> float:
    return 1 / (1 + math.exp(-max(min(logit, 30.0), -30.0)))


def _topic(cues: tuple[bool, ...], weights: Weights) -> str:
    """The topic of the heaviest cue that was found."""
    spoken = [
        (weight, cue.topic)
        for cue, is_found, weight in zip(CUES, cues, weights.plain, strict=False)
        if is_found and cue.topic
    ]
    return max(spoken, default=(0.0, ANY_TOPIC))[1]


@lru_cache(maxsize=1)
def _fitted() -> Mapping[str, Weights]:
    held: Any = json.loads(files("shilu_core.recall").joinpath(MODEL_FILE).read_text("utf-8"))
    return {
        name: Weights(
            tuple(model["plain"]), model["grams"], tuple(model["vector"]), model["intercept"], model["threshold"]
        )
        for name, model in held["models"].items()
    }
