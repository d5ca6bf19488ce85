"""The protocol's tables as the four steps that stores of other providers went through, so that those open
here, too.

Source: dsh-memory-protocol v1, requirements 14.3 and 14.5. `meta` holds the version as text under
`schema_version`.
"""

from __future__ import annotations

_FIRST = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE entries (
  id TEXT PRIMARY KEY, track TEXT NOT NULL, scope TEXT NOT NULL, workspace_key TEXT NOT NULL, text TEXT NOT
  NULL,
  source TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, session_id TEXT);
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, ts INTEGER NOT NULL, action TEXT NOT NULL, track TEXT, scope TEXT,
  entry_id TEXT, text TEXT, outcome TEXT, source TEXT, session_id TEXT);
"""

_PROPOSALS = """
CREATE TABLE proposals (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, track TEXT NOT NULL, scope TEXT NOT NULL, workspace_key TEXT NOT
  NULL,
  text TEXT NOT NULL, source TEXT NOT NULL, session_id TEXT, status TEXT NOT NULL, created_at INTEGER NOT
  NULL,
  decided_at INTEGER, UNIQUE (session_id, kind));
"""

_RECALL = """
ALTER TABLE entries ADD COLUMN agent_key TEXT NOT NULL DEFAULT '';
ALTER TABLE entries ADD COLUMN last_recalled INTEGER;
ALTER TABLE entries ADD COLUMN recall_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE proposals ADD COLUMN agent_key TEXT NOT NULL DEFAULT '';
"""

_TAGS = """
ALTER TABLE entries ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
ALTER TABLE entries ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
"""

PROTOCOL_STEPS: tuple[str, ...] = (_FIRST, _PROPOSALS, _RECALL, _TAGS)

# Our own addition: where nobody could be asked, the refused write waits here for a person; `params` is JSON.
WAITING = """
CREATE TABLE asks (
  id TEXT PRIMARY KEY, method TEXT NOT NULL, params TEXT NOT NULL, reason TEXT NOT NULL, session_id TEXT,
  status TEXT NOT NULL, created_at INTEGER NOT NULL, decided_at INTEGER);
CREATE INDEX asks_by_status ON asks (status, created_at);
CREATE INDEX snapshots_by_session ON audit (session_id) WHERE action = 'snapshot';
CREATE INDEX entries_by_pot ON entries (track, scope, created_at);
"""
