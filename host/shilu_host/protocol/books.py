"""The books of one store: entries, audit rows and proposals over one ledger, with clock, ids and budgets."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from shilu_core import utf16
from shilu_core.entries import AuditLog, AuditRow, Entry, EntryStore, ProposalStore
from shilu_core.ledger import Ledger
from shilu_host.protocol.errors import ambiguous, not_found, over_budget
from shilu_host.protocol.fields import POTS, NewEntry, Target
from shilu_host.protocol.settings import Limits

SAMPLE_UNITS = 200  # of each candidate text that an ambiguous match lists


def milliseconds() -> int:
    """Now, in epoch milliseconds."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True)
class Usage:
    """How full a pot is, in UTF-16 units."""

    track: str
    scope: str
    used: int
    limit: int


class Books:
    """Everything a write or a read touches; changes happen inside `transaction()`."""

    def __init__(self, ledger: Ledger, limits: Limits, clock: Callable[[], int] = milliseconds) -> None:
        self._ledger = ledger
        self._limits = limits
        self.now = clock
        self.entries = EntryStore(ledger)
        self.audit = AuditLog(ledger)
        self.proposals = ProposalStore(ledger)

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing, with the write lock from the start: what is read inside stays true until its end."""
        return self._ledger.transaction()

    def usage(self, track: str, scope: str) -> Usage:
        return Usage(track, scope, self.entries.used(track, scope), self.limit(track, scope))

    def limit(self, track: str, scope: str) -> int:
        return self._limits[(track, scope)]

    def budgets(self) -> list[Usage]:
        """The four pots in the protocol's order."""
        return [self.usage(track, scope) for track, scope in POTS]

    def check_budget(self, track: str, scope: str, addition: int) -> None:
        """Raises BUDGET_EXCEEDED unless used + addition fits; `addition` may be negative (7.3)."""
        usage = self.usage(track, scope)
        if usage.used + addition > usage.limit:
            raise over_budget(track, scope, usage.used, usage.limit, usage.used + addition)

    def resolve(self, target: Target, match: str) -> Entry:
        """The one visible entry that contains `match`; raises ENTRY_NOT_FOUND or AMBIGUOUS_MATCH (4.3-4.6)."""
        candidates = self.entries.containing(target.track, target.scope, match)
        hits = [entry for entry in candidates if target.viewpoint.sees_entry(entry)]
        if not hits:
            raise not_found(target.track, target.scope, match)
        if len(hits) > 1:
            sample = [utf16.excerpt(entry.text, SAMPLE_UNITS) for entry in hits]
            raise ambiguous(target.track, target.scope, match, sample)
        return hits[0]

    def resolve_all(self, target: Target, matches: Iterable[str]) -> list[Entry]:
        """One entry for each match, in order; two matches that hit the same entry fail (5.20)."""
        found: dict[str, Entry] = {}
        for match in matches:
            entry = self.resolve(target, match)
            if entry.id in found:
                raise not_found(target.track, target.scope, match)
            found[entry.id] = entry
        return list(found.values())

    def store_new(self, new: NewEntry, session_id: str | None) -> Entry:
        """Inserts a fresh entry: new id, version 1, never recalled (2.2)."""
        now = self.now()
        entry = Entry(
            id=str(uuid.uuid4()),
            track=new.track,
            scope=new.scope,
            workspace_key=new.workspace_key,
            agent_key=new.agent_key,
            text=new.text,
            source=new.source,
            tags=new.tags,
            version=1,
            created_at=now,
            updated_at=now,
            last_recalled=None,
            recall_count=0,
            session_id=session_id,
        )
        self.entries.insert(entry)
        return entry

    def store_changed(self, old: Entry, text: str, tags: tuple[str, ...] | None, session_id: str | None) -> Entry:
        """Rewrites an entry in place: same id, next version, a time that never runs backwards (5.12)."""
        entry = replace(
            old,
            text=text,
            tags=old.tags if tags is None else tags,
            version=old.version + 1,
            updated_at=max(self.now(), old.updated_at),
            session_id=session_id,
        )
        self.entries.rewrite(entry)
        return entry

    def note_entry(self, action: str, entry: Entry, outcome: str, session_id: str | None) -> None:
        """The audit row of one changed entry (8.2, 8.3)."""
        self.audit.append(
            AuditRow(
                ts=self.now(),
                action=action,
                outcome=outcome,
                track=entry.track,
                scope=entry.scope,
                entry_id=entry.id,
                text=entry.text,
                source=entry.source,
                session_id=session_id,
            )
        )
