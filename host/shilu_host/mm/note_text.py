"""The grammar of a detail file, both ways (section 5)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from shilu_host.mm.errors import MmError
from shilu_host.mm.index_text import FORMAT_VERSION
from shilu_host.mm.text import BLANKS, NO_LINE_END, trim, validate_topic
from shilu_host.mm.values import ABSENT

_TITLE = re.compile(f"#[{BLANKS}]+({NO_LINE_END}+)\\Z")
_META = re.compile(f">[{BLANKS}]*(mm-[A-Za-z0-9_-]+):[{BLANKS}]*({NO_LINE_END}*)\\Z")
_LINE_ENDS, _ENDS_BACKWARDS = re.compile("(?:\r?\n)*"), re.compile("(?:\n\r?)*")
_INTEGER = re.compile("[+-]?[0-9]+")


@dataclass(frozen=True)
class NoteHeader:
    memory_id: str | None = field(default=None, metadata=ABSENT)
    version: int | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True)
class ParsedNote:
    """`topic` is `""` where neither a title nor `mm-topic` names one."""

    topic: str
    body: str
    header: NoteHeader


@dataclass(frozen=True)
class _Head:
    """The header block: its meta lines, how many lines it takes, and whether they end in CRLF."""

    title: str
    meta: tuple[tuple[str, str], ...]
    length: int
    crlf: bool


def parse_note_text(text: str) -> ParsedNote:
    """Header and body of a detail file; raises E_INVALID where title or `mm-topic` is no topic."""
    lines = text.split("\n")
    head = _read_head(lines)
    topic = validate_topic(head.title) if head.title else ""
    for key, value in head.meta:
        if key == "mm-topic":
            topic = validate_topic(value)
    meta = dict(head.meta)
    header = NoteHeader(meta.get("mm-id"), _integer(meta.get("mm-version")))
    return ParsedNote(topic, _body(lines, head), header)


def read_body(text: str) -> str:
    """The body of a detail file that a person may have written: a title that is no topic is content (16)."""
    try:
        return parse_note_text(text).body
    except MmError:
        lines = text.split("\n")
        return _body(lines, _lenient_head(lines))


def header_length(text: str) -> int:
    """How many lines stand before the body, in a file that a person may have written."""
    lines = text.split("\n")
    return _body_start(lines, _lenient_head(lines))


def _read_head(lines: Sequence[str]) -> _Head:
    lines = [lines[0].removeprefix("\ufeff"), *lines[1:]]
    number = _skip_blank(lines, 0)
    title, crlf = "", False
    if number < len(lines) and (matched := _TITLE.match(lines[number].removesuffix("\r"))):
        title = trim(matched[1])
        crlf = lines[number].endswith("\r")
        number = _skip_blank(lines, number + 1)
    meta = []
    while number < len(lines) and (matched := _META.match(lines[number].removesuffix("\r"))):
        meta.append((matched[1], trim(matched[2])))
        crlf = crlf or lines[number].endswith("\r")
        number += 1
    return _Head(title, tuple(meta), number, crlf)


def _lenient_head(lines: Sequence[str]) -> _Head:
    """The header block where a title is no topic: the file begins with content, and has no header."""
    head = _read_head(lines)
    if not head.title or _is_topic(head.title):
        return head
    first = _skip_blank(lines, 0)
    return _Head("", (), first, lines[first].endswith("\r"))


def _is_topic(text: str) -> bool:
    try:
        validate_topic(text)
    except MmError:
        return False
    return True


def _skip_blank(lines: Sequence[str], number: int) -> int:
    while number < len(lines) and not trim(lines[number]):
        number += 1
    return number


def _body_start(lines: Sequence[str], head: _Head) -> int:
    """Where the body begins: behind the blank line that closes the meta lines, if there is one."""
    closed = head.meta and head.length < len(lines) and not trim(lines[head.length])
    return head.length + 1 if closed else head.length


def _body(lines: Sequence[str], head: _Head) -> str:
    """What follows the header; only the outer line ends go, CRLF ones where the header's own are."""
    body = "\n".join(lines[_body_start(lines, head) :])
    if not head.crlf:
        return body.strip("\n")
    backwards = body[_LINE_ENDS.match(body).end() :][::-1]  # type: ignore[union-attr]  # it always matches
    return backwards[_ENDS_BACKWARDS.match(backwards).end() :][::-1]  # type: ignore[union-attr]


def _integer(text: str | None) -> int | None:
    matched = _INTEGER.match(text or "")
    return int(matched[0]) if matched else None


def serialize_note_text(topic: str, memory_id: str, file: str, body: str) -> str:
    """The text of a detail file (5.1); LFs at the body's end become one."""
    lines = [
        f"# {topic}",
        "",
        f"> mm-id: {memory_id}",
        f"> mm-version: {FORMAT_VERSION}",
        "> mm-kind: note",
        f"> mm-topic: {topic}",
        f"> mm-file: {file}",
    ]
    stripped = body.rstrip("\n")
    head = "\n".join(lines) + "\n"
    return f"{head}\n{stripped}\n" if stripped else head
