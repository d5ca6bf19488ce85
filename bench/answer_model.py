"""The two models of abstention, fitted one on the other: does a line answer, and does the turn get a block?

The second sees, for each turn, a verdict of the first that was fitted without this turn's theme; else it would trust it
too much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from logistic import Numbers, fit, logits
from numpy.typing import NDArray
from shilu_core.recall.abstain import together

LINE_PENALTY, TURN_PENALTY, VERDICT_PENALTY = 5.0, 5.0, 1.0
INNER_FOLDS = 5
Whole = NDArray[np.int64]


@dataclass(frozen=True)
class Turns:
    """Features of n turns and of all their lines; `of` says whose a line is, `needed` whether it was asked for."""

    turns: Numbers  # (n, turn features)
    answerable: Numbers  # (n,)
    themes: Whole  # (n,): turns about one thing stay together when folds are made
    lines: Numbers  # (m, line features)
    needed: Numbers  # (m,)
    of: Whole  # (m,)


@dataclass(frozen=True)
class Fitted:
    """Weights, intercept last, of lines and of turns (the verdict's weight before the intercept)."""

    line: Numbers
    turn: Numbers


def standardised(values: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """`values` with mean 0 and deviation 1, the means and the deviations; a constant column weighs nothing."""
    mean, scale = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-3)
    return (values - mean) / scale, mean, scale


def folds(themes: Whole, count: int, seed: int) -> Whole:
    """The fold of each turn; turns of one theme are in the same."""
    names, number = np.unique(themes, return_inverse=True)
    return (np.random.default_rng(seed).permutation(len(names)) % count)[number]


def verdicts(data: Turns, line: Numbers, chosen: Whole) -> Numbers:
    """`together` of the lines of each chosen turn; 0 lines never answer."""
    values = logits(data.lines, line)
    return np.array([together(values[data.of == turn].tolist()) for turn in chosen])


def fit_both(data: Turns, chosen: Whole, seed: int = 0) -> Fitted:
    """Fits on the chosen turns."""
    inner = folds(data.themes[chosen], INNER_FOLDS, 100 + seed)
    unseen = np.zeros(len(chosen))
    for number in range(INNER_FOLDS):
        unseen[inner == number] = verdicts(data, _line(data, chosen[inner != number]), chosen[inner == number])
    penalty = np.append(np.full(data.turns.shape[1], TURN_PENALTY), VERDICT_PENALTY)
    turn = fit(np.c_[data.turns[chosen], unseen], data.answerable[chosen], penalty)
    return Fitted(_line(data, chosen), turn)


def score(data: Turns, fitted: Fitted, chosen: Whole) -> Numbers:
    """Logits of the chosen turns."""
    return logits(np.c_[data.turns[chosen], verdicts(data, fitted.line, chosen)], fitted.turn)


def cross_validated(data: Turns, count: int, seed: int) -> Numbers:
    """Logit of each turn by models that did not see its theme."""
    fold, out = folds(data.themes, count, seed), np.zeros(len(data.answerable))
    for number in range(count):
        seen, unseen = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        out[unseen] = score(data, fit_both(data, seen, seed), unseen)
    return out


def _line(data: Turns, chosen: Whole) -> Numbers:
    ours = np.isin(data.of, chosen)
    return fit(data.lines[ours], data.needed[ours], np.full(data.lines.shape[1], LINE_PENALTY))


def numbered(names: Sequence[str]) -> Whole:
    """A number for each name, equal for equal ones."""
    return np.unique(np.array(names), return_inverse=True)[1]
