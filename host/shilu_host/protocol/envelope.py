"""The export envelope, both ways (section 12)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from shilu_host.protocol import wire
from shilu_host.protocol.books import Books
from shilu_host.protocol.errors import invalid

PLUGIN = "dsh-memento"  # a literal of the format, whichever provider writes it (1.5)
SCHEMA = "memory-export-v1"
ENTRY_LIMIT = 1000  # entries of one import
_CARRIED = ("workspaceKey", "agentKey", "source")  # where non-empty


def export(books: Books) -> dict[str, Any]:
    """Everything stored, as one document; no approval, no audit row (12.1)."""
    stamp = datetime.fromtimestamp(books.now() / 1000, UTC).isoformat(timespec="milliseconds")
    return {
        "plugin": PLUGIN,
        "schema": SCHEMA,
        "exportedAt": stamp.replace("+00:00", "Z"),
        "budgets": [wire.usage(usage) for usage in books.budgets()],
        "entries": [wire.entry(entry) for entry in books.entries.all()],
    }


def seed_inputs(payload: object) -> list[dict[str, Any]]:
    """The add inputs of an envelope; raises INVALID_INPUT for anything that is none (12.4)."""
    if not isinstance(payload, dict) or payload.get("plugin") != PLUGIN:
        raise invalid(f"the payload is no export: its plugin must be {PLUGIN}")
    if payload.get("schema") != SCHEMA:
        raise invalid(f"the export's schema must be {SCHEMA}")
    entries = payload.get("entries")
    if not isinstance(entries, list) or not 1 <= len(entries) <= ENTRY_LIMIT:
        raise invalid(f"an import takes a list of 1 to {ENTRY_LIMIT} entries")
    return [_input(number, item) for number, item in enumerate(entries, 1)]


def _input(number: int, item: object) -> dict[str, Any]:
    needed = ("track", "scope", "text")
    if not isinstance(item, dict) or not all(isinstance(item.get(name), str) for name in needed) or not item["text"]:
        raise invalid(f"entry {number} of the export needs track, scope and a non-empty text")
    carried = {name: item[name] for name in _CARRIED if isinstance(item.get(name), str) and item[name]}
    return {**{name: item[name] for name in needed}, "tags": item.get("tags"), **carried}
