"""How much a text reads like an order to its reader: a learned sum over broad signs, for wordings that no row knows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from shilu_core.hidden.features import features

WEIGHTS = Path(__file__).parent / "weights.json"
# At this sum a text is flagged: of 2,172 harmless texts that the fit had not seen, near misses among them, 24 reach it.
THRESHOLD = 0.5  # bench/fit_injection.py


@lru_cache(maxsize=1)
def _weights() -> dict[str, float]:
    return dict(json.loads(WEIGHTS.read_text("utf-8")))


def score_with(weights: Mapping[str, float], row: Mapping[str, float]) -> float:
    return weights.get("b:", 0.0) + sum(value * weights.get(name, 0.0) for name, value in row.items())


def reads_like_an_order(folded: str) -> str | None:
    """The three signs that weigh most, if the sum reaches the threshold."""
    row = features(folded)
    weights = _weights()
    if score_with(weights, row) < THRESHOLD:
        return None
    strongest = sorted(row, key=lambda name: row[name] * weights.get(name, 0.0), reverse=True)
    return ", ".join(name[2:] for name in strongest[:3])
