"""The index of one vault: open it, bring it up to date, ask it for terms and lines.

Rows stand in SQLite; the postings of most rows in one mapped array file, those of the newest rows in
memory. A note is looked at again if its size or time changed, and its lines are compared with its rows, so
that an edit costs the lines that it touched. Whatever is wrong with the files, they are made anew, and
`notice` says so once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shilu_core.index.arrays import ArrayFile, Damaged
from shilu_core.index.build import COLUMNS, build_arrays, merge_arrays
from shilu_core.index.difference import Difference, difference
from shilu_core.index.entries import Entry
from shilu_core.index.field import Field
from shilu_core.index.postings import Postings, term_key
from shilu_core.index.rows import IndexBusy, NoteState, Row, RowStore, Unusable
from shilu_core.index.source import Source
from shilu_core.index.terms import FIELDS, definition, identity_of, terms_of
from shilu_core.index.traits import CONTINUES

FEW = 512  # rows that need no array file: taking them in at opening costs about 50 ms
MOST_GROWING = 2000  # rows since the array file was written; more make opening slow
RACY = 2_000_000_000  # ns: a note written so shortly before it was read may change within its time stamp
MOST_DRIFT = 0.1  # of the mean length, before stored weights are computed anew
MOST_DEAD = 0.25  # share of deleted rows before the rows are numbered anew
REMEMBERED = 1000  # rows
TRIES = 3  # where files are damaged or removed under our hands
ROWS, LOCK = "rows.db", "lock"


class Index:
    """Opened by `Index.open`; one thread at a time uses it. `revision` rises with every change."""

    def __init__(self, folder: Path, source: Source) -> None:
        self.folder, self._source = folder, source
        self.notice = ""
        self.revision = 0
        self._dead_rows: tuple[int, NDArray[np.int64]] = (-1, np.zeros(0, np.int64))
        self._flows: tuple[int, NDArray[np.int64]] = (-1, np.zeros(0, np.int64))
        self._known: tuple[int, dict[int, Row]] = (-1, {})

    @classmethod
    def open(cls, folder: Path, source: Source) -> Index:
        """The index in `folder`, made anew where it is unusable; raises IndexBusy for a passing failure."""
        index = cls(folder, source)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder.parent / "CACHEDIR.TAG").touch()
        except OSError as error:
            raise IndexBusy(f"the cache folder {folder} cannot be made ({error}); check its rights") from error
        try:
            index._load()
        except Unusable as error:
            index._rebuild(str(error))
        return index

    def close(self) -> None:
        self._rows.close()
        if self._file is not None:
            self._file.close()

    # What is loaded
    # ---------------------------------------------------------------------------------------------

    def _load(self) -> None:
        """Opens rows and arrays and takes the newest rows in; raises Unusable."""
        self._rows = RowStore.open(self.folder / ROWS, self._source.name)
        try:
            with self._rows.snapshot():
                self._load_arrays()
        except BaseException:
            self._rows.close()
            raise

    def _load_arrays(self) -> None:
        meta = self._rows.meta()
        self._version = self._rows.data_version()
        try:
            base, self._base_rows, self.count = meta["base"], int(meta["base_rows"]), int(meta["next"])
        except (KeyError, ValueError) as error:
            raise Unusable(f"it does not say which rows it holds: {error}") from error
        self._file: ArrayFile | None = None
        columns = {name: np.zeros(0, kind) for name, kind in COLUMNS.items()}
        if base:
            try:
                self._file = ArrayFile(self.folder / base)
                self.fields = {name: Field(Postings.read(self._file, name)) for name in FIELDS}
                columns = {name: self._file[name] for name in COLUMNS}
            except (Damaged, OSError, KeyError, ValueError) as error:
                raise Unusable(f"its array file: {error}") from error
            if len(columns["traits"]) != self._base_rows:
                raise Unusable("rows and arrays do not belong together")
        else:
            self.fields = {name: Field() for name in FIELDS}
        self._notes = self._rows.notes()
        self.dead = np.zeros(self.count, np.bool_)
        grown = self.count - self._base_rows
        self.traits, self.identity, self.vector = (
            np.concatenate([columns[name], np.zeros(grown, kind)]) for name, kind in COLUMNS.items()
        )
        self._names: dict[str, bool] = {}
        for row, entry in self._rows.gone():
            self.dead[row] = True
            if entry is not None and row < self._base_rows:
                self._drop_terms(entry)
        self.dead[self._base_rows :] = True
        for found in self._rows.since(self._base_rows):
            self._take_in(found)
        self.revision += 1

    def _take_in(self, row: Row) -> None:
        for name, counts in terms_of(row.entry).fields.items():
            self.fields[name].add(row.number, counts)
        self.dead[row.number] = False
        self.traits[row.number] = row.traits
        self.identity[row.number] = identity_of(row.entry)
        self.vector[row.number] = row.vector
        self._names.clear()

    def _drop_terms(self, entry: Entry) -> None:
        for name, counts in terms_of(entry).fields.items():
            self.fields[name].drop(counts)
        self._names.clear()

    @property
    def dead_rows(self) -> NDArray[np.int64]:
        """Numbers of the deleted rows."""
        revision, rows = self._dead_rows
        if revision != self.revision:
            rows = np.flatnonzero(self.dead)
            self._dead_rows = (self.revision, rows)
        return rows

    @property
    def live(self) -> int:
        """Lines that can be found."""
        return self.count - len(self.dead_rows)

    @property
    def has_flows(self) -> bool:
        """Whether any line goes on from another one."""
        return bool(len(self.flows))

    @property
    def flows(self) -> NDArray[np.int64]:
        """Number of the dialogue or paragraph of each row; empty where no line goes on from another."""
        revision, numbers = self._flows
        if revision != self.revision:
            goes_on = self.traits & CONTINUES > 0
            numbers = np.cumsum(~goes_on, dtype=np.int64) if goes_on.any() else np.zeros(0, np.int64)
            self._flows = (self.revision, numbers)
        return numbers

    @property
    def intact(self) -> bool:
        """Whether the mapped file still has its size; touching it is deadly otherwise."""
        return self._file is None or self._file.intact

    @property
    def replaced(self) -> bool:
        """Whether another process made the index anew or removed it since it was loaded."""
        return self._rows.replaced

    def is_name(self, word: str) -> bool:
        """Whether some line makes this plain word (case folded) the name of a host or service."""
        if word not in self._names:
            self._names[word] = self.fields["graph"].holding(term_key(definition(word))) > 0
        return self._names[word]

    def rows(self, numbers: Sequence[int] | NDArray[np.int32], *, some_gone: bool = False) -> dict[int, Row]:
        """The live rows of these numbers; several streams ask for the same ones, so some are remembered.

        Raises Unusable where a row is gone that lived when the index was loaded (another process went on since),
        unless `some_gone` may be.
        """
        revision, known = self._known
        if revision != self.revision or len(known) > REMEMBERED:
            self._known = (self.revision, known := {})
        wanted = [int(number) for number in numbers]
        if missing := [number for number in wanted if number not in known]:
            known.update(self._rows.fetch(missing))
            gone = [number for number in missing if number not in known and 0 <= number < self.count]
            if not some_gone and gone and not self.dead[gone].all():
                raise Unusable("another process has changed it")
        return {number: known[number] for number in wanted if number in known}

    def with_id(self, identity: str) -> list[Row]:
        return self._rows.with_id(identity)

    def counts(self) -> tuple[int, int, int]:
        """Notes, facts, passages."""
        return (len(self._notes), *self._rows.counts())

    def every(self) -> Iterator[Row]:
        """All live rows by number."""
        return self._rows.since(0)

    def in_order(self, scores: Mapping[int, float]) -> list[tuple[int, float]]:
        """Rows by score, best first; equal ones by what they are, not by when they came."""
        return sorted(scores.items(), key=lambda item: (-item[1], int(self.identity[item[0]])))

    # Bringing it up to date
    # ---------------------------------------------------------------------------------------

    def stale(self) -> list[str]:
        """Notes that are new, gone, or changed since they were read."""
        return [note for note, found in self._unsure().items() if found is None or not self._is_equal(note)]

    def _unsure(self) -> dict[str, tuple[int, int] | None]:
        """Notes to look at again: new, gone (None), of other size or time, or written just before being read."""
        state = self._source.notes()
        out: dict[str, tuple[int, int] | None] = {
            note: found for note, found in state.items() if not self._is_current(note, found)
        }
        return out | {note: None for note in self._notes if note not in state}

    def _is_equal(self, note: str) -> bool:
        known = self._notes.get(note)
        return known is not None and self._source.digest(note) == known.digest

    def _is_current(self, note: str, found: tuple[int, int]) -> bool:
        known = self._notes.get(note)
        return known is not None and (known.size, known.mtime) == found and known.mtime < known.checked - RACY

    def refresh(self) -> bool:
        """Takes in what other processes and people changed; True if anything did."""
        before = self.revision
        for left in reversed(range(TRIES)):
            try:
                self._take_in_changes()
                break
            except IndexBusy:  # where our file was moved or removed, SQLite calls it busy, too
                if not left or not self._rows.replaced:
                    raise
        return self.revision != before

    def _take_in_changes(self) -> None:
        try:
            self._reload_if_changed()
            if self._unsure():
                with self._writing():
                    self._reload_if_changed()
                    self._update()
        except Unusable as error:
            self._rebuild(str(error))

    def _reload_if_changed(self) -> None:
        if self._rows.replaced or not self.intact:
            self.close()
            self._load()
        elif self._rows.data_version() != self._version:
            if self._file is not None:
                self._file.close()
            with self._rows.snapshot():
                self._load_arrays()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        from filelock import FileLock, Timeout

        lock = FileLock(str(self.folder / LOCK))
        try:
            self.folder.mkdir(parents=True, exist_ok=True)  # it may be deleted at any moment
            lock.acquire(timeout=60)
        except Timeout as error:
            raise IndexBusy(f"another process has been writing the index {self.folder} for a minute") from error
        except OSError as error:
            raise IndexBusy(f"the index {self.folder} cannot be locked ({error}); check its rights") from error
        try:
            yield
        finally:
            lock.release()

    def _update(self) -> None:
        unsure = self._unsure()
        if self.count == 0 or len(unsure) > 0.5 * len(self._notes) + 8:
            unsure = {note: found for note, found in unsure.items() if found is None or not self._is_equal(note)}
            if unsure and (self.count == 0 or len(unsure) > 0.5 * len(self._notes) + 8):
                self._rebuild_locked()
                return
        touched = 0
        for note, found in unsure.items():
            touched += self._update_note(note, found)
        self._version = self._rows.data_version()
        if touched:
            self.revision += 1
            self._compact_if_due()

    def _update_note(self, note: str, found: tuple[int, int] | None) -> int:
        """One note in one transaction; returns how many rows came or went."""
        known = self._notes.get(note)
        checked = time.time_ns()
        if found is not None and known is not None and self._is_equal(note):
            with self._rows.transaction():
                self._notes[note] = NoteState(known.number, *found, checked, known.digest)
                self._rows.put_note(note, self._notes[note])
            return 0
        digest, entries = self._source.load(note) if found is not None else (b"", ())
        with self._rows.transaction():
            number = known.number if known else 0
            if found is not None:
                number = self._rows.put_note(note, NoteState(number, *found, checked, digest))
            change = difference(self._rows.rows_of(number), entries, self.count)
            self._rows.delete(change.removed)
            self._rows.insert(change.added, number)
            self._rows.move(change.moved)
            if found is None:
                self._rows.drop_note(number)
            self._rows.set_meta({"next": str(self.count + len(change.added))})
        if found is None:
            self._notes.pop(note, None)
        else:
            self._notes[note] = NoteState(number, *found, checked, digest)
        self._apply(change)
        return len(change.added) + len(change.removed) + len(change.moved)

    def _apply(self, change: Difference) -> None:
        for row in change.removed:
            self.dead[row.number] = True
            self._drop_terms(row.entry)
        grown = self.count + len(change.added)
        came = len(change.added)
        self.dead = np.concatenate([self.dead, np.ones(came, np.bool_)])
        self.traits, self.identity, self.vector = (
            np.concatenate([getattr(self, name), np.zeros(came, kind)]) for name, kind in COLUMNS.items()
        )
        self.count = grown
        for row in change.added:
            self._take_in(row)

    def _compact_if_due(self) -> None:
        grown = self.count - self._base_rows
        dead = int(np.count_nonzero(self.dead))
        if dead > max(FEW, MOST_DEAD * self.count) or (self._base_rows and self._drifted()):
            self._rebuild_locked()
        elif grown > (MOST_GROWING if self._base_rows else FEW):
            columns = {name: getattr(self, name) for name in COLUMNS}
            merge_arrays(self.folder, self._rows, self._file, self.dead, columns)
            self._reopen()

    def _drifted(self) -> bool:
        return any(self.fields[name].drift > MOST_DRIFT for name in ("words", "pairs", "trigrams"))

    def repair(self, *, anew: bool = False) -> None:
        """After damage was met: what stands on the disk is loaded anew, or made `anew` where that did not help."""
        self.close()
        try:
            if anew:
                raise Unusable("a part of it cannot be read")
            self._load()
            if not self.intact:
                raise Unusable("its array file was cut short")
        except Unusable as error:
            self._rebuild(str(error), anew=anew)

    # Making it anew
    # -----------------------------------------------------------------------------------------------

    def _rebuild(self, reason: str, *, anew: bool = False) -> None:
        """Makes the index anew; unless `anew`, not where another process did so while we waited for the lock."""
        with self._writing():
            try:
                self._load()
                if not anew and not self.stale():
                    return
                self._rows.close()
            except Unusable:
                pass
            self._rebuild_locked()
        if reason:
            self.notice = f"the index was rebuilt: {reason}"

    def _rebuild_locked(self) -> None:
        rows = getattr(self, "_rows", None)
        if rows is not None:
            self.close()
        for left in reversed(range(TRIES)):
            try:
                build_arrays(self.folder, self._source, FEW)
                self._load()
                return
            except (Unusable, IndexBusy, OSError):  # its files were damaged or removed while it was made
                if not left:
                    raise
                self.folder.mkdir(parents=True, exist_ok=True)

    def _reopen(self) -> None:
        self.close()
        self._load()
