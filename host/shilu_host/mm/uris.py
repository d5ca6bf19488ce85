"""`mm://<memoryId>/<topic>` and its short form `mm:<topic>` (3.3)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from shilu_host.mm.text import SLUG, validate_topic

_CANONICAL = re.compile(f"mm://({SLUG})/({SLUG})")
_SHORT = re.compile(f"mm:({SLUG})")


@dataclass(frozen=True)
class MemoryUri:
    """What a URI names; `memory_id` is None in the short form, which means the reader's own memory."""

    memory_id: str | None
    topic: str


def parse_memory_uri(text: object) -> MemoryUri | None:
    """The parts of a URI that is `text` as a whole; None for anything else."""
    if not isinstance(text, str):
        return None
    if matched := _CANONICAL.fullmatch(text):
        return MemoryUri(matched[1], matched[2])
    if matched := _SHORT.fullmatch(text):
        return MemoryUri(None, matched[1])
    return None


def uri_for(memory_id: str, topic: object) -> str:
    """The canonical URI; raises E_INVALID for a topic that is none."""
    return f"mm://{memory_id}/{validate_topic(topic)}"
