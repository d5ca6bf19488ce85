"""Fits and measures abstention: does a turn get a block when, and only when, the vault answers it?

    python bench/abstain.py --vault-dev PATH/cases/vault-dev            # cross-validated on it and on our own queries
    python bench/abstain.py --vault-dev PATH --write                    # also write core/.../abstain_model.json
    python bench/abstain.py --vault-dev PATH --off-topic PATH/gate.jsonl  # gate and abstention together

Our own queries (`bench/data/abstain/queries.jsonl`, over vault-example) name in `needs` a part of the fact that answers,
or null. Off-topic turns are those of the named set that need no memory and `bench/data/abstain/off_topic.jsonl`.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from answer_model import Turns, cross_validated, fit_both, numbered, standardised
from case_vault import make_vault
from logistic import Numbers, area
from shilu_core.embed import Embedder, EmbedderSettings
from shilu_core.embed.table import FALLBACKS, load
from shilu_core.recall import abstain
from shilu_core.recall.comparison import LINE_FEATURES
from shilu_core.recall.engine import Engine
from shilu_core.recall.evidence import evidence_of
from shilu_core.recall.gate import wants_memory
from shilu_core.recall.meaning import Meaning, texts
from shilu_core.recall.memory_vectors import MemoryVectors
from shilu_core.recall.question import analyse, separate
from shilu_core.vault import recognise
from vectors_cache import vectors_of

HERE = Path(__file__).parent
DATA = HERE / "data" / "abstain"
OWN, HELD_OUT = DATA / "queries.jsonl", HERE / "data" / "held_out" / "abstain.jsonl"
EXAMPLE = HERE.parent / "vault-example"
MODEL = Path(abstain.__file__).with_name(abstain.MODEL_FILE)
KEPT = 0.95  # share of answerable turns that keep their block
KEPT_WORDS = 0.97  # the same without vectors, of those whose answer was found
SEEDS = 8  # random divisions into folds; figures are means over them
FOLDS = 8


@dataclass(frozen=True)
class Asked:
    """One query over one vault: its features, whether the vault answers it, which of the hits are needed for it."""

    query: str
    store: str
    answerable: bool
    turn: tuple[float, ...]
    lines: list[tuple[float, ...]]
    needed: list[bool]
    theme: str  # the best hit's text: what the question is about


class Cached:
    """An embedder whose vectors are kept outside the repository, so that a bench embeds each text once."""

    def __init__(self, inner: Embedder) -> None:
        self.inner = inner
        self.name, self.model_id, self.dimensions = inner.name, inner.model_id, inner.dimensions
        self.scripts, self.may_vote = inner.scripts, inner.may_vote

    def passages(self, lines: list[str]) -> Numbers:
        return vectors_of(lines, self.inner, "passage")

    def query(self, text: str) -> Numbers:
        return vectors_of([text], self.inner)[0]


def main() -> None:
    arguments = _arguments()
    embedders = [Cached(load(name, EmbedderSettings())) for name in FALLBACKS]
    models, opened = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        dev = Path(folder) / "dev"
        ids = make_vault(arguments.vault_dev / "facts.jsonl", dev)
        queries = {
            "vault-dev": _dev_queries(arguments.vault_dev, ids),
            "own": _own_queries(OWN),
            "held out": _own_queries(HELD_OUT),
        }
        vaults = {"vault-dev": dev, "own": EXAMPLE}
        for embedder in (*embedders, None):
            name = embedder.model_id if embedder else abstain.LEXICAL
            caches = {store: Path(folder) / name.replace(":", "-") / store for store in vaults}
            opened[name] = {store: _engine(vault, caches[store], embedder) for store, vault in vaults.items()}
            _warm(queries, embedder)
            with _unfitted():
                engines = opened[name] | {"held out": opened[name]["own"]}
                rows = [row for store, asked in queries.items() for row in _ask(store, engines[store], asked)]
            models[name] = _fit(name, rows)
        if arguments.write:
            about = "Written by bench/abstain.py from vault-dev and bench/data/abstain; do not edit by hand."
            MODEL.write_text(json.dumps({"about": about, "models": models}, indent=1) + "\n", "utf-8")
            abstain.models.cache_clear()
        if arguments.off_topic:
            _off_topic(arguments.off_topic, opened[embedders[0].model_id], embedders[0])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vault-dev", type=Path, required=True)
    parser.add_argument("--off-topic", type=Path)
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


Query = tuple[str, Callable[[str], bool] | None, str]  # text, is this fact needed (None: no answer), kind


def _dev_queries(folder: Path, ids: dict[str, str]) -> list[Query]:
    rows = [json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()]
    return [
        (row["query"], _one_of(ids, {key for key, grade in row["grades"].items() if grade == 2}), row["kind"])
        for row in rows
    ]


def _one_of(ids: dict[str, str], wanted: set[str]) -> Callable[[str], bool] | None:
    return (lambda text: ids.get(text) in wanted) if wanted else None


def _own_queries(path: Path) -> list[Query]:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [(row["query"], _holds(row["needs"]), "own") for row in rows]


def _holds(part: str | None) -> Callable[[str], bool] | None:
    return (lambda text: part in text) if part else None


def _engine(vault: Path, cache: Path, embedder: Cached | None) -> Engine:
    engine = Engine.open(recognise(vault), cache)
    if embedder:
        lines = list(texts(engine.index))
        matrix = np.zeros((engine.index.count, embedder.dimensions), np.float32)
        matrix[~engine.index.dead] = embedder.passages(lines)
        engine.meaning = Meaning(engine.index, embedder, MemoryVectors(matrix))
    return engine


@contextmanager
def _unfitted() -> Iterator[None]:
    """Searches while the fitted model is away: its features may be about to change."""
    line, turn = (
        abstain.Logistic((0.0,) * width, (1.0,) * width, (0.0,) * width, 0.0)
        for width in (len(LINE_FEATURES), len(abstain.FEATURES))
    )
    neutral = abstain.Model(line, turn, 0.0)
    fitted, abstain.models = abstain.models, lambda: {abstain.LEXICAL: neutral}
    try:
        yield
    finally:
        abstain.models = fitted


def _warm(queries: dict[str, list[Query]], embedder: Cached | None) -> None:
    if embedder:
        vectors_of([query for rows in queries.values() for query, _, _ in rows], embedder.inner)


def _ask(store: str, engine: Engine, queries: list[Query]) -> list[Asked]:
    found = []
    for query, needed, _ in queries:
        hits = engine.search(query).hits[: abstain.DEPTH]
        parts = [engine._rankings(question, {}) for question in separate(query)]
        text, evidence = analyse(query).text, evidence_of(engine.index, parts, "any")
        turn: tuple[float, ...] = (0.0,) * (len(abstain.FEATURES) - 1)
        lines: list[tuple[float, ...]] = []
        if hits:
            ask, compared = abstain.compared(text, hits, evidence)
            turn, lines = abstain.whole_turn(text, ask, compared, evidence), abstain.each_line(ask, compared, evidence)
        wanted = [needed is not None and needed(hit.fact.text) for hit in hits]
        theme = f"{store} {hits[0].fact.text}" if hits else query
        found.append(Asked(query, store, needed is not None, turn, lines, wanted, theme))
    return found


def _fit(name: str, asked: list[Asked]) -> dict[str, object]:
    rows = [row for row in asked if row.store != "held out"]
    turns, turn_mean, turn_scale = standardised(np.array([row.turn for row in rows], dtype=np.float64))
    all_lines = np.array([line for row in rows for line in row.lines], dtype=np.float64)
    lines, line_mean, line_scale = standardised(all_lines)
    labels = np.array([float(row.answerable) for row in rows])
    # Words alone leave a third of the answers unfound: there a block is right where the hits hold the answer.
    right = np.array([float(any(row.needed)) for row in rows]) if name == abstain.LEXICAL else labels
    kept = KEPT_WORDS if name == abstain.LEXICAL else KEPT
    needed = np.array([float(wanted) for row in rows for wanted in row.needed])
    of = np.repeat(np.arange(len(rows)), [len(row.lines) for row in rows])
    data = Turns(turns, right, numbered([row.theme for row in rows]), lines, needed, of)
    stores = np.array([row.store for row in rows])
    unseen = np.stack([cross_validated(data, FOLDS, seed) for seed in range(SEEDS)])
    print(f"\n{name}: {len(rows)} queries, {FOLDS} folds by theme, {SEEDS} divisions")
    for store in ("vault-dev", "own"):
        _print(store, unseen, labels, rows, stores == store)
    _print("together", unseen, labels, rows, stores != "")
    everything = np.arange(len(rows))
    fitted = fit_both(data, everything)
    least = float(np.mean([np.quantile(logit[right > 0], 1 - kept) for logit in unseen]))
    line_model = _model(LINE_FEATURES, line_mean, line_scale, fitted.line)
    # the verdict that stands last is neither moved nor scaled
    turn_model = _model(abstain.FEATURES, np.append(turn_mean, 0.0), np.append(turn_scale, 1.0), fitted.turn)
    model = {"line": line_model, "turn": turn_model, "least": round(abstain.probability(least), 4)}
    _held_out([row for row in asked if row.store == "held out"], model, rows)
    return model


def _held_out(unseen: list[Asked], held: dict[str, Any], seen: list[Asked]) -> None:
    """What the model as it will ship does, on queries that it was never fitted on and on those that it was."""
    model = abstain.model_of(held)
    for name, rows in (
        ("held out", unseen),
        *((store, [r for r in seen if r.store == store]) for store in ("vault-dev", "own")),
    ):
        logit = np.array([_logit(model, row) for row in rows])
        labels = np.array([float(row.answerable) for row in rows])
        least = math.log(model.least / (1 - model.least))
        kept, let_in = (logit[labels > 0] >= least).mean(), (logit[labels < 1] >= least).mean()
        print(
            f"  as shipped, {name:9s} {kept:.1%} of {(labels > 0).sum()} answerable and {let_in:.1%} of {(labels < 1).sum()} others get a block"
        )
        if name == "held out":
            _print(name, logit[None, :], labels, rows, labels >= 0)


def _logit(model: abstain.Model, row: Asked) -> float:
    return model.turn.logit((*row.turn, abstain.together([model.line.logit(values) for values in row.lines])))


def _model(names: tuple[str, ...], mean: Numbers, scale: Numbers, weights: Numbers) -> dict[str, object]:
    return {
        "features": list(names),
        "mean": _rounded(mean),
        "scale": _rounded(scale),
        "weights": _rounded(weights[:-1]),
        "intercept": round(float(weights[-1]), 5),
    }


def _print(store: str, unseen: Numbers, labels: Numbers, rows: list[Asked], chosen: Numbers) -> None:
    known, unknown = chosen & (labels > 0), chosen & (labels < 1)
    in_block = np.array([any(row.needed) for row in rows])
    areas, injected, needed = [], [], []
    for logit in unseen:
        least = np.quantile(logit[known], 1 - KEPT)
        areas.append(area(logit[chosen], labels[chosen]))
        injected.append((logit[unknown] >= least).mean())
        needed.append(((logit >= least) & in_block)[known].mean())
    print(
        f"  {store:10s} {known.sum()} answerable, {unknown.sum()} not: AUC {np.mean(areas):.3f}; with {KEPT:.0%} kept "
        f"{np.mean(injected):.1%} of the others inject ({min(injected):.1%} to {max(injected):.1%}); "
        f"a needed fact among the hits {in_block[known].mean():.1%}, in an injected block {np.mean(needed):.1%}"
    )


def _rounded(values: Numbers) -> list[float]:
    return [round(float(value), 5) for value in values]


def _off_topic(path: Path, engines: dict[str, Engine], embedder: Cached) -> None:
    """How many turns that need no memory get a block, through gate and abstention together."""
    shared = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    own = [json.loads(line) for line in (DATA / "off_topic.jsonl").read_text("utf-8").splitlines()]
    sets = {path.name: [row["message"] for row in shared if not row["recall"]], "own": [row["message"] for row in own]}
    print("\noff-topic turns that get a block (gate and abstention together)")
    total = {store: [0, 0] for store in engines}
    for name, messages in sets.items():
        vectors = vectors_of(messages, embedder.inner)
        through = [
            message
            for message, vector in zip(messages, vectors, strict=True)
            if wants_memory(message, vector, model_id=embedder.model_id).wanted
        ]
        for store, engine in engines.items():
            blocks = [message for message in through if not engine.search(message).weak]
            total[store][0] += len(blocks)
            total[store][1] += len(messages)
            print(
                f"  {name:12s} over {store:10s} {len(messages)} turns, gate lets in {len(through)}, block {len(blocks)}"
            )
            for message in blocks:
                print(f"      {message[:100]!r}")
    for store, (blocks, messages) in total.items():
        print(f"  together     over {store:10s} {blocks} of {messages}: {blocks / messages:.1%}")


if __name__ == "__main__":
    main()
