"""The vault's own ledger as a store: configured by `[protocol]` in the settings, asks kept for a person."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shilu_core import settings as configuration
from shilu_core.entries import WaitingWrites
from shilu_core.errors import UsageError
from shilu_core.ledger import Ledger

from shilu_host.protocol.approvals import Ask
from shilu_host.protocol.books import milliseconds
from shilu_host.protocol.errors import ProtocolError
from shilu_host.protocol.sessions import read_writer
from shilu_host.protocol.settings import Settings, read_settings
from shilu_host.rpc.opening import VaultStore

FIELDS = ("budgets", "writePolicy", "writePolicies", "defaultQueryLimit", "auditRetentionDays")


def configured(given: configuration.Settings) -> Settings:
    """The settings of the table `[protocol]`; raises UsageError naming the field that is wrong."""
    table = given.tables.get("protocol", {})
    unknown = sorted(set(table) - set(FIELDS)) if isinstance(table, dict) else ["protocol"]
    if unknown:
        raise UsageError(f"[protocol] of the configuration has no {unknown[0]!r}; known are {', '.join(FIELDS)}")
    try:
        return read_settings(table, refuses_secrets=True)
    except ProtocolError as error:
        raise UsageError(f"[protocol] of the configuration: {error}") from error


def open_vault_store(given: configuration.Settings, path: Path) -> VaultStore:
    """Opens the vault's ledger at `path`; the connection that asked for it closes it."""
    settings = configured(given)
    ledger = Ledger.open(path)
    waiting = WaitingWrites(ledger)

    def file_ask(method: str, params: Mapping[str, Any], ask: Ask) -> None:
        session_id = read_writer(params.get("write")).session.id
        with ledger.transaction():
            waiting.put(method, params, ask.reason, session_id, milliseconds())

    return VaultStore(ledger, settings, file_ask)
