"""Fits the topic gate on the files in `bench/data/gate/` and prints how it does on each and on other sets.

    python bench/gate.py                                   # fit, print
    python bench/gate.py --write                           # also write core/shilu_core/recall/gate_model.json
    python bench/gate.py --score PATH/gate.jsonl --misses  # score a set that was not fitted on

Sets are JSON lines with `message` and `recall` (does it need stored memory). `short.jsonl` holds short questions after one
attribute of the user's own world, and questions of general knowledge of the same shape.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np
from logistic import Numbers, area, cross_validated, fit
from shilu_core.embed import Embedder, EmbedderSettings
from shilu_core.embed.table import FALLBACKS, load
from shilu_core.errors import EmbedderUnusable
from shilu_core.recall import gate
from shilu_core.recall.gate_cues import found
from vectors_cache import vectors_of

DATA = tuple(sorted((Path(__file__).parent / "data" / "gate").glob("*.jsonl")))
MODEL = Path(gate.__file__).with_name(gate.MODEL_FILE)
LEAST_COUNT = 3  # messages a word or pair must stand in
PENALTY = {"plain": 1.0, "grams": 3.0, "vector": 3.0}
# Share of messages in need of memory that may be turned away, cross-validated over all files, of which the short
# questions are the harder part. Chosen so that `bench/turns.py` on `bench/data/abstain/off_topic.jsonl` stays at 3 %.
LOST = {"vector": 0.07, gate.LEXICAL: 0.12}


def main() -> None:
    arguments = _arguments()
    sets = {path.name: _read(path) for path in DATA}
    models = {}
    for embedder in (None, *_embedders()):
        name = embedder.model_id if embedder else gate.LEXICAL
        models[name] = _fit(sets, embedder)
    if arguments.write:
        about = "Written by bench/gate.py from bench/data/gate/; do not edit by hand."
        MODEL.write_text(
            json.dumps({"about": about, "models": models}, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8"
        )
        gate._fitted.cache_clear()
    for path in arguments.score:
        for embedder in (None, *_embedders()):
            _score(path, embedder, misses=arguments.misses)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--score", type=Path, action="append", default=[])
    parser.add_argument("--misses", action="store_true")
    return parser.parse_args()


def _embedders() -> list[Embedder]:
    loaded = []
    for name in FALLBACKS:
        try:
            loaded.append(load(name, EmbedderSettings()))
        except EmbedderUnusable as error:
            print(f"left out: {error}")
    return loaded


def _read(path: Path) -> list[tuple[str, bool]]:
    lines = path.read_text("utf-8").splitlines()
    return [(row["message"], bool(row["recall"])) for row in map(json.loads, lines)]


def _fit(sets: dict[str, list[tuple[str, bool]]], embedder: Embedder | None) -> dict[str, object]:
    rows = [row for part in sets.values() for row in part]
    messages, labels = [row[0] for row in rows], np.array([float(row[1]) for row in rows])
    plain = np.array([(*found(message), *gate.shape(message)) for message in messages], dtype=np.float64)
    vocabulary, grams = _grams(messages)
    vectors = np.zeros((len(messages), 0))
    if embedder:
        vectors = gate.VECTOR_SCALE * vectors_of(messages, embedder).astype(np.float64)
    features = np.concatenate([plain, gate.GRAM_SCALE * grams, vectors], axis=1)
    widths = {"plain": plain.shape[1], "grams": len(vocabulary), "vector": vectors.shape[1]}
    penalty = np.concatenate([np.full(width, PENALTY[group]) for group, width in widths.items()])
    unseen = cross_validated(features, labels, penalty)
    lost = LOST["vector" if embedder else gate.LEXICAL]
    threshold = float(np.quantile(unseen[labels > 0], lost))
    of_set = np.repeat(list(sets), [len(part) for part in sets.values()])
    for name in sets:
        scores, truth = unseen[of_set == name], labels[of_set == name]
        _print(f"{name}, unseen", embedder, scores > threshold, truth, area(scores, truth))
    _print("own, cross-validated", embedder, unseen > threshold, labels, area(unseen, labels))
    weights = fit(features, labels, penalty)
    first, second = widths["plain"], widths["plain"] + widths["grams"]
    return {
        "plain": _rounded(weights[:first]),
        "grams": {
            gram: round(float(weight), 4) for gram, weight in zip(vocabulary, weights[first:second], strict=True)
        },
        "vector": _rounded(weights[second:-1]),
        "intercept": round(float(weights[-1]), 4),
        "threshold": round(threshold, 4),
    }


def _grams(messages: list[str]) -> tuple[list[str], Numbers]:
    found_in = [gate.grams(message) for message in messages]
    counts = Counter(gram for present in found_in for gram in present)
    vocabulary = sorted(gram for gram, count in counts.items() if count >= LEAST_COUNT)
    place = {gram: number for number, gram in enumerate(vocabulary)}
    out = np.zeros((len(messages), len(vocabulary)))
    for row, present in enumerate(found_in):
        for gram in present & place.keys():
            out[row, place[gram]] = 1 / np.sqrt(max(len(present), 1))
    return vocabulary, out


def _rounded(weights: Numbers) -> list[float]:
    return [round(float(weight), 4) for weight in weights]


def _score(path: Path, embedder: Embedder | None, *, misses: bool) -> None:
    rows = _read(path)
    found_gates = []
    for message, _ in rows:
        vector = vectors_of([message], embedder)[0] if embedder else None
        found_gates.append(gate.wants_memory(message, vector, model_id=embedder.model_id if embedder else ""))
    labels = np.array([float(row[1]) for row in rows])
    wanted = np.array([answer.wanted for answer in found_gates])
    _print(path.name, embedder, wanted, labels, area(np.array([answer.score for answer in found_gates]), labels))
    if misses:
        for (message, recall), answer in zip(rows, found_gates, strict=True):
            if answer.wanted != recall:
                print(f"    {'missed' if recall else 'false '} {answer.score:.2f} {message[:90]!r}")


def _print(name: str, embedder: Embedder | None, wanted: Numbers, labels: Numbers, auc: float) -> None:
    kept, false = wanted[labels > 0].mean(), wanted[labels < 1].mean()
    model = embedder.name if embedder else "no vector"
    print(f"{name:22s} {model:10s} needs memory, kept {kept:6.1%}   does not, let in {false:6.1%}   AUC {auc:.3f}")


if __name__ == "__main__":
    main()
