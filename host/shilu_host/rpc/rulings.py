"""What waits for a person on the vault's own store: writes that nobody could be asked about, and proposals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from shilu_core.entries import ProposalStore, WaitingWrites
from shilu_core.errors import UsageError
from shilu_core.ledger import Ledger

from shilu_host.context import Context
from shilu_host.protocol.approvals import ALLOWED
from shilu_host.protocol.books import milliseconds
from shilu_host.protocol.provider import Provider
from shilu_host.protocol.settings import Settings

ID_START = 4  # characters of an id that name it, where no other begins so


@dataclass(frozen=True)
class Waiting:
    """One decision: `text` is the complete change as the person is to read it; `since` is epoch milliseconds."""

    id: str
    kind: str  # write | proposal
    method: str
    params: dict[str, Any]
    text: str
    session_id: str | None
    since: int


def waiting(ledger: Ledger) -> list[Waiting]:
    """Everything that waits, oldest first."""
    writes = [
        Waiting(item.id, "write", item.method, dict(item.params), item.reason, item.session_id, item.created_at)
        for item in WaitingWrites(ledger).pending()
    ]
    proposals = [
        Waiting(
            item.id,
            "proposal",
            "proposals/approve",
            {"id": item.id, "write": {"agent": {"session": {"id": item.session_id}}}},
            f"[{item.kind}] add {item.track}/{item.scope}\n{item.text}",
            item.session_id,
            item.created_at,
        )
        for item in ProposalStore(ledger).list("pending")
    ]
    return sorted([*writes, *proposals], key=lambda item: item.since)


def find(ledger: Ledger, start: str) -> Waiting | None:
    """The one thing that waits whose id begins so; raises UsageError where several do."""
    found = [item for item in waiting(ledger) if len(start) >= ID_START and item.id.startswith(start)]
    if len(found) > 1:
        raise UsageError(f"several things that wait begin with {start!r}; give more of the id")
    return found[0] if found else None


def allow(item: Waiting, ledger: Ledger, configuration: Settings) -> dict[str, Any]:
    """Carries the write out, with the person's yes as its approval; what fails stays waiting and raises."""
    settings = replace(configuration, approval=True)
    provider = Provider(ledger, settings, transport=lambda ask: ALLOWED)
    with ledger.transaction():
        _settle(ledger, item, "allowed")
        return provider.write(item.method, item.params)


def refuse(item: Waiting, ledger: Ledger) -> None:
    """Ends the waiting; its denied row was left when it was asked."""
    with ledger.transaction():
        if item.kind == "proposal":
            ProposalStore(ledger).decide(item.id, "dismissed", milliseconds())
        else:
            _settle(ledger, item, "refused")


def _settle(ledger: Ledger, item: Waiting, status: str) -> None:
    if item.kind == "write" and not WaitingWrites(ledger).settle(item.id, status, milliseconds()):
        raise UsageError(f"{item.id} was decided meanwhile; `shilu protocol pending` lists what waits")


@contextmanager
def opened(context: Context) -> Iterator[Ledger]:
    """The vault's ledger for the length of one command."""
    ledger = context.ledger()
    try:
        yield ledger
    finally:
        ledger.close()
