"""What a search returns: values only, so that hooks, commands and servers can show them their own way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from shilu_core.facts import Fact


@dataclass(frozen=True)
class StreamRank:
    """A hit's place in one stream: rank from 1, the stream's own score, the weight it had in the fusion."""

    rank: int
    score: float
    weight: float


@dataclass(frozen=True)
class Hit:
    """One found line; `kind` is `fact`, or `text`, `table`, `code` for other text of a note."""

    fact: Fact
    score: float
    streams: Mapping[str, StreamRank] = field(default_factory=dict)
    restatements: tuple[Fact, ...] = ()
    contradicts: tuple[Fact, ...] = ()
    title: str = ""
    kind: str = "fact"


@dataclass(frozen=True)
class Recall:
    """The hits of one question, best first; `answered` is the calibrated probability that they answer it."""

    query: str
    hits: tuple[Hit, ...] = ()
    answered: float = 0.0
    weak: bool = True
    left_out: tuple[str, ...] = ()  # streams that failed, as `name: reason`
    notices: tuple[str, ...] = ()  # said once: an index rebuilt, and why
