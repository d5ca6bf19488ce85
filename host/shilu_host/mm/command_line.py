"""The command line of mm (section 12): flags read as the reference reads them, one function a verb.

`--flag value` or `--flag=value`; a separate value that begins with `--` is not taken. A flag nobody knows is
ignored, with its value. Each verb returns what it says, so that printing stands in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from shilu_host.mm import wire
from shilu_host.mm.errors import MmError, invalid
from shilu_host.mm.memory import Clock, Memory
from shilu_host.mm.options import Options

_VALUELESS = ("--json", "--all", "--help")

USAGE = """\
usage: shilu mm VERB [ARGUMENT] [--root DIR] [--json]

  init                                       make MEMORY.md and memories/
  write TOPIC --content TEXT [--budget N] [--summary S] [--tags T]
  read [TOPIC] [--all]                       the index, one note, or all
  list                                       all topics
  search QUERY [--mode auto|scan|fts5] [--limit N]
  budget                                     how full index and notes are
  digest [--file FILE] [--text TEXT] [--max-items N] [--topic-hint S]
  delete TOPIC
  uri TOPIC                                  the topic's mm:// address

DIR is $DSH_MEMORY_ROOT, or $DSH_HOME/memory, where --root is not given; it is made where missing.
A write over its budget writes nothing, says by how much, and ends with status 1.
"""


@dataclass(frozen=True)
class Line:
    """A command line apart: words, and flags with their values (True for a flag without one)."""

    words: tuple[str, ...]
    flags: Mapping[str, str | bool]

    def text(self, flag: str) -> str | None:
        value = self.flags.get(flag)
        return value if isinstance(value, str) else None

    def number(self, flag: str) -> int | None:
        value = self.text(flag)
        if value is None:
            return None
        if not (value.isascii() and value.isdigit()):
            raise invalid(f"{flag} expects a non-negative integer, not {value!r}")
        return int(value)

    def says(self, flag: str) -> bool:
        return self.flags.get(flag) in (True, "true")

    def word(self, name: str) -> str:
        """The word behind the verb; raises E_INVALID where it is missing."""
        if len(self.words) < 2:
            raise invalid(f"{self.words[0]} needs {name}; see: shilu mm help")
        return self.words[1]


@dataclass(frozen=True)
class Said:
    """The end of a verb: a JSON value, the same for people, and the exit status."""

    value: Any
    plain: str
    status: int = 0
    plain_status: int | None = None  # where it differs from `status`
    complaint: bool = False  # the plain form belongs on standard error


def read_line(arguments: Sequence[str]) -> Line:
    words: list[str] = []
    flags: dict[str, str | bool] = {}
    waiting = list(arguments)
    while waiting:
        argument = waiting.pop(0)
        name, equals, value = argument.partition("=")
        if not argument.startswith("--"):
            words.append(argument)
        elif equals:
            flags[name] = value
        elif waiting and not waiting[0].startswith("--") and argument not in _VALUELESS:
            flags[argument] = waiting.pop(0)
        else:
            flags[argument] = True
    return Line(tuple(words), flags)


def carry_out(line: Line, environment: Mapping[str, str], clock: Clock) -> Said:
    """Runs the verb of `line` in a fresh memory; raises MmError for what can't be done."""
    verb = line.words[0] if line.words else "help"
    if verb in ("help", "-h") or line.says("--help"):
        return Said(USAGE.rstrip(), USAGE.rstrip())
    action = VERBS.get(verb)
    if action is None:
        raise invalid(f"unknown verb {verb!r}; there are: {', '.join(VERBS)}")
    root = line.text("--root") or None

    def opened() -> Memory:
        return Memory.ensure(Options(root=root), environment=environment, clock=clock)

    return action(line, opened)


Opened = Callable[[], Memory]


def _init(line: Line, opened: Opened) -> Said:
    root = opened().root
    value = {"ok": True, "root": root, "files": ["MEMORY.md", "memories/"]}
    return Said(value, f"{root} is ready: MEMORY.md, memories/")


def _write(line: Line, opened: Opened) -> Said:
    topic, content = line.word("TOPIC"), line.text("--content")
    if content is None:
        raise invalid("write needs --content TEXT (or --content=TEXT, where the text begins with --)")
    budget = line.number("--budget")
    summary, tags = line.text("--summary"), line.text("--tags")
    outcome = opened().write(topic, content, budget=budget, summary=summary, tags=tags)
    if outcome.ok:
        return Said(wire.to_wire(outcome), f"{outcome.action} {outcome.uri}")
    return Said(wire.to_wire(outcome), outcome.message, status=1, complaint=True)


