"""Likeness of meaning between facts by an embedder, brought to one scale for every script and model.

A model places languages apart and every model has a range of its own. So a cosine is shown as how many
standard deviations it stands above that of unrelated lines in the same pair of scripts, measured once on
the lines of `probe.txt`; the learned weights then hold for another model, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from shilu_core.embed.store import keys_of

Vectors = NDArray[np.float32]

_BATCH = 64
_MOSTLY = 0.3  # share of Han, Kana and Hangul letters from which a line counts as such


class TextEmbedder(Protocol):
    """What the judge asks of an embedder; see `shilu_core.embed.Embedder`."""

    @property
    def model_id(self) -> str: ...

    def may_vote(self, text: str) -> bool: ...

    def passages(self, texts: Sequence[str]) -> Any: ...


class StoredVectors(Protocol):
    """Vectors that the index holds for stored lines, see `shilu_core.embed.search.RowVectors`."""

    def bind(self, row_keys: NDArray[np.int64]) -> None: ...

    def search(self, vector: Vectors, depth: int) -> tuple[NDArray[np.int32], Vectors]: ...

    def scores(self, vector: Vectors, rows: NDArray[np.int32]) -> Vectors: ...


@dataclass(frozen=True)
class Scale:
    """Mean and deviation of the cosines of unrelated lines: both Latin, both East Asian, one of each."""

    means: tuple[float, float, float]
    deviations: tuple[float, float, float]

    def standing(self, cosine: float, east_asian: int) -> float:
        """Deviations above unrelated lines, `east_asian` (0, 1, 2) being how many of the two are such."""
        return (cosine - self.means[east_asian]) / self.deviations[east_asian]


class Likeness:
    """The likeness of submitted lines to each other and to `known` texts; one object for one call of the judge.

    Vectors of known texts come from `stored` where the index has them, and are computed where `learn` asks.
    """

    def __init__(self, embedder: TextEmbedder, known: Sequence[str] = (), stored: StoredVectors | None = None) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Vectors] = {}
        self._scale = _scale(embedder)
        self._stored = stored
        self._rows: dict[str, int] = {}
        if stored is not None:
            stored.bind(keys_of(known))
            self._rows = {text: row for row, text in enumerate(known)}

    def learn(self, texts: Iterable[str]) -> None:
        """Embeds those texts that have no vector yet and that the model may vote on."""
        wanted = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        wanted = [text for text in wanted if self._embedder.may_vote(text)]
        for start in range(0, len(wanted), _BATCH):
            part = wanted[start : start + _BATCH]
            self._vectors.update(zip(part, np.asarray(self._embedder.passages(part)), strict=True))

    def between(self, new: str, old: str) -> float | None:
        """How alike a learned text and another are, in deviations above unrelated lines; None if unknown."""
        one, other = self._vectors.get(new), self._vectors.get(old)
        if one is None:
            return None
        if other is not None:
            return self._standing(float(one @ other), new, old)
        row = self._rows.get(old)
        if row is None or self._stored is None:
            return None
        cosine = float(self._stored.scores(one, np.array([row], dtype=np.int32))[0])
        return None if np.isnan(cosine) else self._standing(cosine, new, old)

    def nearest(self, text: str, known: Sequence[str], limit: int) -> list[int]:
        """The rows of `known` that mean most nearly the same as a learned text, as far as vectors are there."""
        vector = self._vectors.get(text)
        if vector is None:
            return []
        if self._stored is not None:
            return [int(row) for row in self._stored.search(vector, limit)[0] if row < len(known)]
        scored = [(float(vector @ self._vectors[old]), row) for row, old in enumerate(known) if old in self._vectors]
        return [row for _, row in sorted(scored, key=lambda one: (-one[0], one[1]))[:limit]]

    def _standing(self, cosine: float, new: str, old: str) -> float:
        return self._scale.standing(cosine, is_east_asian(new) + is_east_asian(old))


def is_east_asian(text: str) -> bool:
    """Whether a line is mostly Han, Kana or Hangul; names in Latin letters stand in many of them."""
    letters = [character for character in text if character.isalpha()]
    return sum(character > "\u2e7f" for character in letters) > _MOSTLY * len(letters)


_scales: dict[str, Scale] = {}


def _scale(embedder: TextEmbedder) -> Scale:
    if embedder.model_id not in _scales:
        _scales[embedder.model_id] = _measured(embedder)
    return _scales[embedder.model_id]


@lru_cache(maxsize=1)
def probe() -> tuple[str, ...]:
    """Unrelated lines, every second one Chinese."""
    text = (resources.files(__package__) / "probe.txt").read_text("utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


def _measured(embedder: TextEmbedder) -> Scale:
    lines = [line for line in probe() if embedder.may_vote(line)]
    vectors = np.asarray(embedder.passages(lines))
    cosines: list[list[float]] = [[], [], []]
    for at, one in enumerate(lines):
        for other in range(at):
            kind = is_east_asian(one) + is_east_asian(lines[other])
            cosines[kind].append(float(vectors[at] @ vectors[other]))
    return Scale(
        _three([np.mean(kind) if kind else 0.0 for kind in cosines]),
        _three([max(float(np.std(kind)), 0.02) if kind else 1.0 for kind in cosines]),
    )


def _three(numbers: Sequence[Any]) -> tuple[float, float, float]:
    return float(numbers[0]), float(numbers[1]), float(numbers[2])
