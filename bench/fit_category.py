"""Fit the weights of the category model and say how well it does on facts that it has not seen.

python bench/fit_category.py             cross-validate, one theme left out at a time, and print tables
python bench/fit_category.py --write     ... and write the weights that `shilu_inbox.category` reads
python bench/fit_category.py --cases DIR ... and score DIR/category.jsonl
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from shilu_inbox import category
from shilu_inbox.category_features import features

HERE = Path(__file__).parent
ORDER = category.CATEGORIES
PENALTY = {"c": 0.02, "p": 0.3, "w": 0.08, "h": 0.08, "b": 0.0}
STEPS = 400


def load(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]


def matrix(rows: list[dict[str, float]], index: dict[str, int]) -> np.ndarray:
    table = np.zeros((len(rows), len(index)), np.float32)
    for i, row in enumerate(rows):
        for name, value in category.scaled(row).items():
            if name in index:
                table[i, index[name]] = value
    return table


def fit(rows: list[dict[str, float]], labels: list[str]) -> tuple[dict[str, int], np.ndarray]:
    """Multinomial logistic regression with a penalty by feature family; Adam, full batch, fixed steps."""
    counted = Counter(name for row in rows for name in row)
    names = sorted(name for name, n in counted.items() if n >= 2 or name[0] == "c")
    index = {name: i for i, name in enumerate([*names, "b:"])}
    x = matrix([{**row, "b:": 1.0} for row in rows], index)
    y = np.eye(len(ORDER), dtype=np.float32)[[ORDER.index(label) for label in labels]]
    penalty = np.array([PENALTY[name[0]] for name in index], np.float32)[:, None] / len(rows) * 10
    weights = np.zeros((len(index), len(ORDER)), np.float32)
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        scores = x @ weights
        scores -= scores.max(1, keepdims=True)
        chance = np.exp(scores)
        chance /= chance.sum(1, keepdims=True)
        gradient = x.T @ (chance - y) / len(rows) + penalty * weights
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        rate = 0.05 * (1 - step / (STEPS + 1))
        weights -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return index, weights


def cross_validate(cases: list[dict], rows: list[dict[str, float]]) -> list[str]:
    guesses = [""] * len(cases)
    for theme in sorted({case["theme"] for case in cases}):
        train = [i for i, case in enumerate(cases) if case["theme"] != theme]
        index, weights = fit([rows[i] for i in train], [cases[i]["category"] for i in train])
        held = [i for i, case in enumerate(cases) if case["theme"] == theme]
        scores = matrix([{**rows[i], "b:": 1.0} for i in held], index) @ weights
        for i, best in zip(held, scores.argmax(1), strict=True):
            guesses[i] = ORDER[best]
    return guesses


def right(case: dict, guess: str) -> bool:
    return guess == case["category"] or guess in case.get("accept", [])


def table(cases: list[dict], guesses: list[str], title: str, *, misses: bool) -> None:
    good = sum(right(c, g) for c, g in zip(cases, guesses, strict=True))
    print(f"\n{title}: {good} of {len(cases)} right = {good / len(cases):.1%}")
    by_language: dict[str, list[bool]] = defaultdict(list)
    confusion: dict[str, Counter[str]] = defaultdict(Counter)
    for case, guess in zip(cases, guesses, strict=True):
        by_language[case["lang"]].append(right(case, guess))
        confusion[case["category"]][guess] += 1
    print("  " + "  ".join(f"{lang} {sum(v)}/{len(v)}" for lang, v in sorted(by_language.items())))
    print(f"  {'truth':8}" + "".join(f"{name:>8}" for name in ORDER))
    for name in ORDER:
        print(f"  {name:8}" + "".join(f"{confusion[name][other] or '':>8}" for other in ORDER))
    if misses:
        for case, guess in zip(cases, guesses, strict=True):
            if not right(case, guess):
                print(f"  {case['category']:8} judged {guess:8} {case['fact']}")


def write_weights(index: dict[str, int], weights: np.ndarray) -> None:
    category.WEIGHTS.parent.mkdir(exist_ok=True)
    names = np.frombuffer("\n".join(index).encode("utf-8"), np.uint8)
    np.savez_compressed(category.WEIGHTS, names=names, weights=weights.astype(np.float16))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--cases", type=Path, help="a folder with category.jsonl")
    options = parser.parse_args()
    cases = load(HERE / "data/guards/category.jsonl")
    rows = [features(case["fact"]) for case in cases]
    table(cases, cross_validate(cases, rows), "own cases, one theme left out at a time", misses=options.misses)
    index, weights = fit(rows, [case["category"] for case in cases])
    if options.write:
        write_weights(index, weights)
        print(f"\nwrote {len(index)} x {len(ORDER)} weights")
    if options.cases:
        shared = load(options.cases / "category.jsonl")
        held = [features(case["fact"]) for case in shared]
        scores = matrix([{**row, "b:": 1.0} for row in held], index) @ weights
        table(shared, [ORDER[i] for i in scores.argmax(1)], str(options.cases), misses=options.misses)
    return 0


if __name__ == "__main__":
    sys.exit(main())
