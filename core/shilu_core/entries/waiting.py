"""Writes that nobody could be asked about: refused, and kept for a person to allow or refuse later."""

from __future__ import annotations

import base64
import json
import secrets as random
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shilu_core.ledger import Ledger

WAITING_LIMIT = 200  # further ones are dropped: an agent that asks without end must not fill the disk
_COLUMNS = "id, method, params, reason, session_id, status, created_at, decided_at"


@dataclass(frozen=True)
class WaitingWrite:
    """One write as it was sent; `reason` is the request form that a person reads. Times are epoch
    milliseconds.
    """

    id: str
    method: str
    params: Mapping[str, Any]
    reason: str
    session_id: str | None
    status: str  # pending | allowed | refused
    created_at: int
    decided_at: int | None = None


class WaitingWrites:
    """The `asks` table."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def put(self, method: str, params: Mapping[str, Any], reason: str, session_id: str | None, now: int) -> None:
        """Keeps a write, once: the same one again changes nothing while the first waits."""
        body = json.dumps(params, sort_keys=True)
        same = self._ledger.row(
            "SELECT 1 FROM asks WHERE status = 'pending' AND method = ? AND params = ?", (method, body)
        )
        if same is not None or len(self.pending()) >= WAITING_LIMIT:
            return
        values = (_new_id(), method, body, reason, session_id, "pending", now, None)
        self._ledger.execute(f"INSERT INTO asks ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)

    def pending(self) -> list[WaitingWrite]:
        """What waits, oldest first."""
        statement = f"SELECT {_COLUMNS} FROM asks WHERE status = 'pending' ORDER BY created_at, rowid"
        return [_write(row) for row in self._ledger.rows(statement)]

    def get(self, write_id: str) -> WaitingWrite | None:
        row = self._ledger.row(f"SELECT {_COLUMNS} FROM asks WHERE id = ?", (write_id,))
        return None if row is None else _write(row)

    def settle(self, write_id: str, status: str, now: int) -> bool:
        """Decides a waiting write; False where somebody was first."""
        cursor = self._ledger.execute(
            "UPDATE asks SET status = ?, decided_at = ? WHERE id = ? AND status = 'pending'",
            (status, now, write_id),
        )
        return cursor.rowcount == 1


def _new_id() -> str:
    """Ten base32 characters, like the ids of the other items of the review list."""
    return base64.b32encode(random.token_bytes(7)).decode("ascii").lower()[:10]


def _write(row: sqlite3.Row) -> WaitingWrite:
    return WaitingWrite(**{**dict(row), "params": json.loads(row["params"])})
