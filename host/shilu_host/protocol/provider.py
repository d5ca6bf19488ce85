"""The provider: every operation of dsh-memory-protocol v1 over one ledger."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shilu_core.ledger import Ledger
from shilu_host.protocol import candidates, envelope, fields, queries, snapshot, wire, writes
from shilu_host.protocol.adapters import Registry, built_in
from shilu_host.protocol.approvals import Ask
from shilu_host.protocol.books import Books, milliseconds
from shilu_host.protocol.errors import invalid
from shilu_host.protocol.events import Event
from shilu_host.protocol.pipeline import Steps, Transport, carry_out, drive
from shilu_host.protocol.sessions import Writer, read_session, read_writer
from shilu_host.protocol.settings import Settings
from shilu_host.protocol.writes import Plan

DAY = 86_400_000  # milliseconds
DEFAULT_AUDIT_LIMIT = 100

Params = fields.Json
Wire = dict[str, Any]


class Provider:
    """All operations; a write is a generator (see `pipeline`), which `write` drives with the provider's
    transport.

    `tell(session_id, type, data)` receives session events of the types that the settings know.
    """

    def __init__(
        self,
        ledger: Ledger,
        settings: Settings,
        *,
        transport: Transport | None = None,
        tell: Callable[[str, str, Wire], None] | None = None,
        clock: Callable[[], int] = milliseconds,
        mask: Callable[[str], str] | None = None,
    ) -> None:
        self._settings = settings
        self._transport = transport
        self._tell = tell
        self._mask = mask or _mask_secrets
        self._books = Books(ledger, settings.limits, clock)
        self.adapters: Registry = built_in()
        self._apply_retention()

    # writes

    def begin(self, method: str, params: Params) -> Steps:
        """The steps of one write, nothing done yet but the checks before its approval."""
        writer = read_writer(params.get("write"))
        plan = self._plan(method, params, writer)
        return carry_out(self._books, self._settings, self._emit, plan, writer)

    def write(self, method: str, params: Params) -> Wire:
        """Carries out one write with the provider's own transport."""
        return wire.change(drive(self.begin(method, params), self._transport))

    def _plan(self, method: str, params: Params, writer: Writer) -> Plan:
        plan = _PLANNERS[method](self._books, params, writer)
        if self._settings.refuses_secrets:
            _refuse_secrets(plan.ask)
        return plan

    # reads

    def query(self, params: Params) -> Wire:
        page = queries.query(
            self._books,
            params.get("filter"),
            params.get("opts"),
            self._settings.default_query_limit,
            self._mask,
            self._emit,
        )
        entries = [wire.entry(entry) for entry in page.entries]
        return {"entries": entries, "total": page.total, "truncated": page.truncated}

    def budgets(self, params: Params) -> list[Wire]:
        return [wire.usage(usage) for usage in self._books.budgets()]

    def list_entries(self, params: Params) -> list[Wire]:
        return [wire.entry(entry) for entry in self._books.entries.all()]

    def audit_list(self, params: Params) -> list[Wire]:
        limit = fields.positive(params.get("limit")) or DEFAULT_AUDIT_LIMIT
        return [wire.audit_row(row) for row in self._books.audit.newest(limit)]

    def export(self, params: Params) -> Wire:
        return envelope.export(self._books)

    def snapshot(self, params: Params) -> Wire:
        session = read_session(params.get("session"))
        return {"text": snapshot.snapshot(self._books, session, params.get("language"), self._emit)}

    # adapters and proposals

    def adapters_list(self, params: Params) -> list[Wire]:
        return self.adapters.list()

    def adapters_adapt(self, params: Params) -> Wire:
        return {"entries": self.adapters.adapt(params.get("adapterId"), params.get("payload"))}

    def adapters_export(self, params: Params) -> Any:
        return self.adapters.export(params.get("adapterId"), params.get("entries"))

    def proposals_create(self, params: Params) -> Wire | None:
        given, session = fields.record(params.get("input")), read_session(params.get("session"))
        if self._settings.refuses_secrets:
            _refuse_secrets_in(given.get("text"))
        made = candidates.create(self._books, given, session)
        return None if made is None else wire.proposal(made)

    def proposals_list(self, params: Params) -> list[Wire]:
        listed = candidates.listed(self._books, params.get("status"), params.get("limit"))
        return [wire.proposal(proposal) for proposal in listed]

    def proposals_dismiss(self, params: Params) -> Wire:
        return wire.proposal(candidates.dismiss(self._books, params.get("id")))

    def _emit(self, session_id: str | None, event: Event) -> None:
        if self._tell is None or session_id is None or event.type not in self._settings.known_events:
            return
        self._tell(session_id, event.type, {**event.data, "sessionId": session_id})

    def _apply_retention(self) -> None:
        days = self._settings.audit_retention_days
        if days:
            with self._books.transaction():
                self._books.audit.drop_reads(self._books.now() - days * DAY)


def _import(books: Books, params: Params, writer: Writer) -> Plan:
    return writes.seed(books, envelope.seed_inputs(params.get("payload")), writer)


def _approve(books: Books, params: Params, writer: Writer) -> Plan:
    return writes.approve(books, candidates.pending(books, params.get("id")), writer)


def _input(params: Params) -> fields.Json:
    return fields.record(params.get("input"))


_PLANNERS: dict[str, Callable[[Books, Params, Writer], Plan]] = {
    "add": lambda books, params, writer: writes.add(books, _input(params), writer),
    "replace": lambda books, params, writer: writes.replace(books, _input(params), writer),
    "remove": lambda books, params, writer: writes.remove(books, _input(params), writer),
    "consolidate": lambda books, params, writer: writes.consolidate(books, _input(params), writer),
    "seed": lambda books, params, writer: writes.seed(books, params.get("inputs"), writer),
    "import": _import,
    "proposals/approve": _approve,
}
WRITES = tuple(_PLANNERS)

READS: dict[str, Callable[[Provider, Params], Any]] = {
    "query": Provider.query,
    "budgets": Provider.budgets,
    "listEntries": Provider.list_entries,
    "auditList": Provider.audit_list,
    "export": Provider.export,
    "snapshot": Provider.snapshot,
    "adapters/list": Provider.adapters_list,
    "adapters/adapt": Provider.adapters_adapt,
    "adapters/export": Provider.adapters_export,
    "proposals/create": Provider.proposals_create,
    "proposals/list": Provider.proposals_list,
    "proposals/dismiss": Provider.proposals_dismiss,
}


def _mask_secrets(text: str) -> str:
    from shilu_core import secrets  # its patterns are compiled on first use only

    return secrets.mask(text)


def _refuse_secrets(ask: Ask) -> None:
    if ask.action != "remove":  # what is stored already may always be taken out
        _refuse_secrets_in(ask.text)


def _refuse_secrets_in(text: object) -> None:
    from shilu_core import secrets

    found = secrets.find(text) if isinstance(text, str) else ()
    if found:
        raise invalid(f"the text holds a secret ({found[0].kind}); memory never stores one: describe it instead")
