"""Logistic regression with a penalty a feature, and what is measured of it (numpy only)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def fit(features: Numbers, labels: Numbers, penalty: Numbers, steps: int = 30) -> Numbers:
    """Weights of the features and, last, the intercept: Newton's method on the penalised likelihood."""
    design = np.c_[features, np.ones(len(features))]
    ridge = np.r_[penalty, 1e-6]
    weights = np.zeros(design.shape[1])
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        slope = design.T @ (chance - labels) + ridge * weights
        curve = (design.T * (chance * (1 - chance))) @ design + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def logits(features: Numbers, weights: Numbers) -> Numbers:
    return features @ weights[:-1] + weights[-1]


def cross_validated(
    features: Numbers, labels: Numbers, penalty: Numbers, groups: NDArray[np.int64] | None = None, folds: int = 5
) -> Numbers:
    """Logit of each row by a model that did not see it (nor its group)."""
    random = np.random.default_rng(0)
    if groups is None:
        groups = np.arange(len(labels))
    names = np.unique(groups)
    fold_of = dict(zip(names.tolist(), (random.permutation(len(names)) % folds).tolist(), strict=True))
    fold = np.array([fold_of[group] for group in groups.tolist()])
    out = np.zeros(len(labels))
    for number in range(folds):
        weights = fit(features[fold != number], labels[fold != number], penalty)
        out[fold == number] = logits(features[fold == number], weights)
    return out


def area(scores: Numbers, labels: Numbers) -> float:
    """Area under the curve: how often a positive scores above a negative."""
    positive, negative = scores[labels > 0], scores[labels < 1]
    return float(np.mean(positive[:, None] > negative[None, :]) + np.mean(positive[:, None] == negative[None, :]) / 2)
