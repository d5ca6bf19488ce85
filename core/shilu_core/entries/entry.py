"""An entry of dsh-memory-protocol v1, and who may see it."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from shilu_core.errors import ShiluError

USER_GLOBAL = "user-global"
WORKSPACE = "workspace"


class EntryUnreadable(ShiluError):
    """A stored row breaks the entry model; the store needs repair."""


@dataclass(frozen=True)
class Entry:
    """The protocol's unit of memory; times are epoch milliseconds, keys are '' where the entry is shared."""

    id: str
    track: str
    scope: str
    workspace_key: str
    agent_key: str
    text: str
    source: str
    tags: tuple[str, ...]
    version: int
    created_at: int
    updated_at: int
    last_recalled: int | None
    recall_count: int
    session_id: str | None


@dataclass(frozen=True)
class Viewpoint:
    """Whose eyes look: a key of None stands for a view that is not narrowed by it."""

    workspace_key: str | None = None
    agent_key: str | None = None

    def sees(self, scope: str, workspace_key: str, agent_key: str) -> bool:
        """Whether something with these keys is visible (requirement 3.5)."""
        if self.agent_key is not None and agent_key not in ("", self.agent_key):
            return False
        return scope != WORKSPACE or self.workspace_key is None or workspace_key == self.workspace_key

    def sees_entry(self, entry: Entry) -> bool:
        return self.sees(entry.scope, entry.workspace_key, entry.agent_key)


COLUMNS = (
    "id, track, scope, workspace_key, agent_key, text, source, tags, version, created_at, updated_at, "
    "last_recalled, recall_count, session_id"
)


def from_row(row: sqlite3.Row) -> Entry:
    """The entry of a row; raises EntryUnreadable where the tags column is broken.

    Older providers kept a workspace key on user-global entries; by the specification it is empty (D1).
    """
    return Entry(
        id=row["id"],
        track=row["track"],
        scope=row["scope"],
        workspace_key="" if row["scope"] == USER_GLOBAL else row["workspace_key"],
        agent_key=row["agent_key"],
        text=row["text"],
        source=row["source"],
        tags=_tags(row["id"], row["tags"]),
        version=row["version"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        last_recalled=row["last_recalled"],
        recall_count=row["recall_count"],
        session_id=row["session_id"],
    )


def to_row(entry: Entry) -> tuple[object, ...]:
    """The values for `COLUMNS`, in order."""
    return (
        entry.id,
        entry.track,
        entry.scope,
        entry.workspace_key,
        entry.agent_key,
        entry.text,
        entry.source,
        json.dumps(entry.tags, ensure_ascii=False),
        entry.version,
        entry.created_at,
        entry.updated_at,
        entry.last_recalled,
        entry.recall_count,
        entry.session_id,
    )


def _tags(entry_id: str, stored: object) -> tuple[str, ...]:
    try:
        tags = json.loads(stored) if isinstance(stored, str) else None
    except ValueError:
        tags = None
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise EntryUnreadable(
            f"the tags of entry {entry_id} are no JSON list of strings; restore the store from a backup"
        )
    return tuple(tags)
