"""`Memory`: one mm memory, opened by one session."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Unpack

from shilu_host.mm import disk
from shilu_host.mm.budgets import index_usage
from shilu_host.mm.digest import DEFAULT_ITEMS, distil
from shilu_host.mm.digest_sources import find_source
from shilu_host.mm.errors import invalid, not_loaded
from shilu_host.mm.fts import FullText, fts5_available
from shilu_host.mm.index_text import serialize_index
from shilu_host.mm.options import MODES, Options, positive_integer
from shilu_host.mm.paths import detail_file, resolve_root
from shilu_host.mm.reports import budget_report, nudge_report
from shilu_host.mm.search import FALLBACK, Limits, choose_search_engine, engine_for, scan
from shilu_host.mm.snapshot import Snapshot, load, view
from shilu_host.mm.text import trim, validate_topic
from shilu_host.mm.uris import uri_for
from shilu_host.mm.values import (
    BudgetReport,
    Deleted,
    DigestResult,
    Engine,
    IndexEntry,
    IndexView,
    Mode,
    Note,
    NudgeReport,
    Refused,
    SearchResult,
    State,
    Written,
)
from shilu_host.mm.write import Details, NewNote, Plan, plan

Clock = Callable[[], datetime]


def _now() -> datetime:
    return datetime.now(UTC)


class Memory:
    """An mm memory (`<root>/MEMORY.md` and `<root>/memories/<topic>.md`).

    Reads and searches serve the snapshot taken by `load`; writes and deletes reach the disk at once and
    become visible by the next `load` (also called `reload`). A budget that a write would exceed is a
    `Refused` value with the figures, and nothing is written; `MmError` is raised for what can't be carried
    out at all. There is no lock between processes, as the document has it: the last writer of the index wins.
    """

    def __init__(
        self,
        options: Options | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        clock: Clock = _now,
    ) -> None:
        self.options = options or Options()
        self._environment = os.environ if environment is None else environment
        self._clock = clock
        self._root = resolve_root(self.options.root, self._environment)
        self._snapshot: Snapshot | None = None
        self._full_text: FullText | None = None
        self._pending = 0
        self._initialized = False

    @classmethod
    def ensure(cls, options: Options | None = None, **surroundings: Any) -> Memory:
        """Opens the memory, making its folders and an empty index where they are missing."""
        return cls(options, **surroundings).initialize()

    @classmethod
    def open(cls, options: Options | None = None, **surroundings: Any) -> Memory:
        """Opens an existing memory; raises E_NOT_INITIALIZED where the root is missing."""
        return cls(options, **surroundings).load()

    @contextmanager
    def surrounded(self, environment: Mapping[str, str] | None, clock: Clock | None) -> Iterator[None]:
        """Uses another environment and another clock within the block; None keeps the present one."""
        kept = self._environment, self._clock
        self._environment = kept[0] if environment is None else environment
        self._clock = clock or kept[1]
        try:
            yield
        finally:
            self._environment, self._clock = kept

    def initialize(self) -> Memory:
        """Makes folders and an empty index where they are missing (an index is never replaced), and loads."""
        disk.make(self._root, self._index_text(()))
        self._initialized = True
        return self.load()

    def load(self) -> Memory:
        """Takes a new snapshot of the root; pending writes count from zero again."""
        snapshot = load(self._root, self.options, self._time())
        self.dispose()
        self._snapshot, self._pending = snapshot, 0
        return self

    reload = load

    @property
    def root(self) -> str:
        return str(self._root.folder)

    @property
    def memory_id(self) -> str:
        return self.options.memory_id

    @property
    def pending_writes(self) -> int:
        """Writes and effective deletes since the last load."""
        return self._pending

    @property
    def engine(self) -> Engine:
        """The engine that the configured mode stands for; a query in Han characters may use another one."""
        return choose_search_engine(self.options.search_mode, fts5_available())

    @property
    def state(self) -> State:
        loaded = self._snapshot
        return State(
            root=self.root,
            memory_id=self.memory_id,
            loaded=loaded is not None,
            initialized=self._initialized,
            loaded_at=loaded.loaded_at if loaded else None,
            pending_writes=self._pending,
            engine=self.engine if loaded else "scan",
        )

    def uri_for(self, topic: str) -> str:
        return uri_for(self.memory_id, topic)

    def read_index(self) -> IndexView:
        return view(self._loaded(), self._root, self.memory_id)

    def read_topic(self, topic: str) -> Note | None:
        """The note, None where the snapshot has none; of two entries with one topic the first."""
        validate_topic(topic)
        return next((note for note in self._loaded().notes if note.topic == topic), None)

    def list_notes(self) -> tuple[Note, ...]:
        """All notes, sorted by topic."""
        return tuple(sorted(self._loaded().notes, key=lambda note: note.topic))

    def write(self, topic: str, content: str, **details: Unpack[Details]) -> Written | Refused:
        """Creates or replaces a note; `details` are `budget summary tags updated` (see `Details`).

        The detail file is written before the index, each whole, so that a death between the two leaves an
        orphan or old figures, and no loss.
        """
        planned = self.examine(topic, content, **details)
        if isinstance(planned, Refused):
            return planned
        disk.write_text(planned.detail, planned.note_text)
        disk.write_text(self._root.index, planned.index_text)
        self._pending += 1
        return Written(True, topic, self.uri_for(topic), planned.action, planned.usage, self._pending)

    def examine(self, topic: str, content: str, **details: Unpack[Details]) -> Plan | Refused:
        """What such a write would do now, or the budget that it would break; touches nothing."""
        new = NewNote(
            topic=validate_topic(topic),
            content=content if isinstance(content, str) else "",
            budget=positive_integer(details.get("budget")) or self.options.default_write_budget,
            summary=details.get("summary"),
            tags=details.get("tags"),
            updated=details.get("updated") or self._time(),
        )
        index = disk.read_index(self._root)
        entries = disk.index_entries(self._root, index, self.memory_id)
        return plan(new, index, entries, self.options, self._root)

    def delete(self, topic: str) -> Deleted:
        """Removes a note's detail file and entry, over the caps or not; a missing topic is no error."""
        validate_topic(topic)
        self._loaded()
        entries = disk.index_entries(self._root, disk.read_index(self._root), self.memory_id)
        kept = tuple(entry for entry in entries if entry.topic != topic)
        named = next((entry.file for entry in entries if entry.topic == topic), detail_file(topic))
        path = self._root.locate(named)
        removed = path.is_file()
        if removed:
            disk.remove(path)
        text = self._index_text(kept)
        disk.write_text(self._root.index, text)
        if removed or len(kept) < len(entries):
            self._pending += 1
        return Deleted(True, removed, topic, self._pending, index_usage(text, self.options))

    def search(self, query: str, *, mode: Mode | None = None, limit: int | None = None) -> SearchResult:
        """Notes of the snapshot that hold any of the query's words; raises E_INVALID for a blank query."""
        snapshot = self._loaded()
        if not isinstance(query, str) or not trim(query):
            raise invalid("the search query must be a non-blank string")
        asked = mode if mode in MODES else self.options.search_mode
        wanted = self.options.search_limit if limit is None else max(0, limit)
        limits = Limits(wanted, self.options.max_snippet_chars)
        if engine_for(asked, query, fts5_available()) == "fts5":
            self._full_text = self._full_text or FullText(snapshot.notes)
            return self._full_text.search(query, limits)
        return scan(snapshot.notes, query, limits, FALLBACK if asked == "fts5" else None)

    def budget(self) -> BudgetReport:
        """How full index and notes are, as they are on disk now."""
        snapshot = self._loaded()
        age = int((self._clock() - datetime.fromisoformat(snapshot.loaded_at)).total_seconds() * 1000)
        return budget_report(self._root, self.options, self.state, max(0, age))

    def digest(
        self,
        *,
        source: str | None = None,
        file: str | None = None,
        max_items: object = None,
        topic_hint: str | None = None,
    ) -> DigestResult:
        """Candidates from a file, a text, or the newest session log; never writes."""
        self._loaded()
        found = find_source(file, source, self._environment)
        items = positive_integer(max_items) or DEFAULT_ITEMS
        budget = self.options.default_write_budget
        return distil(found, budget=budget, max_items=items, hint=topic_hint or "")

    def nudge(self) -> NudgeReport:
        """What is left to do at the end of a session, by the snapshot and the pending writes."""
        snapshot = self._loaded()
        return nudge_report(self._time(), self._pending, len(snapshot.notes), snapshot.usage.over_budget)

    def dispose(self) -> None:
        """Lets go of the search table; it is made again when needed."""
        if self._full_text is not None:
            self._full_text.close()
            self._full_text = None

    def _loaded(self) -> Snapshot:
        if self._snapshot is None:
            raise not_loaded()
        return self._snapshot

    def _index_text(self, entries: Sequence[IndexEntry]) -> str:
        options = self.options
        return serialize_index(options.memory_id, options.index_lines, options.index_bytes, entries)

    def _time(self) -> str:
        return iso_time(self._clock())


def iso_time(moment: datetime) -> str:
    """`2026-01-02T03:04:05.678Z`, as JavaScript's toISOString writes it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
