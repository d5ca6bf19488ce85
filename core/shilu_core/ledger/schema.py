"""The ledger's tables, as steps that only ever get more; a step that was released never changes."""

from __future__ import annotations

from shilu_core.ledger.entry_schema import PROTOCOL_STEPS, WAITING

APPLICATION_ID = 0x5348494C  # "SHIL", so that a foreign SQLite file is told apart

_WRITE_PATH = """
-- One row for each settled line of a submission file; `closed` once the file was moved.
CREATE TABLE receipts (
  name TEXT NOT NULL, digest TEXT NOT NULL, line INTEGER NOT NULL, outcome TEXT NOT NULL,
  text TEXT NOT NULL, fact TEXT NOT NULL DEFAULT '', plan TEXT NOT NULL DEFAULT '', at TEXT NOT NULL,
  closed INTEGER NOT NULL DEFAULT 0);
CREATE INDEX receipts_by_file ON receipts (name, digest, closed);
CREATE INDEX receipts_by_fact ON receipts (fact);
-- The items of the last shown review; body is JSON.
CREATE TABLE items (id TEXT PRIMARY KEY, body TEXT NOT NULL, first_seen TEXT NOT NULL);
-- Every ruling, in order; `applied` names the plan that carried it out.
CREATE TABLE decisions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, item TEXT NOT NULL, ruling TEXT NOT NULL, text TEXT NOT NULL DEFAULT '',
  note TEXT NOT NULL DEFAULT '', by TEXT NOT NULL, at TEXT NOT NULL, applied TEXT NOT NULL DEFAULT '');
CREATE INDEX decisions_by_item ON decisions (item, seq);
-- Values that were rejected or retracted; `key` is the folded text.
CREATE TABLE former (
  key TEXT NOT NULL, text TEXT NOT NULL, fate TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (key, fate));
-- What an apply or undo is about to write; body is JSON; `done` ends it.
CREATE TABLE plans (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL, by TEXT NOT NULL, at TEXT
  NOT NULL);
CREATE INDEX plans_by_state ON plans (state);
-- A note's bytes (zlib) before the first applied change.
CREATE TABLE origins (note TEXT PRIMARY KEY, data BLOB NOT NULL, digest TEXT NOT NULL, at TEXT NOT NULL);
-- A note's bytes (zlib) after the last recorded change: what a replay of `changes` over `origins` gives.
CREATE TABLE states (note TEXT PRIMARY KEY, data BLOB NOT NULL, digest TEXT NOT NULL);
-- Replaced files that an editor may still write through: path, and the bytes (zlib) they had when we replaced them.
CREATE TABLE kept (path TEXT PRIMARY KEY, note TEXT NOT NULL, data BLOB NOT NULL, at TEXT NOT NULL);
-- Each change of a note's bytes, in order; kind is add, end, remove, undo or foreign (a person's own edit, seen later).
CREATE TABLE changes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, plan TEXT NOT NULL, note TEXT NOT NULL, kind TEXT NOT NULL,
  fact TEXT NOT NULL DEFAULT '', text TEXT NOT NULL DEFAULT '', source TEXT NOT NULL DEFAULT '',
  hunks TEXT NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL, undone TEXT NOT NULL DEFAULT '',
  by TEXT NOT NULL, at TEXT NOT NULL);
CREATE INDEX changes_by_note ON changes (note, seq);
CREATE INDEX changes_by_plan ON changes (plan);
CREATE INDEX changes_by_fact ON changes (fact);
-- Where a person moved a fact of this kind to: the category's note from then on.
CREATE TABLE corrections (category TEXT NOT NULL, agent TEXT NOT NULL DEFAULT '', note TEXT NOT NULL, at TEXT NOT NULL,
  PRIMARY KEY (category, agent));
-- What was recalled, for use counts: ids and digests, never a prompt. Has a retention; the tables above have none.
CREATE TABLE recalls (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, harness TEXT NOT NULL DEFAULT '',
  facts TEXT NOT NULL, digest TEXT NOT NULL, at TEXT NOT NULL);
CREATE INDEX recalls_by_session ON recalls (session);
-- Everything else worth telling: refusals, quarantined files, imports.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL,
  at TEXT NOT NULL);
"""

# The list on the disk is the last shown review, so that a lost ledger costs no mark: nothing ever wrote this table.
_WITHOUT_ITEMS = """
DROP TABLE IF EXISTS items;
"""

STEPS: tuple[str, ...] = (*PROTOCOL_STEPS, _WRITE_PATH, WAITING, _WITHOUT_ITEMS)

# What an opened ledger must have, by table: a file without it is damaged.
NEEDED = {
    "entries": "id, track, scope, workspace_key, agent_key, text, tags, version, recall_count, session_id",
    "audit": "seq, ts, action, track, scope, entry_id, text, outcome, source, session_id",
    "proposals": "id, kind, track, scope, workspace_key, agent_key, text, session_id, status",
    "receipts": "name, digest, line",
    "plans": "id, kind, body, state",
    "changes": "seq, plan, note, kind",
}
