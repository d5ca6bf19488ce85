"""Opening the ledger: one SQLite file per vault in the state folder, WAL, private, versioned."""

from __future__ import annotations

import os
import secrets as random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shilu_core.errors import LedgerUnusable
from shilu_core.files import create_exclusive, make_folder
from shilu_core.ledger.schema import APPLICATION_ID, STEPS
from shilu_core.vault import Vault

BUSY_SECONDS = 30.0  # as long as the vault's lock is waited for
IDENTITY_LENGTH = 32


def vault_identity(vault: Vault) -> str:
    """The vault's id from `.shilu/id`, made at first use; it stays with the folder when that is moved or linked."""
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
        """Opens or makes the ledger; raises LedgerUnusable, touching nothing, where it is corrupt, foreign or newer."""
        make_folder(path.parent, private=True)
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        try:
            _prepare(connection, path)
        except sqlite3.DatabaseError as error:
            connection.close()
            if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
                raise LedgerUnusable(f"the ledger {path} is locked by another process; try again when it is done") from error
            raise LedgerUnusable(_corrupt(path, str(error))) from error
        except LedgerUnusable:
            connection.close()
            raise
        return cls(path, connection)

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


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if tables and application != APPLICATION_ID:
        raise LedgerUnusable(_corrupt(path, "it is a database of another program"))
    if version > len(STEPS):
        raise LedgerUnusable(
            f"the ledger {path} has schema {version}, newer than this version's {len(STEPS)}; it was left alone: update shilu"
        )
    if tables:
        damage = connection.execute("PRAGMA quick_check(1)").fetchone()[0] if path.stat().st_size < 1 << 22 else "ok"
        if damage != "ok":
            raise LedgerUnusable(_corrupt(path, str(damage)))
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    if version < len(STEPS):
        _migrate(connection)


def _migrate(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        for step in STEPS[version:]:
            for statement in filter(str.strip, step.split(";\n")):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {max(version, len(STEPS))}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _corrupt(path: Path, reason: str) -> str:
    return (
        f"the ledger {path} can't be read ({reason}); it was left alone. Move it away to go on without its history "
        "(facts stay in the notes), or put a backup or `shilu ledger import FILE` in its place"
    )
