"""A root as it was at one moment (section 7): all that reads and searches ever see."""

from __future__ import annotations

from dataclasses import dataclass, fields

from shilu_host.mm import disk
from shilu_host.mm.budgets import index_usage
from shilu_host.mm.errors import not_initialized
from shilu_host.mm.note_text import read_body
from shilu_host.mm.options import Options
from shilu_host.mm.paths import Root
from shilu_host.mm.uris import uri_for
from shilu_host.mm.values import IndexEntry, IndexUsage, IndexView, Note


@dataclass(frozen=True)
class Snapshot:
    loaded_at: str  # ISO time
    usage: IndexUsage
    entries: tuple[IndexEntry, ...]
    notes: tuple[Note, ...]  # one for each entry, in the order of the index


def load(root: Root, options: Options, loaded_at: str) -> Snapshot:
    """Reads the root; raises E_NOT_INITIALIZED where it is missing, E_PARSE where its index can't be read."""
    if not root.folder.exists():
        raise not_initialized(str(root.folder))
    text = disk.read_index(root)
    entries = disk.index_entries(root, text, options.memory_id)
    notes = tuple(_note(root, entry, options.memory_id) for entry in entries)
    return Snapshot(loaded_at, index_usage(text, options), entries, notes)


def view(snapshot: Snapshot, root: Root, memory_id: str) -> IndexView:
    """The index as it is shown to readers (7.4)."""
    usage = snapshot.usage
    return IndexView(
        memory_id=memory_id,
        root=str(root.folder),
        loaded_at=snapshot.loaded_at,
        line_count=usage.lines,
        byte_count=usage.bytes,
        over_budget=usage.over_budget,
        line_cap=usage.line_cap,
        byte_cap=usage.byte_cap,
        entries=snapshot.entries,
    )


def _note(root: Root, entry: IndexEntry, memory_id: str) -> Note:
    path = root.locate(entry.file)
    present = path.is_file()
    body = read_body(disk.read_text(path)) if present else ""
    values = {field.name: getattr(entry, field.name) for field in fields(entry)}
    return Note(**values, uri=uri_for(memory_id, entry.topic), body=body, missing_file=not present)
