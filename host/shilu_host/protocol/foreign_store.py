"""Entries of another provider's store file, read from a copy: the file itself is neither migrated nor locked."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from shilu_core.entries import EntryStore
from shilu_core.errors import UsageError
from shilu_core.ledger import Ledger
from shilu_host.protocol import wire


def read_entries(path: Path) -> list[dict[str, Any]]:
    """All entries in creation order, as an export has them; raises UsageError or LedgerUnusable for no such store."""
    if not path.is_file():
        raise UsageError(f"there is no store {path}; give the file, such as ~/.dsh/dsh-memento/memory.db")
    with tempfile.TemporaryDirectory(prefix="shilu-import-") as folder:
        copy = Path(folder) / "store.db"
        _copy(path, copy)
        with Ledger.open(copy) as ledger:
            return [wire.entry(entry) for entry in EntryStore(ledger).all()]


def _copy(path: Path, target: Path) -> None:
    """A whole copy, what stands in its log included, by SQLite's own backup."""
    logged = Path(f"{path}-wal").exists()  # without a log the file is complete, and as immutable it stays without one
    uri = path.absolute().as_uri() + ("?mode=ro" if logged else "?mode=ro&immutable=1")
    try:
        with closing(sqlite3.connect(uri, uri=True)) as source, closing(sqlite3.connect(target)) as copied:
            source.backup(copied)
    except sqlite3.DatabaseError as error:
        raise UsageError(f"{path} is no store of the memory protocol ({error}); give its database file") from error
