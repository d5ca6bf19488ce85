"""Queries: substring search over what the caller may see, with use counts and a trace in the audit (section
9).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shilu_core import utf16
from shilu_core.entries import AuditRow, Entry, Viewpoint
from shilu_host.protocol.books import Books
from shilu_host.protocol.errors import invalid
from shilu_host.protocol.events import Emit, Event
from shilu_host.protocol.fields import DEFAULT_SOURCE, Json, positive
from shilu_host.protocol.sessions import Session, read_session

QUERY_CAP = 1000  # entries of one page, whatever the caller asks for
Mask = Callable[[str], str]


@dataclass(frozen=True)
class Page:
    """The entries as they were before this query counted them, and how many matched in all."""

    entries: tuple[Entry, ...]
    total: int

    @property
    def truncated(self) -> bool:
        return self.total > len(self.entries)


def query(books: Books, wanted: object, opts: object, default_limit: int, mask: Mask, emit: Emit) -> Page:
    """One page; each of its entries counts one recall, and a given session id leaves a `recalled` row."""
    filters, options = _object("filter", wanted), _object("opts", opts)
    session = read_session(options["session"]) if isinstance(options.get("session"), dict) else None
    limit = min(positive(filters.get("limit")) or default_limit, QUERY_CAP)
    with books.transaction():
        found = _visible(books, filters, _viewpoint(options, session))
        page = Page(tuple(found[:limit]), len(found))
        books.entries.mark_recalled([entry.id for entry in page.entries], books.now())
        _note_recall(books, filters, options.get("sessionId"), mask)
    if session is not None:
        emit(session.id, Event("memory/recalled", {"query": _text(filters) or "", "matches": page.total}))
    return page


def _viewpoint(options: Json, session: Session | None) -> Viewpoint:
    """A session narrows to its workspace, an agent key (a string) to that agent and the shared layer (3.8,
    D3).
    """
    agent = options.get("agentKey")
    return Viewpoint(session.workspace_key if session else None, agent if isinstance(agent, str) else None)


def _visible(books: Books, filters: Json, viewpoint: Viewpoint) -> list[Entry]:
    track, scope, text = filters.get("track"), filters.get("scope"), _text(filters)
    narrow = [value for value in (track, scope) if value is not None]
    if not all(isinstance(value, str) for value in narrow):
        return []  # no entry has such a track or scope
    if not all(utf16.storable(value) for value in (*narrow, text or "")):
        return []  # nothing stored holds NUL or a lone surrogate
    return [entry for entry in books.entries.ranked(track, scope, text) if viewpoint.sees_entry(entry)]


def _text(filters: Json) -> str | None:
    value = filters.get("text")
    return value if isinstance(value, str) and value else None


def _note_recall(books: Books, filters: Json, session_id: object, mask: Mask) -> None:
    if not isinstance(session_id, str) or not session_id:
        return
    text = _text(filters)
    books.audit.append(
        AuditRow(
            ts=books.now(),
            action="recalled",
            outcome="ok",
            track=_named(filters.get("track")),
            scope=_named(filters.get("scope")),
            text=None if text is None else mask(clean(text)),
            source=DEFAULT_SOURCE,
            session_id=clean(session_id),
        )
    )


def _named(value: object) -> str | None:
    return clean(value) if isinstance(value, str) else None


def clean(text: str) -> str:
    """The text with U+FFFD for what can't be stored."""
    return utf16.mended(text).replace("\0", "\ufffd")


def _object(name: str, value: object) -> Json:
    if value is not None and not isinstance(value, dict):
        raise invalid(f"{name} must be an object")
    return value or {}
