"""Likeness of meaning between facts by an embedder, brought to one scale for every script and model.

A model places languages apart and every model has a range of its own. So a cosine is shown as how many
standard deviations it stands above that of unrelated lines in the same pair of scripts, measured once on
the lines of `probe.txt`; the learned weights then hold for another model, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

_BATCH = 64
_MOSTLY = 0.3  # share of Han, Kana and Hangul letters from which a line counts as such


class TextEmbedder(Protocol):
    """What the judge asks of an embedder; see `shilu_core.embed.Embedder`."""

    @property
    def model_id(self) -> str: ...

    def may_vote(self, text: str) -> bool: ...

    def passages(self, texts: Sequence[str]) -> Any: ...


@runtime_checkable
class Remembering(Protocol):
    """An embedder that knows stored lines' vectors already and gives them without computing."""

    def remembered(self, texts: Sequence[str]) -> Mapping[str, Vectors]: ...


@dataclass(frozen=True)
class Scale:
    """Mean and deviation of the cosines of unrelated lines: both Latin, both East Asian, one of each."""

    means: tuple[float, float, float]
    deviations: tuple[float, float, float]

    def standing(self, cosine: float, east_asian: int) -> float:
        """Deviations above unrelated lines, `east_asian` (0, 1, 2) being how many of the two are such."""
        return (cosine - self.means[east_asian]) / self.deviations[east_asian]


class Likeness:
    """Vectors of the texts seen so far and their likeness; one object for one call of the judge."""

    def __init__(self, embedder: TextEmbedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Vectors] = {}
        self._scale = _scale(embedder)

    def learn(self, texts: Iterable[str]) -> None:
        """Embeds what is not known yet, remembered vectors first."""
        wanted = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if isinstance(self._embedder, Remembering):
            self._vectors.update(self._embedder.remembered(wanted))
            wanted = [text for text in wanted if text not in self._vectors]
        wanted = [text for text in wanted if self._embedder.may_vote(text)]
        for start in range(0, len(wanted), _BATCH):
            part = wanted[start : start + _BATCH]
            self._vectors.update(zip(part, np.asarray(self._embedder.passages(part)), strict=True))

    def vector(self, text: str) -> Vectors | None:
        """The vector of a text that was learned, None where the model may not vote on it."""
        return self._vectors.get(text)

    def between(self, new: str, old: str) -> float | None:
        """How alike two learned texts are, in deviations above unrelated lines."""
        one, other = self._vectors.get(new), self._vectors.get(old)
        if one is None or other is None:
            return None
        return self._scale.standing(float(one @ other), is_east_asian(new) + is_east_asian(old))


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
