"""Making and deciding proposals: candidate memories that no approval was asked for yet (section 11)."""

from __future__ import annotations

import uuid

from shilu_core import utf16
from shilu_core.entries import AuditRow, Proposal
from shilu_core.entries.entry import WORKSPACE
from shilu_host.protocol import fields
from shilu_host.protocol.books import Books
from shilu_host.protocol.errors import invalid, no_proposal
from shilu_host.protocol.sessions import Session

TEXT_UNITS = 2000  # a proposal's text is cut here
PENDING_LIMIT = 8  # further proposals are dropped while so many wait
DEFAULT_SOURCE = "compaction"
STATUSES = ("pending", "approved", "dismissed")


def create(books: Books, given: fields.Json, session: Session) -> Proposal | None:
    """The new proposal; None where the session has one of this kind, or too many wait (11.3)."""
    proposal = _proposal(given, session, books.now())
    with books.transaction():
        taken = books.proposals.exists(session.id, proposal.kind)
        if taken or books.proposals.pending_count() >= PENDING_LIMIT:
            return None
        books.proposals.insert(proposal)
        books.audit.append(
            AuditRow(
                ts=proposal.created_at,
                action="proposal",
                outcome="pending",
                track=proposal.track,
                scope=proposal.scope,
                entry_id=proposal.id,
                text=proposal.text,
                source=proposal.source,
                session_id=session.id,
            )
        )
    return proposal


def _proposal(given: fields.Json, session: Session, now: int) -> Proposal:
    kind = given.get("kind")
    if not isinstance(kind, str) or not kind or not utf16.storable(kind):
        raise invalid("kind must be a non-empty string")
    if session.id is None:
        raise invalid("session.id must be a string: a session has one proposal of a kind")
    track, scope = fields.pot(given)
    text = fields.text(given)
    source = DEFAULT_SOURCE if given.get("source") in (None, "") else fields.source(given)
    workspace = session.workspace_key if scope == WORKSPACE else ""
    return Proposal(
        id=str(uuid.uuid4()),
        kind=kind,
        track=track,
        scope=scope,
        workspace_key=workspace,
        agent_key=session.agent_key,
        text=utf16.head(text, TEXT_UNITS),
        source=source,
        session_id=session.id,
        status="pending",
        created_at=now,
    )


def pending(books: Books, proposal_id: object) -> Proposal:
    """The proposal that waits under this id; raises PROPOSAL_NOT_FOUND for any other."""
    found = books.proposals.get(proposal_id) if isinstance(proposal_id, str) and utf16.storable(proposal_id) else None
    if found is None or found.status != "pending":
        raise no_proposal(proposal_id)
    return found


def dismiss(books: Books, proposal_id: object) -> Proposal:
    """Settles a proposal without memory; the first decision wins (11.5)."""
    with books.transaction():
        found = pending(books, proposal_id)
        books.proposals.decide(found.id, "dismissed", books.now())
        settled = books.proposals.get(found.id)
    return settled or found


def listed(books: Books, status: object, limit: object) -> list[Proposal]:
    """Oldest first; raises INVALID_INPUT for a status that does not exist."""
    if status is not None and status not in STATUSES:
        raise invalid("status must be pending, approved or dismissed")
    return books.proposals.list(None if status is None else str(status), fields.positive(limit))
