"""Session events: told to the host only for the types it has registered (section 16)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from shilu_host.protocol import wire
from shilu_host.protocol.writes import Change


@dataclass(frozen=True)
class Event:
    """A type and its data; the session id is added where the event is sent."""

    type: str
    data: dict[str, Any]


Emit = Callable[[str | None, Event], None]


def change_events(change: Change) -> Iterator[Event]:
    """One event for each entry that a write touched: removed ones first, then what is stored (16.2)."""
    for entry in change.removed:
        yield Event("memory/removed", {"entry": wire.entry(entry), "source": entry.source})
    for entry in change.stored:
        if change.previous is None:
            yield Event("memory/added", {"entry": wire.entry(entry), "source": entry.source})
        else:
            previous = wire.entry(change.previous)
            yield Event("memory/updated", {"previous": previous, "entry": wire.entry(entry), "source": entry.source})
