"""Opening the ledger: one SQLite file per vault in the state folder, WAL, private, versioned."""

from __future__ import annotations

import os
import secrets as random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from shilu_core.errors import ShiluError
from shilu_core.files import create_exclusive, make_folder, replace_whole
from shilu_core.ledger.opening import opened
from shilu_core.vault import Vault

IDENTITY_LENGTH = 32
_HEXADECIMAL = frozenset("0123456789abcdef")


def vault_identity(vault: Vault) -> str:
    """The vault's id from `.shilu/id`, made at first use; it stays with the folder when that is moved or
    linked.
    """
    path = vault.own / "id"
    if not path.exists():
        with suppress(FileExistsError):
            create_exclusive(path, _new_identity())
    identity = path.read_bytes().decode("ascii", "replace").strip()
    if len(identity) != IDENTITY_LENGTH or not _HEXADECIMAL.issuperset(identity):
        raise ShiluError(
            f"{path} holds no vault id; put {IDENTITY_LENGTH} hexadecimal digits back, or remove it: "
            "the history then begins anew, the facts stay"
        )
    return identity


def _new_identity() -> bytes:
    return (random.token_hex(IDENTITY_LENGTH // 2) + "\n").encode("ascii")


def ledger_path(vault: Vault, state: Path) -> Path:
    """Where the vault's ledger stands below the state folder; a copied vault gets one of its own."""
    part_from_original(vault, state)
    return state / vault_identity(vault) / "ledger.db"


def part_from_original(vault: Vault, state: Path) -> str:
    """Gives a copy (`cp -r`) of a vault an id of its own and says so, `""` where the vault is no copy.

    The state folder remembers where the vault with this id stands. It is a copy where that folder still stands
    elsewhere with the same id; where it does not, the vault was moved and keeps its history.
    """
    remembered = state / vault_identity(vault) / "folder"
    here = os.fsencode(vault.folder)
    known = remembered.read_bytes() if remembered.is_file() else b""
    if known == here:
        return ""
    original = Path(os.fsdecode(known)) if known else None
    if original is not None and _is_other_vault(original, vault):
        replace_whole(vault.own / "id", _new_identity())
        remembered = state / vault_identity(vault) / "folder"
    else:
        original = None
    make_folder(remembered.parent, private=True)
    replace_whole(remembered, here, private=True)
    if original is None:
        return ""
    return f"{vault.folder} is a copy of the vault {original}: it got an id and a ledger of its own"


def _is_other_vault(original: Path, vault: Vault) -> bool:
    try:
        same_identity = (original / ".shilu" / "id").read_bytes() == (vault.own / "id").read_bytes()
        return same_identity and not os.path.samefile(original, vault.folder)
    except OSError:
        return False


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
        return self._connection.execute(statement, [_storable(value) for value in values])

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        return self.execute(statement, values).fetchall()

    def row(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Row | None:
        found: sqlite3.Row | None = self.execute(statement, values).fetchone()
        return found


def _storable(value: Any) -> Any:
    """Text with lone surrogates (a note's bytes that are no UTF-8) is stored with escapes; SQLite refuses it."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
