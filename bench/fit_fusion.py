"""Fits the numbers of `core/shilu_core/recall/weights.py` on the dev sets: one at a time, up and down, while it helps.

    SHILU_EMBED_CACHE=CACHE PYTHONPATH=HARNESS python bench/fit_fusion.py --data DATA [--rounds 1] [--queries 150] [SET ...]

What is maximised is the mean nDCG@10 over the sets with and without vectors, each set counting alike. A change has to
gain more than NOISE to be taken: with a few hundred questions a set smaller gains are luck. Prints the weights to
copy and each set's score.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import fields, replace
from pathlib import Path

_BENCH = Path(__file__).resolve().parent
sys.path[0] = str(_BENCH.parent / "core")

import importlib.util

import numpy as np
from recallbench.metrics import rank_metrics
from recallbench.model import load
from shilu_core.recall import fusion, links
from shilu_core.recall.streams import graph
from shilu_core.recall.weights import WEIGHTS, Weights

SETS = ("team_vault", "memdaily_zh", "xquad_mixed", "locomo_turn", "locomo_fact", "cmrc_sent", "cosqa", "jaquad_sent")
NOISE = 0.001
STEPS = (0.7, 1.4)


def adapters() -> dict[str, type]:
    spec = importlib.util.spec_from_file_location("recall_adapter", _BENCH / "recall_adapter.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {"vectors": module.Shilu, "lexical": module.Lexical}


def stores(
    data: Path, names: list[str], queries: int, kinds: dict[str, type]
) -> list[tuple[str, object, list[object]]]:
    """(set, indexed adapter, questions) of every store; questions are an even sample."""
    out = []
    for name in names:
        collections = load(data / f"{name}.json").collections
        every = max(1, sum(len(one.queries) for one in collections) // queries)
        for kind, adapter in kinds.items():
            for collection in collections:
                system = adapter()
                system.index(collection.docs)
                out.append(
                    (f"{name}/{kind}", system, [query for query in collection.queries if query.headline][::every])
                )
    return out


def use(weights: Weights) -> None:
    fusion.WEIGHTS = graph.WEIGHTS = links.WEIGHTS = weights


def score(weights: Weights, found: list[tuple[str, object, list[object]]]) -> dict[str, float]:
    use(weights)
    rows: dict[str, list[float]] = {}
    for name, system, queries in found:
        for query in queries:
            ranked = system.search(query.text, 10)
            rows.setdefault(name, []).append(rank_metrics(ranked, query.gold)["nDCG@10"])
    return {name: float(np.mean(values)) for name, values in rows.items()}


def mean(scores: dict[str, float]) -> float:
    return float(np.mean(list(scores.values())))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--queries", type=int, default=150)
    parser.add_argument("--only", nargs="*", help="names of weights to look at")
    parser.add_argument("sets", nargs="*", default=list(SETS))
    arguments = parser.parse_args()
    found = stores(arguments.data, arguments.sets or list(SETS), arguments.queries, adapters())
    best, top = WEIGHTS, score(WEIGHTS, found)
    print(f"now {mean(top):.4f} { ({name: round(value, 3) for name, value in top.items()}) }", flush=True)
    names = [one.name for one in fields(WEIGHTS) if isinstance(getattr(WEIGHTS, one.name), float)]
    for _ in range(arguments.rounds):
        for name in arguments.only or names:
            for step in STEPS:
                tried = replace(best, **{name: round(getattr(best, name) * step, 3)})
                scores = score(tried, found)
                print(f"{name} {getattr(tried, name)}: {mean(scores):.4f}", flush=True)
                if mean(scores) > mean(top) + NOISE:
                    best, top = tried, scores
    print(best)
    print(f"fitted {mean(top):.4f} { ({name: round(value, 3) for name, value in top.items()}) }")
    for _, system, _ in found:
        system.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
