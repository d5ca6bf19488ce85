"""`initialize`: which store a connection works on, and with which settings."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shilu_core import utf16
from shilu_core.entries import EntryUnreadable
from shilu_core.errors import LedgerNewer, LedgerUnusable
from shilu_core.ledger import SCHEMA_VERSION, Ledger

from shilu_host.protocol import wire
from shilu_host.protocol.approvals import Ask
from shilu_host.protocol.errors import invalid, store_error
from shilu_host.protocol.provider import Provider
from shilu_host.protocol.settings import Settings, read_events, read_settings

V1 = "dsh-memory-protocol/v1"
MM = "mm/v1"
_VAULT_FIELDS = {"protocol", "knownSessionEvents"}  # all that a client may say about the vault's own store
SERVER_VERSION = "0.1.0"

# What SQLite says of troubles that are not the file's: another process, the disk, the rights.
_PASSING = ("locked", "busy", "full", "readonly", "disk I/O")

Tell = Callable[[str, str, dict[str, Any]], None]
FileAsk = Callable[[str, Mapping[str, Any], Ask], None]
change = wire.change


@dataclass(frozen=True)
class VaultStore:
    """The vault's own ledger, the settings that its configuration gives, and where refused asks wait."""

    ledger: Ledger
    settings: Settings
    file_ask: FileAsk


@dataclass(frozen=True)
class Session:
    """What one initialized connection works on; `provider` is None in a run that only uses mm."""

    provider: Provider | None
    ledger: Ledger | None
    path: str
    file_ask: FileAsk | None = None
    protocol: str = V1

    @property
    def greeting(self) -> dict[str, Any]:
        server = {"name": "shilu", "version": SERVER_VERSION}
        return {"protocol": self.protocol, "storeSchemaVersion": SCHEMA_VERSION, "server": server}

    def named(self, error: Exception) -> Exception:
        """The domain error behind a failure of the store; anything else as it is."""
        return _store_failure(error, self.path)

    def close(self) -> None:
        if self.ledger is not None:
            self.ledger.close()


@dataclass(frozen=True)
class Opener:
    """Opens stores for connections; `vault` opens the configured vault's, and only it where `standalone` is
    False.
    """

    vault: Callable[[], VaultStore]
    standalone: bool = True

    def open(self, params: Mapping[str, Any], tell: Tell) -> Session:
        """The session of an `initialize`; raises INVALID_INPUT, STORE_CORRUPT or STORE_UNSUPPORTED_VERSION."""
        protocol = params.get("protocol")
        if protocol == MM:
            return Session(None, None, "", protocol=MM)
        if protocol != V1:
            raise invalid(f"protocol must be {V1} or {MM}")
        if self.standalone and params.get("dbPath") is not None:
            return _open_standalone(params, tell)
        return self._open_vault(params, tell)

    def _open_vault(self, params: Mapping[str, Any], tell: Tell) -> Session:
        foreign = sorted(set(params) - _VAULT_FIELDS)
        if foreign:
            raise invalid(
                f"{foreign[0]!r} is configuration: without a store of its own a client gives protocol and knownSessionEvents only"
            )
        events = read_events(params.get("knownSessionEvents"))
        store = self.vault()
        settings = replace(store.settings, known_events=events, approval=True)
        provider = Provider(store.ledger, settings, tell=tell)
        return Session(provider, store.ledger, str(store.ledger.path), store.file_ask)


def _open_standalone(params: Mapping[str, Any], tell: Tell) -> Session:
    given = params["dbPath"]
    if not isinstance(given, str) or not utf16.storable(given) or not Path(given).is_absolute():
        raise invalid("dbPath must be an absolute path")
    settings = read_settings(params)
    try:
        ledger = Ledger.open(Path(given))
        provider = Provider(ledger, settings, tell=tell)
    except (LedgerUnusable, sqlite3.DatabaseError, UnicodeError) as error:
        raise _store_failure(error, given) from error
    return Session(provider, ledger, given)


def _store_failure(error: Exception, path: str) -> Exception:
    if isinstance(error, LedgerNewer):
        return store_error("STORE_UNSUPPORTED_VERSION", str(error), path)
    if isinstance(error, sqlite3.OperationalError) and any(word in str(error) for word in _PASSING):
        return error
    if isinstance(error, LedgerUnusable | EntryUnreadable | sqlite3.DatabaseError | UnicodeError):
        return store_error("STORE_CORRUPT", str(error), path)
    return error
