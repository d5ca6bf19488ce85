"""The way of every write: plan, ruling, one transaction, events; there is no other one (section 5, design
anchor).

A write is a generator: it yields at most one `Ask` and is sent the outcome. Nothing is locked meanwhile, so
that one
thread can keep any number of waiting writes and go on reading.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace

from shilu_core.entries import AuditRow
from shilu_host.protocol import approvals
from shilu_host.protocol.approvals import ALLOWED, REJECTED, UNAVAILABLE, Ask
from shilu_host.protocol.books import Books
from shilu_host.protocol.errors import denied
from shilu_host.protocol.events import Emit, change_events
from shilu_host.protocol.fields import DEFAULT_SOURCE
from shilu_host.protocol.policies import ASK, AUTO
from shilu_host.protocol.sessions import Writer
from shilu_host.protocol.settings import Settings
from shilu_host.protocol.writes import Change, Plan

Steps = Generator[Ask, str, Change]
Transport = Callable[[Ask], str]


def carry_out(books: Books, settings: Settings, emit: Emit, plan: Plan, writer: Writer) -> Steps:
    """Asks where the policy says so, then commits; a denial leaves its row before the error is raised (8.5)."""
    ask = replace(plan.ask, via="gate" if writer.gate else "approval")
    policy = settings.policies.effective(ask.track, ask.scope, ask.source)
    outcome = _ruling(policy, settings, writer) or approvals.read_outcome((yield ask))
    label = approvals.label(outcome, ask.via, policy)
    if outcome != ALLOWED:
        _note_denial(books, ask, label, writer)
        raise denied(outcome)
    with books.transaction():
        change = plan.commit(label)
    for event in change_events(change):
        emit(writer.session.id, event)
    return change


def drive(steps: Steps, transport: Transport | None) -> Change:
    """Runs a write to its end with a transport that answers at once; one that throws counts as nobody there
    (6.10).
    """
    try:
        ask = next(steps)
        while True:
            ask = steps.send(_answer(ask, transport))
    except StopIteration as stop:
        change: Change = stop.value
        return change


def _answer(ask: Ask, transport: Transport | None) -> str:
    if transport is None:
        return UNAVAILABLE
    try:
        return transport(ask)
    except Exception:
        return UNAVAILABLE


def _ruling(policy: str, settings: Settings, writer: Writer) -> str | None:
    """The outcome where nobody needs to be asked, else None."""
    if writer.never:
        return REJECTED
    if policy == AUTO:
        return ALLOWED
    if policy != ASK:
        return REJECTED
    return None if settings.approval or writer.gate else UNAVAILABLE


def _note_denial(books: Books, ask: Ask, label: str, writer: Writer) -> None:
    with books.transaction():
        books.audit.append(
            AuditRow(
                ts=books.now(),
                action=f"{ask.action}-denied",
                outcome=label,
                track=ask.track,
                scope=ask.scope,
                text=ask.text,
                source=ask.source or DEFAULT_SOURCE,
                session_id=writer.session.id,
            )
        )
