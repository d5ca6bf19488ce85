"""What stands against a submitted line: stored facts that still hold, and earlier lines of its batch.

Texts that were found to speak of one thing form a topic and do not rival each other for being the fact
concerned; a text that a later line superseded is out of the running, since later lines are compared with
the newer one.
"""

from __future__ import annotations

from dataclasses import dataclass

Reference = tuple[str, int]  # ("known", row) or ("line", index in the batch)


@dataclass(frozen=True)
class Found:
    """A candidate's place, its text, and the heading that it stands below."""

    reference: Reference
    text: str
    heading: str = ""


class Topics:
    """Which references belong together, and which are superseded."""

    def __init__(self) -> None:
        self._parent: dict[Reference, Reference] = {}
        self._superseded: set[Reference] = set()

    def topic(self, reference: Reference) -> Reference:
        """The reference that stands for all of one topic."""
        while (parent := self._parent.get(reference, reference)) != reference:
            reference = parent
        return reference

    def join(self, one: Reference, other: Reference) -> None:
        """Both speak of one thing from now on."""
        self._parent[self.topic(one)] = self.topic(other)

    def supersede(self, old: Reference) -> None:
        """`old` no longer holds within this batch."""
        self._superseded.add(old)

    def holds(self, reference: Reference) -> bool:
        return reference not in self._superseded
