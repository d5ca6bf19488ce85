"""The learned part of the judge: probabilities of the four verdicts for pairs of facts.

Two models on the features of `shilu_inbox.judge.features`, averaged: a multinomial logistic regression,
which generalises, and boosted trees of depth 3, which see how features act together. `bench/fit_judge.py`
fits both on `bench/data/judge` and writes `weights.json`; nothing is learned at run time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

VERDICTS = ("new", "duplicate", "conflict", "supersede")

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Model:
    """Weights of one pair of models; `names` is the order of the features (f of them)."""

    names: tuple[str, ...]
    mean: Numbers  # (f,)
    scale: Numbers  # (f,)
    coefficients: Numbers  # (4, f)
    intercepts: Numbers  # (4,)
    start: Numbers  # (4,) log odds before the first tree
    feature: NDArray[np.int64]  # (4, trees, 7) which feature a node asks for; nodes in heap order
    threshold: Numbers  # (4, trees, 7) at most goes left
    leaves: Numbers  # (4, trees, 8)

    def probabilities(self, rows: Sequence[Mapping[str, float]]) -> Numbers:
        """Shape (rows, 4), each row sums to 1."""
        if not rows:
            return np.zeros((0, len(VERDICTS)))
        values = np.array([[row[name] for name in self.names] for row in rows])
        linear = ((values - self.mean) / self.scale) @ self.coefficients.T + self.intercepts
        return (_softmax(linear) + _softmax(self._boosted(values))) / 2

    def _boosted(self, values: Numbers) -> Numbers:
        kinds, trees, _ = self.feature.shape
        node = np.zeros((len(values), kinds, trees), dtype=np.int64)
        kind, tree = np.ogrid[:kinds, :trees]
        row = np.arange(len(values))[:, None, None]
        for _ in range(3):
            asked = self.feature[kind, tree, node]
            node = 2 * node + 1 + (values[row, asked] > self.threshold[kind, tree, node])
        return np.asarray(self.start + self.leaves[kind, tree, node - 7].sum(axis=2))


def _softmax(scores: Numbers) -> Numbers:
    grown = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(grown / grown.sum(axis=1, keepdims=True))


@lru_cache(maxsize=1)
def _stored() -> dict[str, Any]:
    return dict(json.loads((resources.files(__package__) / "weights.json").read_text("utf-8")))


@lru_cache(maxsize=2)
def model(with_vectors: bool) -> Model:
    """The model for pairs whose cosine is known, or the one for pairs without."""
    return from_json(_stored()["with_vectors" if with_vectors else "without_vectors"])


def from_json(stored: Mapping[str, Any]) -> Model:
    """A model as `bench/fit_judge.py` writes it."""
    numbers = {name: np.array(stored[name], dtype=np.float64) for name in _NUMBERS}
    return Model(names=tuple(stored["names"]), feature=np.array(stored["feature"], dtype=np.int64), **numbers)


_NUMBERS = ("mean", "scale", "coefficients", "intercepts", "start", "threshold", "leaves")
