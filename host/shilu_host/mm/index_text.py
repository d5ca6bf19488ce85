"""The grammar of MEMORY.md, both ways (section 4)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from shilu_host.mm.errors import MmError, unparsable
from shilu_host.mm.paths import assert_safe_rel_path, detail_file
from shilu_host.mm.text import BLANKS, NO_LINE_END, byte_length, count_lines, parse_tags, trim, validate_topic
from shilu_host.mm.values import ABSENT, IndexEntry

FORMAT_VERSION = 1
_HEADING = re.compile(f"##[{BLANKS}]+(?=[^{BLANKS}])")
_HEADER_LINE = re.compile(f">[{BLANKS}]*([^{BLANKS}]+?):[{BLANKS}]*({NO_LINE_END}*)\\Z")
_META_LINE = re.compile(f"-[{BLANKS}]*\\*\\*(summary|tags|file|updated|budget):\\*\\*[{BLANKS}]*({NO_LINE_END}*)\\Z")
_BUDGET = re.compile("([0-9]+)/([0-9]+)")
_INTEGER = re.compile("[+-]?[0-9]+")


@dataclass(frozen=True)
class IndexHeader:
    memory_id: str
    version: int = FORMAT_VERSION
    kind: str | None = field(default=None, metadata=ABSENT)
    caps: str | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True)
class ParsedIndex:
    header: IndexHeader
    entries: tuple[IndexEntry, ...]
    line_count: int
    byte_count: int


@dataclass(frozen=True)
class _Section:
    """The lines of one entry; `number` is the heading's line, from 1."""

    number: int
    heading: str
    lines: tuple[str, ...]


def is_entry_heading(line: str) -> bool:
    """Whether this line (without its LF) opens an entry."""
    return _HEADING.match(line) is not None


def parse_index(text: str, memory_id: str = "local") -> ParsedIndex:
    """The index in `text`, with LF or CRLF line ends; raises E_PARSE for a bad topic or an unsafe `file`."""
    lines = text.removeprefix("\ufeff").split("\n")
    starts = [number for number, line in enumerate(lines) if is_entry_heading(line)]
    header = _read_header(lines[: starts[0] if starts else len(lines)], memory_id)
    ends = [*starts[1:], len(lines)]
    sections = [
        _Section(start + 1, lines[start], tuple(lines[start + 1 : end]))
        for start, end in zip(starts, ends, strict=False)
    ]
    entries = tuple(_read_entry(section, header.memory_id) for section in sections)
    return ParsedIndex(header, entries, count_lines(text), byte_length(text))


def _read_header(lines: Sequence[str], memory_id: str) -> IndexHeader:
    header = IndexHeader(memory_id)
    for line in lines:
        matched = _HEADER_LINE.match(line.removesuffix("\r"))
        if matched:
            header = _with_header_line(header, matched[1], trim(matched[2]))
    return header


def _with_header_line(header: IndexHeader, key: str, value: str) -> IndexHeader:
    if key == "mm-id":
        return replace(header, memory_id=value)
    if key == "mm-version" and (number := _INTEGER.match(value)):
        return replace(header, version=int(number[0]))
    if key == "mm-kind":
        return replace(header, kind=value)
    if key == "mm-caps":
        return replace(header, caps=value)
    return header


def _read_entry(section: _Section, memory_id: str) -> IndexEntry:
    topic = _topic(section)
    meta: dict[str, str] = {}
    body = []
    for line in section.lines:
        matched = _META_LINE.match(line.removesuffix("\r"))
        if matched:
            meta[matched[1]] = trim(matched[2])
        else:
            body.append(_body_line(section, line))
    spent, budget = _budget(meta.get("budget", ""))
    return IndexEntry(
        topic=topic,
        memory_id=memory_id,
        summary=meta.get("summary", ""),
        tags=parse_tags(meta.get("tags", "")),
        file=assert_safe_rel_path(meta.get("file", detail_file(topic))),
        updated=meta.get("updated", ""),
        body_chars=spent,
        write_budget=budget,
        entry_body=trim("\n".join(body)),
    )


def _topic(section: _Section) -> str:
    name = trim(section.heading.removeprefix("##"))
    try:
        return validate_topic(name)
    except MmError as error:
        raise unparsable(f"line {section.number}: the heading {name!r} is no topic; {error}") from error


def _body_line(section: _Section, line: str) -> str:
    """The line as it is; under a heading that ends in CRLF a final CR belongs to the line end."""
    return line.removesuffix("\r") if section.heading.endswith("\r") else line


def _budget(text: str) -> tuple[int, int]:
    matched = _BUDGET.match(text)
    return (int(matched[1]), int(matched[2])) if matched else (0, 0)


def serialize_index(memory_id: str, index_lines: int, index_bytes: int, entries: Sequence[IndexEntry]) -> str:
    """The text of MEMORY.md, byte for byte as in 4.8 and 4.9; entries sorted by topic, LF line ends."""
    head = [
        "# MEMORY.md",
        "",
        "Memory Standard Index — hand-load priority; managed by dsh-memory-standard.",
        f"Hard caps: {index_lines} lines / {index_bytes} bytes. Over budget => rewrite (never truncate).",
        "",
        f"> mm-id: {memory_id}",
        f"> mm-version: {FORMAT_VERSION}",
        "> mm-kind: index",
        f"> mm-caps: {index_lines} lines / {index_bytes} bytes",
    ]
    ordered = sorted(entries, key=lambda entry: entry.topic.encode("utf-16-be", "surrogatepass"))
    sections = "\n".join(_section_text(entry) for entry in ordered)
    return "\n".join(head) + "\n" + sections


def _section_text(entry: IndexEntry) -> str:
    lines = [
        f"## {entry.topic}",
        f"- **summary:** {entry.summary}",
        f"- **tags:** {', '.join(entry.tags)}",
        f"- **file:** {entry.file}",
        f"- **updated:** {entry.updated}",
        f"- **budget:** {entry.body_chars}/{entry.write_budget}",
    ]
    if entry.entry_body:
        lines += ["", _guarded(entry.entry_body)]
    return "\n".join(lines) + "\n"


def _guarded(body: str) -> str:
    """The body, indented where its first line would be read as an entry or as meta.

    A person's indented `## x` loses its indent when the body is trimmed (4.3); written like that it would
    open an entry, and a root with a heading that is no topic does not load any more.
    """
    first = body.split("\n", 1)[0]
    return f" {body}" if is_entry_heading(first) or _META_LINE.match(first.removesuffix("\r")) else body
