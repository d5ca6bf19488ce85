"""Fit the learned part of the hidden-instruction detector and say what it adds to the wording table.

    python bench/fit_injection.py           cross-validate in ten folds and print the table of thresholds
    python bench/fit_injection.py --write   ... and write the weights that `shilu_core.hidden` reads

Attacks and harmless texts: bench/data/guards/injection.jsonl; more harmless ones: the facts of
bench/data/guards/category.jsonl and of bench/data/judge/*.jsonl. The threshold stands in `shilu_core.hidden.scoring`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from shilu_core.hidden import flags, scoring
from shilu_core.hidden.features import features
from shilu_core.hidden.instructions import folded
from shilu_core.hidden.intents import INTENTS
from shilu_core.hidden.wording import ROWS

HERE = Path(__file__).parent
PENALTY = {"m": 0.15, "c": 0.05, "p": 0.5, "w": 0.15, "h": 0.15, "b": 0.0}
STEPS, FOLDS = 400, 10
NEAR = 4.0


def texts() -> tuple[list[str], list[bool]]:
    rows = [(row.counter, False) for row in (*ROWS, *INTENTS)]
    rows += [(row["fact"], row["attack"]) for row in _lines(HERE / "data/guards/injection.jsonl")]
    rows += [(row["fact"], False) for row in _lines(HERE / "data/guards/category.jsonl")]
    for path in sorted((HERE / "data/judge").glob("adjudication-*.jsonl")):
        for row in _lines(path):
            rows += [(text, False) for text in {row["new"], *row["existing"]}]
    known = dict(rows)
    return list(known), list(known.values())


def _lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]


def fit(rows: Sequence[dict[str, float]], labels: np.ndarray, near: np.ndarray) -> dict[str, float]:
    """Logistic regression with a penalty by family; harmless texts that are `near` misses count `NEAR` times."""
    counted = Counter(name for row in rows for name in row)
    names = [*sorted(name for name, n in counted.items() if n >= 2), "b:"]
    index = {name: i for i, name in enumerate(names)}
    x = _matrix(rows, index)
    penalty = np.array([PENALTY[name[0]] for name in names], np.float32) / len(rows) * 10
    weight = np.where(
        labels == 1, (labels == 0).sum() / max(1, (labels == 1).sum()) / 3, np.where(near, NEAR, 1.0)
    ).astype(np.float32)
    weights, first, second = (np.zeros(len(names), np.float32) for _ in range(3))
    for step in range(1, STEPS + 1):
        chance = 1 / (1 + np.exp(-(x @ weights)))
        gradient = x.T @ (weight * (chance - labels)) / len(rows) + penalty * weights
        first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
        rate = 0.05 * (1 - step / (STEPS + 1))
        weights -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return {name: round(float(weights[i]), 3) for name, i in index.items() if abs(weights[i]) >= 0.01}


def _by_rule(fact: str) -> bool:
    """Whether the detector flags `fact` without the learned sum."""
    return any(not flag.detail.startswith("reads like an order to its reader") for flag in flags(fact))


def _matrix(rows: Sequence[dict[str, float]], index: dict[str, int]) -> np.ndarray:
    x = np.zeros((len(rows), len(index)), np.float32)
    for i, row in enumerate(rows):
        for name, value in (*row.items(), ("b:", 1.0)):
            if name in index:
                x[i, index[name]] = value
    return x


def write_weights(weights: dict[str, float]) -> None:
    rows = ",\n".join(f"{json.dumps(name)}: {weight}" for name, weight in sorted(weights.items()))
    scoring.WEIGHTS.write_text("{\n" + rows + "\n}\n", "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    facts, truth = texts()
    rows = [features(folded(fact)) for fact in facts]
    labels = np.array(truth, np.float32)
    close = {row["fact"] for row in _lines(HERE / "data/guards/injection.jsonl")} | {
        row.counter for row in (*ROWS, *INTENTS)
    }
    near = np.array([fact in close for fact in facts])
    by_rule = np.array([_by_rule(fact) for fact in facts])
    fold = np.random.default_rng(7).permutation(len(facts)) % FOLDS
    scores = np.zeros(len(facts))
    for part in range(FOLDS):
        train = [i for i in range(len(facts)) if fold[i] != part]
        weights = fit([rows[i] for i in train], labels[train], near[train])
        for i in np.flatnonzero(fold == part):
            scores[i] = scoring.score_with(weights, rows[i])
    attack = labels == 1
    print(
        f"{attack.sum()} attacks, {(~attack).sum()} harmless; all but the learned sum: {(by_rule & attack).sum()} and {(by_rule & ~attack).sum()}"
    )
    print("threshold   attacks by score   ... or otherwise   harmless by score")
    for threshold in (-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5):
        high = scores >= threshold
        mark = "  <- used" if threshold == scoring.THRESHOLD else ""
        print(
            f"{threshold:9.1f} {(high & attack).sum():18} {((high | by_rule) & attack).sum():16} {(high & ~attack).sum():19}{mark}"
        )
    if options.misses:
        for i in np.flatnonzero((scores >= scoring.THRESHOLD) != attack):
            print(
                f"  {'attack  ' if attack[i] else 'harmless'} {scores[i]:6.2f} {'rule' if by_rule[i] else '    '} {facts[i]!r}"
            )
    if options.write:
        write_weights(fit(rows, labels, near))
    return 0


if __name__ == "__main__":
    sys.exit(main())
