"""The vault's own ledger as a store: configured by `[protocol]` in the settings, asks put on the review list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shilu_core.entries import WaitingWrites
from shilu_core.errors import UsageError

from shilu_host.context import Context
from shilu_host.protocol.approvals import Ask
from shilu_host.protocol.books import milliseconds
from shilu_host.protocol.errors import ProtocolError
from shilu_host.protocol.sessions import read_writer
from shilu_host.protocol.settings import Settings, read_settings
from shilu_host.rpc.opening import VaultStore

FIELDS = ("budgets", "writePolicy", "writePolicies", "defaultQueryLimit", "auditRetentionDays")


def configured(context: Context) -> Settings:
    """The settings of the table `[protocol]`; raises UsageError naming the field that is wrong."""
    table = context.settings.tables.get("protocol", {})
    unknown = sorted(set(table) - set(FIELDS)) if isinstance(table, dict) else ["protocol"]
    if unknown:
        raise UsageError(f"[protocol] of the configuration has no {unknown[0]!r}; known are {', '.join(FIELDS)}")
    try:
        return read_settings(table, refuses_secrets=True)
    except ProtocolError as error:
        raise UsageError(f"[protocol] of the configuration: {error}") from error


def open_vault_store(context: Context) -> VaultStore:
    """Opens the configured vault's ledger; the connection that asked for it closes it."""
    settings = configured(context)
    ledger = context.ledger()
    waiting = WaitingWrites(ledger)

    def file_ask(method: str, params: Mapping[str, Any], ask: Ask) -> None:
        session_id = read_writer(params.get("write")).session.id
        with ledger.transaction():
            waiting.put(method, params, ask.reason, session_id, milliseconds())

    return VaultStore(ledger, settings, file_ask)
