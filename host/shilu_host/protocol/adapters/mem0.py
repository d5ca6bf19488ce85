"""mem0: extracted facts with metadata (13.5-13.7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

ID = "mem0"


def adapt(payload: Any) -> list[dict[str, Any]]:
    """Add inputs for a list of facts, or an object that holds one; everything lands in user/user-global."""
    facts = payload.get("facts") if isinstance(payload, dict) else payload
    if not isinstance(facts, list):
        raise ValueError("expected a list of facts, or an object with one as `facts`; conversations are not mapped")
    return [_input(number, fact) for number, fact in enumerate(facts, 1)]


def _input(number: int, fact: Any) -> dict[str, Any]:
    memory = fact.get("memory") if isinstance(fact, dict) else None
    if not isinstance(memory, str) or not memory:
        raise ValueError(f"fact {number} has no non-empty `memory`")
    tags = _tags(fact.get("metadata"))
    return {"track": "user", "scope": "user-global", "text": memory, "source": ID, "tags": tags}


def _tags(metadata: Any) -> list[str]:
    if not isinstance(metadata, dict):
        return []
    listed = metadata.get("tags")
    labels = [metadata.get("category"), *(listed if isinstance(listed, list) else [])]
    return list(dict.fromkeys(label for label in labels if isinstance(label, str) and label))


def export(entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Facts with times in milliseconds; track and scope travel as metadata only."""
    return {"plugin": ID, "facts": [_fact(entry) for entry in entries]}


def _fact(entry: dict[str, Any]) -> dict[str, Any]:
    return {
        "memory": entry["text"],
        "created_at": entry.get("createdAt"),
        "updated_at": entry.get("updatedAt"),
        "metadata": {
            "track": entry["track"],
            "scope": entry["scope"],
            "source": entry.get("source"),
            "workspace_key": entry.get("workspaceKey"),
            "agent_key": entry.get("agentKey"),
            "tags": entry.get("tags", []),
        },
    }
