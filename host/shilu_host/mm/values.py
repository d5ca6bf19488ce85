"""What an mm memory takes and gives: frozen values, named as in the document, in snake case."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Engine = Literal["scan", "fts5"]
Mode = Literal["auto", "scan", "fts5"]
ABSENT = {"absent_if_none": True}  # a field that the JSON form leaves out where it is None


@dataclass(frozen=True, kw_only=True)
class IndexEntry:
    """One `## topic` of the index; counts are those of the last write (4.6)."""

    topic: str
    memory_id: str
    summary: str = ""
    tags: tuple[str, ...] = ()
    file: str
    updated: str = ""
    body_chars: int = 0
    write_budget: int = 0
    entry_body: str = ""


@dataclass(frozen=True, kw_only=True)
class Note(IndexEntry):
    """An entry with the text of its detail file, `""` where the file is missing."""

    uri: str
    body: str
    missing_file: bool


@dataclass(frozen=True)
class IndexUsage:
    """How full an index text is."""

    entries: int
    lines: int
    bytes: int
    line_cap: int
    byte_cap: int
    over_budget: bool
    overflow_lines: int
    overflow_bytes: int


@dataclass(frozen=True)
class WriteUsage:
    """The figures of a write that was tried (6.5); `note_bytes` is 0 where it was not measured."""

    body_chars: int
    write_budget: int
    overflow: int
    note_bytes: int
    note_max_bytes: int
    index: IndexUsage


@dataclass(frozen=True)
class Written:
    ok: Literal[True]
    topic: str
    uri: str
    action: Literal["created", "updated"]
    usage: WriteUsage
    pending_writes: int


@dataclass(frozen=True)
class Refused:
    """A write that was not made: nothing on disk changed. `reason` repeats the code."""

    ok: Literal[False]
    code: str
    message: str
    reason: str
    usage: WriteUsage
    topic: str


@dataclass(frozen=True)
class Deleted:
    """`removed` says whether there was a detail file."""

    ok: Literal[True]
    removed: bool
    topic: str
    pending_writes: int
    usage: IndexUsage


@dataclass(frozen=True)
class IndexView:
    memory_id: str
    root: str
    loaded_at: str
    line_count: int
    byte_count: int
    over_budget: bool
    line_cap: int
    byte_cap: int
    entries: tuple[IndexEntry, ...]


@dataclass(frozen=True)
class DetailTotals:
    note_count: int
    total_body_chars: int
    total_bytes: int
    max_bytes: int


@dataclass(frozen=True)
class TopicBudget:
    topic: str
    uri: str
    body_chars: int
    note_bytes: int
    write_budget: int
    budget_used_pct: int


@dataclass(frozen=True)
class Anomalies:
    """Entries without a detail file, and detail files (names) without an entry."""

    dangling_entries: int
    orphan_files: tuple[str, ...]


@dataclass(frozen=True)
class SearchChoice:
    configured_mode: Mode
    engine: Engine


@dataclass(frozen=True)
class BudgetReport:
    root: str
    memory_id: str
    loaded_at: str
    snapshot_age_ms: int
    pending_writes: int
    index: IndexUsage
    detail: DetailTotals
    per_topic: tuple[TopicBudget, ...]
    anomalies: Anomalies
    search: SearchChoice


@dataclass(frozen=True)
class SearchMatch:
    topic: str
    uri: str
    updated: str
    score: float
    snippet: str


@dataclass(frozen=True)
class SearchResult:
    query: str
    engine: Engine
    total: int
    truncated: bool
    matches: tuple[SearchMatch, ...]
    note: str | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True)
class Candidate:
    """Something that a digest proposes to write; `body` is cut to `budget` characters where `over_budget`."""

    topic: str
    kind: Literal["uri", "explicit", "summary", "heading"]
    summary: str
    body: str
    chars: int
    budget: int
    over_budget: bool


@dataclass(frozen=True)
class DigestUsage:
    chars: int
    budget: int
    overflow: int


@dataclass(frozen=True)
class DigestResult:
    source: str
    source_kind: Literal["session-log", "text", "none"]
    candidates: tuple[Candidate, ...]
    usage: DigestUsage
    note: str


@dataclass(frozen=True)
class NudgeReport:
    at: str
    pending_writes: int
    note_count: int
    index_over_budget: bool
    needs_commit: bool
    suggested_actions: tuple[str, ...]


@dataclass(frozen=True)
class State:
    root: str
    memory_id: str
    loaded: bool
    initialized: bool
    loaded_at: str | None
    pending_writes: int
    engine: Engine
