"""One reason to look twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class HiddenFlag:
    """Something in a fact that a reader does not see or that tells the reader what to do."""

    kind: Literal["hidden-character", "hidden-instruction"]
    detail: str
