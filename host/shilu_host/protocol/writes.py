"""The five writes as plans: what is asked, and what one transaction then does (section 5).

Planning validates, resolves and checks the budget without writing. `commit` runs after the approval, inside
one
transaction: it resolves and checks again, since others may have written meanwhile, and its findings count (5.6, 5.7).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shilu_core import utf16
from shilu_core.entries import AuditRow, Entry, Proposal
from shilu_host.protocol import approvals, fields
from shilu_host.protocol.approvals import BATCH, Ask
from shilu_host.protocol.books import Books, Usage
from shilu_host.protocol.errors import invalid
from shilu_host.protocol.fields import Json, NewEntry
from shilu_host.protocol.sessions import Writer


@dataclass(frozen=True)
class Change:
    """What a write did; `usage` is None for a batch, `previous` is set for a replace."""

    action: str
    stored: tuple[Entry, ...] = ()
    removed: tuple[Entry, ...] = ()
    previous: Entry | None = None
    usage: Usage | None = None


@dataclass(frozen=True)
class Plan:
    """A checked write that waits for its approval; `commit` takes the audit's outcome label."""

    ask: Ask
    commit: Callable[[str], Change]


def add(books: Books, given: Json, writer: Writer) -> Plan:
    """The plan that stores one entry; raises ProtocolError for a field that won't do."""
    return _adding(books, fields.new_entry(given, writer.session), writer)


def approve(books: Books, proposal: Proposal, writer: Writer) -> Plan:
    """An add of the proposal's text under its own keys; the proposal is settled in the same transaction
    (11.4).
    """
    new = NewEntry(
        proposal.track,
        proposal.scope,
        proposal.text,
        (),
        "proposal",
        proposal.workspace_key,
        proposal.agent_key,
    )
    adding = _adding(books, new, writer)

    def commit(outcome: str) -> Change:
        change = adding.commit(outcome)
        books.proposals.decide(proposal.id, "approved", books.now())
        return change

    return Plan(adding.ask, commit)


def _adding(books: Books, new: NewEntry, writer: Writer) -> Plan:
    addition = utf16.units(new.text)
    books.check_budget(new.track, new.scope, addition)

    def commit(outcome: str) -> Change:
        books.check_budget(new.track, new.scope, addition)
        entry = books.store_new(new, writer.session.id)
        books.note_entry("add", entry, outcome, writer.session.id)
        return Change("add", (entry,), usage=books.usage(new.track, new.scope))

    return Plan(Ask("add", new.track, new.scope, new.text, new.source), commit)


def replace(books: Books, given: Json, writer: Writer) -> Plan:
    """The plan that puts new text in the place of the one entry that matches; its identity stays."""
    track, scope = fields.pot(given)
    text, tags, match = fields.text(given), fields.kept_tags(given), fields.match(given)
    target, source = fields.target(given, writer.session), fields.source(given)
    shown = _fitting(books, books.resolve(target, match), text)

    def commit(outcome: str) -> Change:
        previous = _fitting(books, books.resolve(target, match), text)
        entry = books.store_changed(previous, text, tags, writer.session.id)
        books.note_entry("replace", entry, outcome, writer.session.id)
        return Change("replace", (entry,), previous=previous, usage=books.usage(track, scope))

    return Plan(Ask("replace", track, scope, approvals.replacing(shown.text, text), source), commit)


def _fitting(books: Books, old: Entry, text: str) -> Entry:
    """The entry to be replaced, if the new text fits in its place."""
    books.check_budget(old.track, old.scope, utf16.units(text) - utf16.units(old.text))
    return old


def remove(books: Books, given: Json, writer: Writer) -> Plan:
    """The plan that takes the one entry that matches out."""
    track, scope = fields.pot(given)
    match = fields.match(given)
    target = fields.target(given, writer.session)
    shown = books.resolve(target, match)

    def commit(outcome: str) -> Change:
        entry = books.resolve(target, match)
        books.entries.delete(entry.id)
        books.note_entry("remove", entry, outcome, writer.session.id)
        return Change("remove", removed=(entry,), usage=books.usage(track, scope))

    return Plan(Ask("remove", track, scope, shown.text, shown.source), commit)


def consolidate(books: Books, given: Json, writer: Writer) -> Plan:
    """The plan that puts one fresh entry in the place of several, in one step or not at all."""
    track, scope = fields.pot(given)
    text, tags, matches = fields.text(given), fields.tags(given), fields.matches(given)
    target = fields.target(given, writer.session)
    new = fields.described(given, writer.session, track, scope, text, tags)

    def targets() -> list[Entry]:
        found = books.resolve_all(target, matches)
        books.check_budget(track, scope, utf16.units(text) - sum(utf16.units(entry.text) for entry in found))
        return found

    def commit(outcome: str) -> Change:
        removed = targets()
        for entry in removed:
            books.entries.delete(entry.id)
            books.note_entry("consolidate-remove", entry, outcome, writer.session.id)
        stored = books.store_new(new, writer.session.id)
        books.note_entry("consolidate-add", stored, outcome, writer.session.id)
        return Change("consolidate", (stored,), tuple(removed), usage=books.usage(track, scope))

    asked = approvals.consolidating(matches, targets(), text)
    return Plan(Ask("consolidate", track, scope, asked, new.source), commit)


def seed(books: Books, inputs: object, writer: Writer) -> Plan:
    """The plan that stores several entries under one approval, all or none."""
    if not isinstance(inputs, list) or not inputs:
        raise invalid("inputs must be a non-empty list of add inputs")
    batch = [fields.new_entry(fields.record(item), writer.session) for item in inputs]
    _check_batch(books, batch)
    listing = approvals.seeding(batch)

    def commit(outcome: str) -> Change:
        _check_batch(books, batch)
        books.audit.append(
            AuditRow(
                books.now(), "seed", outcome, text=listing, source=fields.DEFAULT_SOURCE, session_id=writer.session.id
            )
        )
        stored = [books.store_new(item, writer.session.id) for item in batch]
        for entry in stored:
            books.note_entry("add", entry, outcome, writer.session.id)
        return Change("seed", tuple(stored))

    return Plan(Ask("seed", BATCH, BATCH, listing, count=len(batch)), commit)


def _check_batch(books: Books, batch: Sequence[NewEntry]) -> None:
    """The whole batch against each pot it touches (5.23)."""
    additions: Counter[tuple[str, str]] = Counter()
    for item in batch:
        additions[(item.track, item.scope)] += utf16.units(item.text)
    for (track, scope), addition in additions.items():
        books.check_budget(track, scope, addition)
