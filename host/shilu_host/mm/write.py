"""What a write would do (section 6): decided without touching the disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypedDict

from shilu_host.mm.budgets import index_usage
from shilu_host.mm.errors import invalid
from shilu_host.mm.index_text import serialize_index
from shilu_host.mm.note_text import serialize_note_text
from shilu_host.mm.options import Options
from shilu_host.mm.paths import Root, detail_file
from shilu_host.mm.text import byte_length, count_chars, normalize_line, parse_tags, trim
from shilu_host.mm.values import IndexEntry, IndexUsage, Refused, WriteUsage

_MESSAGES = {  # 6.6: callers may show them as they are
    "E_INVALID": "content must be a non-empty string",
    "E_WRITE_BUDGET_EXCEEDED": "content exceeds its write budget; compress it to fit (see usage)",
    "E_FILE_BUDGET_EXCEEDED": "detail memory exceeds its byte cap; split or condense it (see usage)",
    "E_INDEX_BUDGET_EXCEEDED": (
        "the MEMORY.md index exceeds its hard limit; consolidate/rewrite the index (never truncate) (see usage.index)"
    ),
}


class Details(TypedDict, total=False):
    """What a write may say beside topic and content; None and absence keep what the entry has.

    `budget` (characters) counts where it is a positive integer, else the default does; `updated` is now where
    it is not given.
    """

    budget: object
    summary: str | None
    tags: str | None
    updated: str | None


@dataclass(frozen=True)
class NewNote:
    """A write with every default settled."""

    topic: str
    content: str
    budget: int
    summary: str | None
    tags: str | None
    updated: str


@dataclass(frozen=True)
class Plan:
    """The two texts to write, detail first."""

    detail: Path
    note_text: str
    index_text: str
    action: Literal["created", "updated"]
    usage: WriteUsage


def plan(new: NewNote, index: str, entries: Sequence[IndexEntry], options: Options, root: Root) -> Plan | Refused:
    """The plan of a write over the present index, or the first budget that it breaks (6.3)."""
    present = index_usage(index, options)
    if not trim(new.content):
        nothing = WriteUsage(0, options.default_write_budget, 0, 0, options.detail_max_bytes, present)
        return _refused("E_INVALID", new.topic, nothing)
    usage = _measure(new, options, present)
    if usage.overflow:
        return _refused("E_WRITE_BUDGET_EXCEEDED", new.topic, usage)
    file = detail_file(new.topic)
    note_text = serialize_note_text(new.topic, options.memory_id, file, new.content)
    usage = replace(usage, note_bytes=byte_length(note_text))
    if usage.note_bytes > options.detail_max_bytes:
        return _refused("E_FILE_BUDGET_EXCEEDED", new.topic, usage)
    old = next((entry for entry in entries if entry.topic == new.topic), None)
    index_text = _new_index(new, old, entries, options)
    usage = replace(usage, index=index_usage(index_text, options))
    if usage.index.over_budget:
        return _refused("E_INDEX_BUDGET_EXCEEDED", new.topic, usage)
    detail = _detail_path(new.topic, entries, root)
    return Plan(detail, note_text, index_text, "updated" if old else "created", usage)


def _measure(new: NewNote, options: Options, present: IndexUsage) -> WriteUsage:
    chars = count_chars(new.content)
    overflow = max(0, chars - new.budget)
    return WriteUsage(chars, new.budget, overflow, 0, options.detail_max_bytes, present)


def _new_index(new: NewNote, old: IndexEntry | None, entries: Sequence[IndexEntry], options: Options) -> str:
    summary = new.summary if new.summary is not None else (old.summary if old else "")
    entry = IndexEntry(
        topic=new.topic,
        memory_id=options.memory_id,
        summary=normalize_line(summary),
        tags=parse_tags(new.tags) if new.tags is not None else (old.tags if old else ()),
        file=detail_file(new.topic),
        updated=normalize_line(new.updated),
        body_chars=count_chars(new.content),
        write_budget=new.budget,
        entry_body=old.entry_body if old else "",
    )
    kept = [other for other in entries if other.topic != new.topic]
    return serialize_index(options.memory_id, options.index_lines, options.index_bytes, [*kept, entry])


def _detail_path(topic: str, entries: Sequence[IndexEntry], root: Root) -> Path:
    """The detail file; raises E_INVALID where the file system takes it for the file of another topic.

    Topics differ by case, file names on some systems don't: writing `a` would overwrite the text of `A` (16).
    """
    path = root.locate(detail_file(topic))
    alike = [entry for entry in entries if entry.topic != topic and entry.topic.lower() == topic.lower()]
    for entry in alike:
        other = root.locate(entry.file)
        if path.exists() and other.exists() and path.samefile(other):
            raise invalid(f"topic {topic!r} shares its file with {entry.topic!r} here; choose another name")
    return path


def _refused(code: str, topic: str, usage: WriteUsage) -> Refused:
    return Refused(False, code, _MESSAGES[code], code, usage, topic)
