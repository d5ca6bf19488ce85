"""What a fact hides: characters that are not seen, and sentences that instruct the reader.

`visible` makes the characters seen; `flags` says what a person should look at. Nothing is changed or removed.
"""

from __future__ import annotations

from shilu_core.hidden.characters import findings, visible
from shilu_core.hidden.flag import HiddenFlag

__all__ = ["HiddenFlag", "flags", "visible"]


def flags(text: str) -> tuple[HiddenFlag, ...]:
    """Why `text` needs a decision of its own; empty where nothing is hidden.

    `detail` is for a person: what it is and the words or characters that show it, hidden characters made visible.
    """
    # A recall turn needs `visible` alone; the wording tables are read where something is reviewed.
    from shilu_core.hidden.instructions import instructions

    hidden = tuple(HiddenFlag("hidden-character", detail) for detail in findings(text))
    told = tuple(HiddenFlag("hidden-instruction", visible(detail)) for detail in instructions(text))
    return hidden + told
