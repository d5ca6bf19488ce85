"""What waits for a person on the vault's own store: writes that nobody could be asked about, and proposals."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from shilu_core.entries import ProposalStore, WaitingWrites
from shilu_core.errors import UsageError
from shilu_core.facts import ID_LENGTH
from shilu_core.layout import Language
from shilu_core.ledger import Ledger

from shilu_host.context import Context
from shilu_host.protocol.approvals import ALLOWED
from shilu_host.protocol.books import milliseconds
from shilu_host.protocol.provider import DAY, Provider
from shilu_host.protocol.sessions import read_writer
from shilu_host.protocol.settings import Settings

if TYPE_CHECKING:
    from shilu_inbox.review import Item

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


def counted(ledger: Ledger) -> tuple[int, int]:
    """How many writes and proposals wait, and for how many whole days the oldest has."""
    row = ledger.row(
        "SELECT count(*) AS n, min(created_at) AS oldest FROM ("
        "SELECT created_at FROM asks WHERE status = 'pending' UNION ALL "
        "SELECT created_at FROM proposals WHERE status = 'pending')"
    )
    if row is None or not row["n"]:
        return 0, 0
    return int(row["n"]), max(0, milliseconds() - int(row["oldest"])) // DAY


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


class ProtocolItems:
    """The memory protocol's channel to the review list (see `shilu_inbox.outside`)."""

    def __init__(self, ledger: Ledger, configuration: Callable[[], Settings], language: Language) -> None:
        self._ledger, self._configuration, self._language = ledger, configuration, language

    def items(self) -> list[Item]:
        return [self._item(item) for item in waiting(self._ledger)]

    def carry_out(self, identity: str, accepted: bool) -> str:
        item = next((item for item in waiting(self._ledger) if item_id(item) == identity), None)
        if item is None:
            raise UsageError("it was decided meanwhile")
        if not accepted:
            refuse(item, self._ledger)
            return ""
        result = allow(item, self._ledger, self._configuration())
        return " ".join(entry["id"] for entry in result.get("entries", [result.get("entry")]))

    def _item(self, item: Waiting) -> Item:
        from shilu_inbox.outside import outside_item

        told = _REASONS[self._language][item.kind].format(session=item.session_id or "-")
        agent = _preset(item.params)
        return outside_item(
            item_id(item),
            item.text.removeprefix("[dsh-memento] "),
            _place(item),
            agent=agent,
            session=item.session_id or "",
            reason=told,
            arrived=item.since / 1000,
            language=self._language,
        )


_REASONS = {
    "en": {
        "write": "asked for over the memory protocol by session {session}",
        "proposal": "proposed by session {session}",
    },
    "zh": {"write": "会话 {session} 通过记忆协议请求的写入", "proposal": "会话 {session} 提出的候选记忆"},
}


def item_id(item: Waiting) -> str:
    """The id in the review list: ten base32 characters; a proposal's own id is a UUID."""
    if item.kind == "write":
        return item.id
    return base64.b32encode(hashlib.sha256(item.id.encode()).digest()).decode("ascii").lower()[:ID_LENGTH]


def _place(item: Waiting) -> str:
    """Track and scope that the change is for, as the first line of its text has them."""
    found = re.search(r"\b(user|agent|batch)/(user-global|workspace|batch)\b", item.text.split("\n", 1)[0])
    return found[0] if found else ""


def _preset(params: Mapping[str, Any]) -> str:
    """The agent that asked; its write was checked when it came, so only what may be absent is."""
    return read_writer(params.get("write")).session.agent_key
