"""Entries, audit rows and proposals of dsh-memory-protocol v1, as they stand in the ledger."""

from shilu_core.entries.audit import AuditLog, AuditRow
from shilu_core.entries.entry import Entry, EntryUnreadable, Viewpoint
from shilu_core.entries.proposals import Proposal, ProposalStore
from shilu_core.entries.store import EntryStore
from shilu_core.entries.waiting import WaitingWrite, WaitingWrites

__all__ = [
    "AuditLog",
    "AuditRow",
    "Entry",
    "EntryStore",
    "EntryUnreadable",
    "Proposal",
    "ProposalStore",
    "Viewpoint",
    "WaitingWrite",
    "WaitingWrites",
]
