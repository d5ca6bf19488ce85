"""What waits from other channels than the inbox's files: shown, decided and applied with everything else.

The memory protocol's refused asks and proposals come in here; the inbox knows them by their items alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from shilu_core.layout import Language

from shilu_inbox.flag_words import hidden_flags
from shilu_inbox.review import OUTSIDE, Item
from shilu_inbox.verdicts import Judgement, Submitted


class Outside(Protocol):
    """A channel with things of its own that wait for a person."""

    def items(self) -> Sequence[Item]:
        """What waits, oldest first."""
        ...

    def carry_out(self, identity: str, accepted: bool) -> str:
        """Does or drops the thing of this item and tells the id of what was stored; raises ShiluError if it can't."""
        ...


def outside_item(
    identity: str, text: str, place: str, *, agent: str, session: str, reason: str, arrived: float, language: Language
) -> Item:
    """The item of one thing that waits: never ticked by itself, hidden characters flagged. `place` is where it goes."""
    flags = hidden_flags(text, language)
    submitted = Submitted(text, OUTSIDE, "", 0, agent=agent, session=session)
    return Item(identity, submitted, Judgement("new", reason, note=place, flags=flags), "pending", arrived=arrived)
