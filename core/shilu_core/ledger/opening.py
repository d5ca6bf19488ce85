"""Opening the ledger's file: looked at read-only first, so that a corrupt, foreign or newer one is left
alone.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from shilu_core.errors import LedgerNewer, LedgerUnusable
from shilu_core.files import make_folder
from shilu_core.ledger.entry_schema import PROTOCOL_STEPS
from shilu_core.ledger.schema import APPLICATION_ID, NEEDED, STEPS

BUSY_SECONDS = 30.0  # as long as the vault's lock is waited for
CHECKED_BYTES = 1 << 22  # up to this size every page is checked at each opening (some milliseconds)
LOOKS = 4  # before a file is called damaged
LOOK_SECONDS = 0.1  # between them: making a ledger takes some milliseconds
_MAGIC = b"SQLite format 3\0"
_THE_DISKS_FAULT = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
_RETRY_SECONDS = 0.02  # between two tries to switch to WAL, which SQLite doesn't wait for by itself


def opened(path: Path) -> sqlite3.Connection:
    """A connection to the ledger of the newest schema, made where there is none, migrated where it is older.

    Raises LedgerNewer or LedgerUnusable and changes nothing where the file can't be used. The file is private (0600).
    """
    with _named_errors(path):
        make_folder(path.parent, private=True)
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        _inspect_patiently(path)
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        try:
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def _inspect_patiently(path: Path) -> None:
    """Looks again before a file is called damaged: another process may be in the middle of making it."""
    for _ in range(LOOKS - 1):
        try:
            return _inspect(path)
        except LedgerNewer:
            raise
        except (LedgerUnusable, sqlite3.DatabaseError):
            time.sleep(LOOK_SECONDS)
    return _inspect(path)


def _inspect(path: Path) -> None:
    with open(path, "rb") as stream:
        start = stream.read(len(_MAGIC))
    if not start:
        return  # just made, here or by another process
    if start != _MAGIC:
        raise LedgerUnusable(_corrupt(path, "it is no SQLite database"))
    # Without a log beside it the file is complete, and read as immutable it stays without one.
    logged = Path(f"{path}-wal").exists()
    uri = path.absolute().as_uri() + ("?mode=ro" if logged else "?mode=ro&immutable=1")
    with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
        version = _version(connection, path)
        if path.stat().st_size <= CHECKED_BYTES:
            damage = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
            if damage != "ok":
                raise LedgerUnusable(_corrupt(path, damage))
        if version == len(STEPS):
            _check_tables(connection)
        elif version:
            _rehearse(connection, version)


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """The steps this file has behind it; 0 for an empty one. Stores of other providers have some of the
    protocol's.
    """
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        return 0
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    if application not in (0, APPLICATION_ID) or "meta" not in tables:
        raise LedgerUnusable(_corrupt(path, "it is a database of another program"))
    row = connection.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchone()
    stored = "0" if row is None else str(row[0])
    if stored == "0" and application == 0 and {"entries", "audit"} <= tables:
        return 1  # made before versions were kept: the first step's tables
    if not (stored.isascii() and stored.isdigit()) or int(stored) == 0:
        raise LedgerUnusable(_corrupt(path, f"its schema version is {stored[:40]!r}"))
    if int(stored) > len(STEPS):
        raise LedgerNewer(
            f"the ledger {path} has schema {stored[:40]}, newer than this version's {len(STEPS)}; it was left alone: update shilu"
        )
    if application == 0 and int(stored) > len(PROTOCOL_STEPS):
        raise LedgerUnusable(_corrupt(path, "it is a database of another program"))
    return int(stored)


def _check_tables(connection: sqlite3.Connection) -> None:
    for table, columns in NEEDED.items():
        connection.execute(f"SELECT {columns} FROM {table} LIMIT 0")


def _rehearse(connection: sqlite3.Connection, version: int) -> None:
    """Takes the missing steps on an empty copy of the file's tables: what could not be migrated is named before
    a byte of it changes, and switching to WAL already changes some.
    """
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
        for (statement,) in connection.execute(
            "SELECT sql FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND sql NOT LIKE '% VIRTUAL %'"
        ):
            copy.execute(statement)
        _take_steps(copy, version)
        _check_tables(copy)


def _take_steps(connection: sqlite3.Connection, version: int) -> None:
    for step in STEPS[version:]:
        for statement in filter(str.strip, step.split(";\n")):
            connection.execute(statement)


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    _switch_to_wal(connection)
    connection.execute("PRAGMA synchronous = FULL")
    if _version(connection, path) < len(STEPS):
        _migrate(connection, path)
    for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        with suppress(OSError):
            os.chmod(name, 0o600)


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_SECONDS)


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    """All missing steps in one transaction: killed half-way, the file is as before."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        _take_steps(connection, _version(connection, path))
        _check_tables(connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(
            "DELETE FROM meta WHERE key = 'schema_version'"
        )  # a foreign table may have no key to replace by
        connection.execute("INSERT INTO meta (key, value) VALUES ('schema_version', ?)", (str(len(STEPS)),))
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def _named_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
            raise LedgerUnusable(
                f"the ledger {path} is locked by another process; try again when it is done"
            ) from error
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _THE_DISKS_FAULT:
            raise LedgerUnusable(
                f"the ledger {path} can't be opened ({error}); nothing is wrong with it: mend the disk (space, "
                "permissions) and try again"
            ) from error
        raise LedgerUnusable(_corrupt(path, str(error))) from error
    except OSError as error:
        raise LedgerUnusable(_corrupt(path, error.strerror or str(error))) from error


def _corrupt(path: Path, reason: str) -> str:
    return (
        f"the ledger {path} can't be read ({reason}); it was left alone. Move it away to go on without its history "
        "(facts stay in the notes), or put a backup or `shilu ledger import FILE` in its place"
    )
