"""The index's rows in SQLite: which notes were read, and every searchable line with its row number.

Derived data: a file of another version, another vault or with damage is `Unusable` and made anew by the
caller. A passing failure (locked, no rights, disk full) is `IndexBusy` and never a reason to rebuild.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from shilu_core.errors import ShiluError
from shilu_core.facts import Fact
from shilu_core.index.entries import Entry
from shilu_core.platforms import file_identity
from shilu_core.stamps import Stamp

APPLICATION = 0x5348494C  # "SHIL"
VERSION = 5  # of rows and arrays together; any other, older or newer, is rebuilt
_PASSING = frozenset({3, 5, 6, 7, 8, 9, 10, 13, 14, 15, 23})  # perm, busy, locked, nomem, full, ...
_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE note (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, size INTEGER, mtime INTEGER, checked INTEGER,
  digest BLOB);
CREATE TABLE entry (
  row INTEGER PRIMARY KEY, note INTEGER NOT NULL, ordinal INTEGER NOT NULL, id TEXT NOT NULL,
  kind TEXT NOT NULL,
  text TEXT NOT NULL, line INTEGER, ending INTEGER, heading TEXT, parent TEXT, written TEXT, source TEXT,
  ended TEXT, superseded INTEGER, block TEXT, flow TEXT, speaker TEXT, title TEXT, traits INTEGER NOT NULL,
  vector INTEGER NOT NULL);
CREATE INDEX entry_note ON entry (note);
CREATE INDEX entry_id ON entry (id);
CREATE TABLE gone (row INTEGER PRIMARY KEY, text TEXT, heading TEXT, title TEXT, speaker TEXT);
"""
_COLUMNS = (
    "row, note, ordinal, entry.id, kind, text, line, ending, heading, parent, written, source, ended, "
    "superseded, block, flow, speaker, title, traits, vector"
)
_LIVE = f"SELECT {_COLUMNS}, note.id FROM entry JOIN note ON note.number = entry.note"


class Unusable(Exception):
    """The index cannot be read as ours; it is made anew."""


class IndexBusy(ShiluError):
    """The index could not be opened or written just now; nothing was rebuilt."""


@dataclass(frozen=True)
class NoteState:
    """A note as it was when its lines were taken in; `checked` is when, in nanoseconds."""

    number: int
    size: int
    mtime: int
    checked: int
    digest: bytes


@dataclass(frozen=True)
class Row:
    """One stored line with its number and traits."""

    number: int
    ordinal: int
    entry: Entry
    traits: int
    vector: int = 0  # key of the text that is embedded for it


