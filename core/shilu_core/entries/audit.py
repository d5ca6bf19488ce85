"""The audit rows of the protocol: one for everything that was asked, decided, changed or recalled."""

from __future__ import annotations

from dataclasses import dataclass

from shilu_core.ledger import Ledger

READ_ACTIONS = ("recalled", "snapshot")  # the only rows that a retention may drop: changes stay replayable
_COLUMNS = "ts, action, track, scope, entry_id, text, outcome, source, session_id"


@dataclass(frozen=True)
class AuditRow:
    """`ts` is epoch milliseconds; `seq` rises strictly and is 0 until the row is stored."""

    ts: int
    action: str
    outcome: str
    track: str | None = None
    scope: str | None = None
    entry_id: str | None = None
    text: str | None = None
    source: str | None = None
    session_id: str | None = None
    seq: int = 0


class AuditLog:
    """The `audit` table, append-only but for the retention of read rows."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def append(self, row: AuditRow) -> None:
        self._ledger.execute(
            f"INSERT INTO audit ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                row.ts,
                row.action,
                row.track,
                row.scope,
                row.entry_id,
                row.text,
                row.outcome,
                row.source,
                row.session_id,
            ),
        )

    def newest(self, limit: int) -> list[AuditRow]:
        rows = self._ledger.rows(f"SELECT seq, {_COLUMNS} FROM audit ORDER BY seq DESC LIMIT ?", (limit,))
        return [AuditRow(**dict(row)) for row in rows]

    def snapshot(self, session_id: str) -> str | None:
        """The text that this session was first shown, or None where it saw no snapshot yet."""
        row = self._ledger.row(
            "SELECT text FROM audit WHERE action = 'snapshot' AND session_id = ? ORDER BY seq LIMIT 1",
            (session_id,),
        )
        return None if row is None else row["text"] or ""

    def drop_reads(self, before: int) -> None:
        """Drops read rows older than `before` (epoch milliseconds)."""
        marks = ", ".join("?" * len(READ_ACTIONS))
        self._ledger.execute(f"DELETE FROM audit WHERE ts < ? AND action IN ({marks})", (before, *READ_ACTIONS))
