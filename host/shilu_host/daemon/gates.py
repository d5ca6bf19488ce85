"""The fitted parts of recall that the daemon hands to a turn: embedder, topic gate, abstention."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from shilu_core.embed import EmbedderSettings, resolve
from shilu_core.settings import Settings


def embedder(settings: Settings, cache: Path, state: Path) -> Any:
    """The configured embedder, None without one."""
    table = settings.tables.get("embedding")
    given = table if isinstance(table, dict) else {}
    wanted = settings.text("embedder") or str(given.get("embedder") or "auto")
    model, endpoint = str(given.get("model") or ""), str(given.get("endpoint") or "")
    return resolve(EmbedderSettings(wanted, model, endpoint, cache=cache, state=state))


def wanted(message: str, embedder: Any) -> tuple[bool, str]:
    """Whether a topic of the message needs memory, and which."""
    try:
        module = importlib.import_module("shilu_core.recall.gate")
    except ImportError:
        return True, ""
    gate = module.wants_memory(message, embedder.query(message) if embedder is not None else None)
    return gate.wanted, gate.topic


def threshold() -> float:
    """The least `Recall.answered` that is shown."""
    try:
        module = importlib.import_module("shilu_core.recall.abstain")
        return float(module.THRESHOLD)
    except (ImportError, AttributeError):
        return 0.0
