"""What an embedder is: texts in, unit vectors out, and the scripts it may be trusted with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from shilu_core.embed.vectors import Vectors

Role = Literal["passage", "query"]


class Encoder(Protocol):
    """A model as it comes: no centring, no abstention; `encode` takes cleaned texts."""

    @property
    def name(self) -> str: ...

    @property
    def weights(self) -> str:
        """What tells these weights from any others: a digest, or a name and version."""
        ...

    @property
    def dimensions(self) -> int: ...

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        """float32 `(len(texts), dimensions)`, rows of length 1."""
        ...


class Embedder(Protocol):
    """A registered model: vectors of equal `model_id` may be compared with each other, and no others."""

    @property
    def name(self) -> str: ...

    @property
    def model_id(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def scripts(self) -> frozenset[str]:
        """Scripts it may vote on (`shilu_core.embed.scripts`), as the probe found at registration."""
        ...

    def may_vote(self, text: str) -> bool:
        """True if every script of `text` is one of `scripts`; neither lines nor queries are compared
        otherwise."""
        ...

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of stored lines, float32 `(len(texts), dimensions)`, rows of length 1."""
        ...

    def query(self, text: str) -> Vectors:
        """Vector of a question, float32 `(dimensions,)`, length 1."""
        ...
