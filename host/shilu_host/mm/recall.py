"""mm roots as a source of the recall index: their notes are facts like any other, and say whence they are.

`[mm] roots = ["~/team-memory"]` in the configuration file names the roots. A note's id is its URI
(`mm://team/deploy-region`), so that a hit shows its source; nothing here ever writes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from shilu_core.errors import UsageError
from shilu_core.facts import Fact, fact_id
from shilu_core.index.entries import Entry, entries_of
from shilu_core.notes import parse
from shilu_core.settings import Settings

from shilu_host.mm import disk
from shilu_host.mm.errors import MmError
from shilu_host.mm.note_text import header_length
from shilu_host.mm.paths import Root, resolve_root
from shilu_host.mm.values import IndexEntry

PREFIX = "mm://"


@dataclass(frozen=True)
class _Place:
    root: Root
    entry: IndexEntry
    path: Path


@dataclass(frozen=True)
class MmSource:
    """The notes of some roots; a root that can't be read gives none, and `problems` tells why."""

    roots: tuple[Root, ...]

    @property
    def name(self) -> str:
        return " ".join(f"mm:{root.folder}" for root in self.roots)

    def owns(self, note: str) -> bool:
        return note.startswith(PREFIX)

    def problems(self) -> tuple[str, ...]:
        return tuple(problem for root in self.roots if (problem := _problem(root)))

    def notes(self) -> dict[str, tuple[int, int]]:
        """Size and time (ns) of each note, those of its line in the index included."""
        return {note: _state(place) for note, place in self._places().items()}

    def load(self, note: str) -> tuple[bytes, Sequence[Entry]]:
        place = self._places().get(note)
        if place is None:
            return b"", ()
        text = disk.read_text(place.path)
        return _digest(place.entry, text), _entries(note, place.entry, text)

    def digest(self, note: str) -> bytes:
        place = self._places().get(note)
        return _digest(place.entry, disk.read_text(place.path)) if place else b""

    def _places(self) -> dict[str, _Place]:
        """Where each note lies. A second root with the same memory id is told apart by a number."""
        found: dict[str, _Place] = {}
        taken: dict[str, Root] = {}
        for root in self.roots:
            for place in _places(root):
                name = _free_name(place.entry.memory_id, root, taken)
                found.setdefault(f"{PREFIX}{name}/{place.entry.topic}", place)
        return found


def configured(settings: Settings, environment: Mapping[str, str]) -> MmSource | None:
    """The source that the configuration names, None without one; raises UsageError for a wrong table."""
    table = settings.tables.get("mm", {})
    roots = table.get("roots", []) if isinstance(table, dict) else None
    if not isinstance(roots, list) or not all(isinstance(root, str) and root.strip() for root in roots):
        raise UsageError('[mm] roots must be a list of folders, as in: roots = ["~/team-memory"]')
    return MmSource(tuple(resolve_root(root, environment) for root in roots)) if roots else None


def _free_name(memory_id: str, root: Root, taken: dict[str, Root]) -> str:
    number, name = 1, memory_id
    while taken.setdefault(name, root) != root:
        number += 1
        name = f"{memory_id}.{number}"
    return name


def _places(root: Root) -> list[_Place]:
    try:
        entries = disk.index_entries(root, disk.read_index(root), "local")
        places = [_Place(root, entry, root.locate(entry.file)) for entry in entries]
        return [place for place in places if place.path.is_file()]
    except MmError:
        return []


def _problem(root: Root) -> str:
    if not root.folder.is_dir():
        return f"mm root {root.folder} is missing; make it with: shilu mm init --root {root.folder}"
    try:
        for entry in disk.index_entries(root, disk.read_index(root), "local"):
            root.locate(entry.file)
    except MmError as error:
        return f"mm root {root.folder}: {error}"
    return ""


def _state(place: _Place) -> tuple[int, int]:
    states = [path.stat() for path in (place.path, place.root.index)]
    return sum(state.st_size for state in states), max(state.st_mtime_ns for state in states)


def _digest(entry: IndexEntry, text: str) -> bytes:
    shown = "\0".join([entry.topic, entry.summary, ",".join(entry.tags), text])
    return hashlib.blake2b(shown.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _entries(note: str, entry: IndexEntry, text: str) -> tuple[Entry, ...]:
    """The body's facts and passages on the lines where they stand, and the summary as one more passage."""
    lines = text.split("\n")
    start = header_length(text)
    body = "\n".join([""] * start + lines[start:])
    parsed = parse(note, body.encode("utf-8"))
    found = tuple(replace(line, title=entry.topic) for line in entries_of(parsed))
    if not entry.summary or any(entry.summary in line.fact.text for line in found):
        return found
    summary = Fact(fact_id(note, f"summary\0{entry.summary}", 0), entry.summary, note, 1, 2)
    return (*found, Entry(summary, entry.topic, "text"))