def _read(line: Line, opened: Opened) -> Said:
    memory = opened()
    if len(line.words) > 1:
        return _read_topic(memory, line.words[1])
    view = memory.read_index()
    value = wire.to_wire(view)
    if line.says("--all"):
        value = {"index": value, "notes": wire.to_wire(memory.list_notes())}
    over = ", over budget" if view.over_budget else ""
    head = f"{len(view.entries)} entries, {view.line_count} lines, {view.byte_count} bytes{over}"
    rows = [f"- {entry.topic}: {entry.summary}" if entry.summary else f"- {entry.topic}" for entry in view.entries]
    return Said(value, "\n".join([head, *rows]))


def _read_topic(memory: Memory, topic: str) -> Said:
    note = memory.read_topic(topic)
    if note is None:
        value = {"found": False, "topic": topic, "uri": memory.uri_for(topic)}
        return Said(value, f"no note has the topic {topic}", status=1, complaint=True)
    facts = [f"# {note.topic}", "", f"summary: {note.summary}", f"tags: {', '.join(note.tags)}"]
    return Said(wire.to_wire(note), "\n".join([*facts, f"updated: {note.updated}", "", note.body]))


def _list(line: Line, opened: Opened) -> Said:
    notes = opened().list_notes()
    topics = [note.topic for note in notes]
    shown = [wire.to_wire(note) for note in notes]
    rows = [{name: note[name] for name in ("topic", "uri", "summary", "updated")} for note in shown]
    value = {"topics": topics, "count": len(topics), "notes": rows}
    return Said(value, "\n".join(topics) or "no notes yet")


def _search(line: Line, opened: Opened) -> Said:
    query, limit, mode = line.word("QUERY"), line.number("--limit"), line.text("--mode")
    known = mode if mode in ("scan", "fts5") else "auto"
    result = opened().search(query, mode=known, limit=limit or None)  # type: ignore[arg-type]  # a Mode
    rows = [f"- {match.topic} ({match.uri}): {match.snippet}" for match in result.matches]
    head = f"{result.total} found by {result.engine}" + (f", the first {len(rows)} shown" if result.truncated else "")
    notes = [result.note] if result.note else []
    return Said(wire.to_wire(result), "\n".join([head, *notes, *rows]))


def _budget(line: Line, opened: Opened) -> Said:
    report = opened().budget()
    index, detail, anomalies = report.index, report.detail, report.anomalies
    rows = [
        f"root: {report.root}",
        f"index: {index.entries} entries, {index.lines}/{index.line_cap} lines, "
        f"{index.bytes}/{index.byte_cap} bytes" + (", over budget" if index.over_budget else ""),
        f"notes: {detail.note_count}, {detail.total_body_chars} characters, {detail.total_bytes} bytes",
        f"search: {report.search.configured_mode} ({report.search.engine})",
        f"entries without a file: {anomalies.dangling_entries}",
        f"files without an entry: {', '.join(anomalies.orphan_files) or 'none'}",
    ]
    rows += [f"- {row.topic}: {row.body_chars}/{row.write_budget} ({row.budget_used_pct}%)" for row in report.per_topic]
    return Said(wire.to_wire(report), "\n".join(rows))


def _digest(line: Line, opened: Opened) -> Said:
    items, hint = line.number("--max-items"), line.text("--topic-hint")
    result = opened().digest(file=line.text("--file"), source=line.text("--text"), max_items=items, topic_hint=hint)
    value = wire.to_wire(result)
    if result.source_kind == "none":
        return Said(value, result.note, plain_status=1, complaint=True)
    rows = [f"- {found.topic} ({found.kind}, {found.chars}): {found.summary}" for found in result.candidates]
    return Said(value, "\n".join([f"{len(rows)} candidates from {result.source}", *rows]))


def _delete(line: Line, opened: Opened) -> Said:
    topic = line.word("TOPIC")
    outcome = opened().delete(topic)
    return Said(wire.to_wire(outcome), f"{topic}: {'removed' if outcome.removed else 'there was no such file'}")


def _uri(line: Line, opened: Opened) -> Said:
    topic = line.word("TOPIC")
    uri = opened().uri_for(topic)
    return Said(uri, uri)


VERBS: Mapping[str, Callable[[Line, Opened], Said]] = MappingProxyType(
    {
        "init": _init,
        "write": _write,
        "read": _read,
        "list": _list,
        "search": _search,
        "budget": _budget,
        "digest": _digest,
        "delete": _delete,
        "uri": _uri,
    }
)
PLAIN_ONLY = ("uri", "help")  # verbs whose output is the same with --json


def failure(error: MmError) -> str:
    """The message on standard error, with the prefix that scripts look for (12.1)."""
    return f"dsh-memory: {error}"
