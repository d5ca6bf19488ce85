"""Proposals: candidate memories that wait for a person (section 11 of the protocol)."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from shilu_core.ledger import Ledger

PENDING = "pending"
_COLUMNS = "id, kind, track, scope, workspace_key, agent_key, text, source, session_id, status, created_at, decided_at"


@dataclass(frozen=True)
class Proposal:
    """A pending candidate until someone decides; times are epoch milliseconds."""

    id: str
    kind: str
    track: str
    scope: str
    workspace_key: str
    agent_key: str
    text: str
    source: str
    session_id: str | None
    status: str
    created_at: int
    decided_at: int | None = None


class ProposalStore:
    """The `proposals` table; one proposal for each session and kind."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def insert(self, proposal: Proposal) -> None:
        values = [getattr(proposal, name) for name in _COLUMNS.split(", ")]
        self._ledger.execute(f"INSERT INTO proposals ({_COLUMNS}) VALUES ({', '.join('?' * len(values))})", values)

    def exists(self, session_id: str | None, kind: str) -> bool:
        return (
            self._ledger.row("SELECT 1 FROM proposals WHERE session_id IS ? AND kind = ?", (session_id, kind))
            is not None
        )

    def pending_count(self) -> int:
        row = self._ledger.row("SELECT count(*) AS n FROM proposals WHERE status = ?", (PENDING,))
        return int(row["n"]) if row else 0

    def get(self, proposal_id: str) -> Proposal | None:
        row = self._ledger.row(f"SELECT {_COLUMNS} FROM proposals WHERE id = ?", (proposal_id,))
        return None if row is None else _proposal(row)

    def list(self, status: str | None = None, limit: int | None = None) -> list[Proposal]:
        """Oldest first; all of them unless narrowed."""
        rows = self._ledger.rows(
            f"SELECT {_COLUMNS} FROM proposals WHERE ?1 IS NULL OR status = ?1 ORDER BY created_at, rowid LIMIT ?2",
            (status, -1 if limit is None else limit),
        )
        return [_proposal(row) for row in rows]

    def decide(self, proposal_id: str, status: str, now: int) -> bool:
        """Sets the status of a pending proposal; False where somebody was first."""
        cursor = self._ledger.execute(
            "UPDATE proposals SET status = ?, decided_at = ? WHERE id = ? AND status = ?",
            (status, now, proposal_id, PENDING),
        )
        return cursor.rowcount == 1


def _proposal(row: sqlite3.Row) -> Proposal:
    return Proposal(**dict(row))