class RowStore:
    """One open SQLite file; every method is one short transaction or read."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self._connection = path, connection
        self.identity = file_identity(path)

    @classmethod
    def create(cls, path: Path, vault: str) -> RowStore:
        with translated(path):
            store = cls._connect(path)
            store._connection.executescript(
                f"PRAGMA application_id={APPLICATION};PRAGMA user_version={VERSION};{_SCHEMA}"
            )
            store.set_meta({"vault": vault, "base": "", "base_rows": "0", "next": "0"})
        return store

    @classmethod
    def open(cls, path: Path, vault: str) -> RowStore:
        """Opens an index of this version and vault; raises Unusable with the reason, or IndexBusy."""
        if not path.exists():
            raise Unusable("")
        with translated(path):
            store = cls._connect(path)
            try:
                store._check(vault)
            except BaseException:
                store.close()
                raise
        return store

    @classmethod
    def _connect(cls, path: Path) -> RowStore:
        connection = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA cache_size=-16000")
        return cls(path, connection)

    def _check(self, vault: str) -> None:
        if self._pragma("application_id") != APPLICATION:
            raise Unusable("it is no index of this program")
        if self._pragma("user_version") != VERSION:
            raise Unusable(f"it is of version {self._pragma('user_version')}, this program uses {VERSION}")
        if self.meta().get("vault") != vault:
            raise Unusable("it belongs to another vault")

    def _pragma(self, name: str) -> int:
        return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])

    def data_version(self) -> int:
        """Changes when another process commits."""
        with translated(self.path):
            return self._pragma("data_version")

    @property
    def replaced(self) -> bool:
        """Whether another file stands at our path by now, or none."""
        return file_identity(self.path) != self.identity

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with translated(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Several reads of one state, whatever other processes write meanwhile."""
        with translated(self.path):
            self._connection.execute("BEGIN")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    def meta(self) -> dict[str, str]:
        with translated(self.path):
            return dict(self._connection.execute("SELECT key, value FROM meta"))

    def set_meta(self, values: Mapping[str, str]) -> None:
        self._connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())

    def notes(self) -> dict[str, NoteState]:
        with translated(self.path):
            found = self._connection.execute("SELECT id, number, size, mtime, checked, digest FROM note").fetchall()
        return {row[0]: NoteState(*row[1:]) for row in found}

    def put_note(self, note: str, state: NoteState) -> int:
        """Stores a note's state; a new one (number 0) gets its number."""
        values = (note, state.size, state.mtime, state.checked, state.digest)
        if state.number:
            self._connection.execute("INSERT OR REPLACE INTO note VALUES (?, ?, ?, ?, ?, ?)", (state.number, *values))
            return state.number
        sql = "INSERT INTO note (id, size, mtime, checked, digest) VALUES (?, ?, ?, ?, ?)"
        return int(self._connection.execute(sql, values).lastrowid or 0)

    def drop_note(self, number: int) -> None:
        self._connection.execute("DELETE FROM note WHERE number = ?", (number,))

    def rows_of(self, number: int) -> list[Row]:
        """The live rows of a note, in its order."""
        with translated(self.path):
            found = self._connection.execute(f"{_LIVE} WHERE note = ? ORDER BY ordinal", (number,)).fetchall()
        return [_row(one) for one in found]

    def insert(self, rows: Iterable[Row], number: int) -> None:
        self._connection.executemany(
            f"INSERT INTO entry VALUES ({','.join('?' * 20)})",
            (_values(row, number) for row in rows),
        )

    def move(self, rows: Iterable[Row]) -> None:
        """Takes over new line numbers, order and stamps of rows whose search terms stay as they are."""
        sql = (
            "UPDATE entry SET ordinal=?, line=?, ending=?, parent=?, written=?, source=?, ended=?, block=? WHERE row=?"
        )
        self._connection.executemany(sql, (_moved(row) for row in rows))

    def delete(self, rows: Sequence[Row]) -> None:
        """Takes rows out; what they held is kept until the arrays are written anew."""
        self._connection.executemany("DELETE FROM entry WHERE row = ?", ((row.number,) for row in rows))
        self._connection.executemany(
            "INSERT OR REPLACE INTO gone VALUES (?, ?, ?, ?, ?)",
            (
                (row.number, row.entry.fact.text, row.entry.fact.heading, row.entry.title, row.entry.speaker)
                for row in rows
            ),
        )

    def gone(self) -> list[tuple[int, Entry | None]]:
        """Deleted rows; with what they held where the mapped arrays still hold it."""
        with translated(self.path):
            found = self._connection.execute("SELECT row, text, heading, title, speaker FROM gone").fetchall()
        return [(row[0], _gone_entry(row)) for row in found]

    def forget_gone(self) -> None:
        self._connection.execute("UPDATE gone SET text = NULL, heading = NULL, title = NULL, speaker = NULL")

    def since(self, row: int) -> Iterator[Row]:
        """Live rows from number `row` on, in order."""
        with translated(self.path):
            cursor = self._connection.execute(f"{_LIVE} WHERE row >= ? ORDER BY row", (row,))
            while found := cursor.fetchmany(2000):
                yield from (_row(one) for one in found)

    def fetch(self, numbers: Sequence[int]) -> dict[int, Row]:
        """The live rows with these numbers."""
        marks = ",".join("?" * len(numbers))
        sql = f"{_LIVE} WHERE row IN ({marks})"
        with translated(self.path):
            return {found[0]: _row(found) for found in self._connection.execute(sql, [int(n) for n in numbers])}

    def with_id(self, identity: str) -> list[Row]:
        """The live rows of a fact id."""
        with translated(self.path):
            numbers = self._connection.execute("SELECT row FROM entry WHERE id = ?", (identity,)).fetchall()
        return list(self.fetch([number for (number,) in numbers]).values())

    def counts(self) -> tuple[int, int]:
        """Live facts and live passages."""
        with translated(self.path):
            found = dict(self._connection.execute("SELECT kind = 'fact', count(*) FROM entry GROUP BY 1").fetchall())
        return int(found.get(1, 0)), int(found.get(0, 0))


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """SQLite's errors as ours: passing ones as IndexBusy, all others as Unusable."""
    try:
        yield
    except sqlite3.Error as error:
        code = (getattr(error, "sqlite_errorcode", None) or 1) & 0xFF
        if code in _PASSING:
            raise IndexBusy(
                f"the index {path} cannot be used just now ({error}); try again, and check rights and free space"
            ) from error
        raise Unusable(str(error)) from error


def _row(found: tuple[object, ...]) -> Row:
    (number, _, ordinal, identity, kind, text, line, ending, heading, parent, written, source, ended) = found[:13]
    superseded, block, flow, speaker, title, traits, vector, note = found[13:]
    stamp = None
    if written is not None or source or ended is not None:
        stamp = Stamp(_day(written), str(source or ""), _day(ended))
    fact = Fact(
        str(identity), str(text), str(note), int(line), int(ending), stamp,  # type: ignore[call-overload]
        str(heading or ""), str(parent or ""), bool(superseded), str(block or ""),
    )  # fmt: skip
    entry = Entry(fact, str(title), str(kind), str(flow or ""), str(speaker or ""))
    return Row(int(number), int(ordinal), entry, int(traits), int(vector))  # type: ignore[call-overload]


def _day(text: object) -> date | None:
    return date.fromisoformat(str(text)) if text else None


def _values(row: Row, number: int) -> tuple[object, ...]:
    entry, fact = row.entry, row.entry.fact
    return (
        row.number, number, row.ordinal, fact.id, entry.kind, _safe(fact.text), fact.line, fact.end,
        _safe(fact.heading), _safe(fact.parent), *_stamp(fact.stamp), fact.superseded, fact.block_id,
        _safe(entry.flow), _safe(entry.speaker), _safe(entry.title), row.traits, row.vector,
    )  # fmt: skip


def _moved(row: Row) -> tuple[object, ...]:
    fact = row.entry.fact
    return (
        row.ordinal,
        fact.line,
        fact.end,
        _safe(fact.parent),
        *_stamp(fact.stamp),
        fact.block_id,
        row.number,
    )


def _stamp(stamp: Stamp | None) -> tuple[object, ...]:
    if stamp is None:
        return (None, None, None)
    written, ended = stamp.written, stamp.ended
    return (written and written.isoformat(), _safe(stamp.source), ended and ended.isoformat())


def _safe(text: str) -> str:
    """SQLite stores UTF-8: bytes that were none are shown as replacement marks in the index (the note keeps
    them).
    """
    return text.encode("utf-8", "replace").decode("utf-8")


def _gone_entry(found: tuple[object, ...]) -> Entry | None:
    _, text, heading, title, speaker = found
    if text is None:
        return None
    return Entry(
        Fact("", str(text), "", 0, 0, heading=str(heading or "")),
        str(title or ""),
        speaker=str(speaker or ""),
    )
