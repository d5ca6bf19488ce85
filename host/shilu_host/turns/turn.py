"""What a turn is made of: what the harness told, and what it gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Event = Literal["prompt", "start", "compact", "clear", "end", "other"]


@dataclass(frozen=True)
class Turn:
    """One call of a hook, the same for every harness."""

    harness: str
    event: Event
    message: str = ""  # the newest message of a person, wrappers of the harness taken off
    session: str = ""
    event_name: str = ""  # as the harness calls it
    skip: str = ""  # a reason, as in REASONS, that the payload itself gives for recalling nothing
    plugin: Mapping[str, Any] = field(default_factory=dict)  # plug-in settings that came along
    folder: str = ""  # where the session works, as far as the harness tells
    agent: str = ""  # its agent preset, likewise

    @property
    def key(self) -> str:
        """Name of the session among all harnesses; `""` where the harness names none."""
        return f"{self.harness}:{self.session}" if self.session else ""


@dataclass(frozen=True)
class Reply:
    """What goes into the turn; all empty where nothing does."""

    reason: str  # one of REASONS
    block: str = ""
    rules: str = ""
    notice: str = ""  # for the person, never for the model
    facts: Mapping[str, str] = field(default_factory=dict)  # id -> digest of what was shown
    detail: str = ""

    @property
    def text(self) -> str:
        return "\n\n".join(part for part in (self.rules, self.block) if part)


REASONS: dict[str, str] = {
    "shown": "facts were put into the turn",
    "rules": "the rules were put into the session",
    "off": "recall is off",
    "no vault": "no vault is configured",
    "not a prompt": "this event carries no message of a person",
    "later step": "only the first step of a turn recalls",
    "relayed": "the message is no person's own: relayed, or of a plug-in",
    "subagent": "the prompt of a subagent comes from its parent",
    "slash command": "the message is a command of the harness",
    "holds a block": "the message holds a recall block already",
    "frozen": "the harness froze the list of messages",
    "short": "the message is too short, or an acknowledgement",
    "no topic": "no topic of the message needs memory",
    "no hit": "the search found nothing",
    "abstained": "what was found hardly answers the message",
    "shown before": "all that was found stands in this session already",
    "starting": "the index is being built",
    "timeout": "no answer within the limit",
    "core broken": "the search failed",
}
