"""Approvals: what is asked, how the answer is read, and how the audit names it (section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shilu_core import utf16
from shilu_core.entries import Entry
from shilu_host.protocol.fields import NewEntry

ALLOWED = "allowed-once"
REJECTED = "rejected"
CANCELLED = "cancelled"
UNAVAILABLE = "unavailable"
TARGET_UNITS = 300  # of each consolidated text that the request shows
BATCH = "batch"  # track and scope of a seed


@dataclass(frozen=True)
class Ask:
    """One approval request: the complete change, never an abstract action."""

    action: str
    track: str
    scope: str
    text: str
    source: str | None = None
    count: int | None = None
    via: str = "approval"

    @property
    def reason(self) -> str:
        """The host-side request form, to be parsed back without loss (6.6)."""
        count = "" if self.count is None else f" ({self.count} entries)"
        labelled = self.source and "]" not in self.source
        label = f" [source:{self.source}]" if labelled else ""
        return f"[dsh-memento] {self.action}{count} {self.track}/{self.scope}{label}\n{self.text}"

    def payload(self) -> dict[str, Any]:
        """The payload of the approval transport (6.2)."""
        payload: dict[str, Any] = {
            "action": self.action,
            "track": self.track,
            "scope": self.scope,
            "text": self.text,
        }
        if self.count is not None:
            payload["count"] = self.count
        if self.source is not None:
            payload["source"] = self.source
        return payload


def read_outcome(answer: object) -> str:
    """The outcome word of an answer; anything that is none counts as nobody there."""
    return utf16.mended(answer).replace("\0", "\ufffd") if isinstance(answer, str) and answer else UNAVAILABLE


def label(outcome: str, via: str, policy: str) -> str:
    """The audit's name of the real decision source (8.4, D9)."""
    return f"{outcome} (via write gate)" if via == "gate" else f"{outcome} (via approval, writePolicy {policy})"


def replacing(old: str, new: str) -> str:
    return f"from:\n{old}\n\nto:\n{new}"


def consolidating(matches: Sequence[str], targets: Sequence[Entry], new: str) -> str:
    removed = [
        f"remove: {match}\n{utf16.excerpt(target.text, TARGET_UNITS)}"
        for match, target in zip(matches, targets, strict=True)
    ]
    return "\n".join([*removed, f"new text: {new}"])


def seeding(batch: Sequence[NewEntry]) -> str:
    return "\n".join(f"{item.track}/{item.scope}: {item.text}" for item in batch)
