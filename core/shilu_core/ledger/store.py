"""Opening the ledger: one SQLite file per vault in the state folder, WAL, private, versioned."""

from __future__ import annotations

import secrets as random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shilu_core.files import create_exclusive
from shilu_core.ledger.opening import opened
from shilu_core.vault import Vault

IDENTITY_LENGTH = 32


def vault_identity(vault: Vault) -> str:
    """The vault's id from `.shilu/id`, made at first use; it stays with the folder when that is moved or
    linked.
    """
    path = vault.own / "id"
    for _ in range(2):
        try:
            return path.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            try:
                create_exclusive(path, (random.token_hex(IDENTITY_LENGTH // 2) + "\n").encode("ascii"))
            except FileExistsError:
                continue
    return path.read_text(encoding="ascii").strip()


def ledger_path(vault: Vault, state: Path) -> Path:
    """Where the vault's ledger stands below the state folder."""
    return state / vault_identity(vault) / "ledger.db"


class Ledger:
    """An open ledger. One connection, one thread; other processes may read and write at the same time."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    def open(cls, path: Path) -> Ledger:
        """Opens or makes the ledger; raises LedgerUnusable, touching nothing, where it is corrupt, foreign or
        newer.
        """
        return cls(path, opened(path))

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All writes inside happen, or none; the write lock is taken at the start."""
        if self._connection.in_transaction:
            yield
            return
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:  # SQLite ends it by itself where the disk is full
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        return self._connection.execute(statement, values)

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        return self._connection.execute(statement, values).fetchall()

    def row(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Row | None:
        found: sqlite3.Row | None = self._connection.execute(statement, values).fetchone()
        return found
