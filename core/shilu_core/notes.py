"""The grammar of a note: which of its lines are facts, headings and text; never which bytes may change.

Follows CommonMark 0.31 (https://spec.commonmark.org/0.31.2/) as far as facts need it: list items with
continuation lines, fenced and indented code, HTML blocks, comments, tables, block quotes, front matter.
Joining the lines of a parsed note gives its bytes back, whatever they were.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from shilu_core.facts import Fact, Passage, fact_id
from shilu_core.stamps import read_tail

BOM = "\ufeff"
SUPERSEDED = re.compile(r"已取代|已失效|已废弃|superseded|obsolete", re.IGNORECASE)

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$")
_BULLET = re.compile(r"^(?P<indent>[ \t]*)(?P<mark>[-*+•])(?P<space>[ \t]+)(?P<text>\S.*)$")
_ORDERED = re.compile(r"^(?P<indent>[ \t]*)\d{1,9}[.)][ \t]+(?P<text>\S.*)$")
_HEADING = re.compile(r"^ {0,3}(?P<level>#{1,6})(?:[ \t]+(?P<text>.*?))?(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r"^[ \t]*(?P<fence>`{3,}|~{3,})(?P<info>.*)$")
_RULE = re.compile(r"^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_HTML_OPEN = re.compile(r"^ {0,3}<(?P<tag>script|pre|style|textarea)(?:[\s>]|$)", re.IGNORECASE)
_HTML_BLOCK = re.compile(r"^ {0,3}</?[A-Za-z][A-Za-z0-9-]*(?:[\s/>]|$)")
_KEY = re.compile(r"^(?:#|[^\s:\-][^:]*:)")


@dataclass(frozen=True)
class Line:
    """One line: its text, its line end (`""` for a last line without one) and what it is."""

    text: str
    end: str
    kind: str  # front | heading | bullet | continuation | text | table | code | html | blank | rule


@dataclass(frozen=True)
class Note:
    """A parsed note; `id` is the path below the notes root."""

    id: str
    lines: tuple[Line, ...]
    closed: bool  # no code fence, comment or raw HTML block is open at the end

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        return tuple(_facts(self))

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        return tuple(_passages(self))

    @property
    def newline(self) -> str:
        """The note's own line end: the most frequent one, `\\n` for a note without any."""
        ends = Counter(line.end for line in self.lines if line.end)
        return ends.most_common(1)[0][0] if ends else "\n"

    def fact(self, identity: str) -> Fact | None:
        return next((fact for fact in self.facts if fact.id == identity), None)

    def to_bytes(self) -> bytes:
        return encode("".join(line.text + line.end for line in self.lines))


def decode(data: bytes) -> str:
    """Text of a note; bytes that are no UTF-8 survive as lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def split_lines(text: str) -> list[str]:
    """Lines with their ends; only CR, LF and CRLF end a line."""
    return _LINE.findall(text)


def parse(identity: str, data: bytes) -> Note:
    """The note in `data`; never fails, and `parse(id, data).to_bytes() == data`."""
    reader = _Reader()
    lines = []
    raw_lines = split_lines(decode(data))
    front = _front_matter_length(raw_lines)
    for number, raw in enumerate(raw_lines):
        text = raw.rstrip("\r\n")
        kind = "front" if number < front else reader.kind(text.removeprefix(BOM) if number == 0 else text)
        lines.append(Line(text, raw[len(text) :], kind))
    return Note(identity, tuple(lines), reader.closed)


def _front_matter_length(lines: list[str]) -> int:
    """Lines of front matter, valid YAML or not: `---`, something like a key or nothing, `---` or `...`."""
    if not lines or lines[0].removeprefix(BOM).rstrip() != "---":
        return 0
    first = next((line for line in lines[1:] if line.strip()), "")
    if not (_KEY.match(first) or first.rstrip() in ("---", "...")):
        return 0
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() in ("---", "..."):
            return number + 1
    return 0


class _Reader:
    """Tells the kind of each line, one after the other."""

    def __init__(self) -> None:
        self._fence = ""
        self._until: re.Pattern[str] | None = None  # end of a comment or raw HTML block
        self._html = False
        self._items: list[int] = []  # content columns of the open list items
        self._previous = "blank"

    @property
    def closed(self) -> bool:
        return not self._fence and self._until is None

    def kind(self, text: str) -> str:
        self._previous = self._inside(text) or self._block(text)
        return self._previous

    def _inside(self, text: str) -> str:
        if self._fence:
            matched = _FENCE.match(text)
            if matched and matched["fence"].startswith(self._fence) and not matched["info"].strip():
                self._fence = ""
            return "code"
        if self._until is not None:
            if self._until.search(text):
                self._until = None
            return "html"
        if self._html and text.strip():
            return "html"
        self._html = False
        return ""

    def _block(self, text: str) -> str:
        if not text.strip():
            return "blank"
        column = _column(text)
        if (matched := _FENCE.match(text)) and not (matched["fence"][0] == "`" and "`" in matched["info"]):
            self._fence = matched["fence"]
            return "code"
        if _RULE.match(text):
            self._items.clear()
            return "rule"
        if matched := _BULLET.match(text):
            return self._bullet(matched)
        if matched := _ORDERED.match(text):
            self._open_item(column, matched.start("text") - matched.end("indent"))
            return "text"
        return self._other(text, column)

    def _bullet(self, matched: re.Match[str]) -> str:
        column = _column(matched.string)
        if column > 3 and not any(column >= item for item in self._items):
            if not self._items or self._previous == "blank":
                return "code"
            return "continuation"
        self._open_item(column, len(matched["mark"] + matched["space"]))
        return "bullet"

    def _open_item(self, column: int, width: int) -> None:
        while self._items and self._items[-1] > column:
            self._items.pop()
        self._items.append(column + (width if width <= 5 else 2))

    def _other(self, text: str, column: int) -> str:
        inside_item = bool(self._items) and column >= 1 and column >= self._items[0]
        if not inside_item and _HEADING.match(text):
            self._items.clear()
            return "heading"
        if kind := self._html_kind(text):
            return kind
        if text.lstrip().startswith("|"):
            return "table"
        if inside_item:
            return "continuation"
        return self._paragraph(text, column)

    def _html_kind(self, text: str) -> str:
        if text.lstrip().startswith("<!--"):
            if "-->" not in text:
                self._until = re.compile(r"-->")
            return "html"
        if matched := _HTML_OPEN.match(text):
            closing = re.compile(rf"</{matched['tag']}>", re.IGNORECASE)
            if not closing.search(text):
                self._until = closing
            return "html"
        if _HTML_BLOCK.match(text):
            self._html = True
            return "html"
        return ""

    def _paragraph(self, text: str, column: int) -> str:
        lazy = self._items and self._previous in ("bullet", "continuation") and not text.lstrip().startswith(">")
        if lazy:
            return "continuation"
        self._items.clear()
        return "code" if column > 3 and self._previous != "text" else "text"


def _column(text: str) -> int:
    column = 0
    for character in text:
        if character == "\t":
            column += 4 - column % 4
        elif character == " ":
            column += 1
        else:
            break
    return column


def _facts(note: Note) -> Iterator[Fact]:
    seen: Counter[str] = Counter()
    parents: list[tuple[int, str]] = []
    heading, superseded_level = "", 0
    for index, line in enumerate(note.lines):
        if line.kind == "heading":
            level, heading = _read_heading(line.text)
            superseded_level = _superseded_level(superseded_level, level, heading)
        if line.kind != "bullet":
            continue
        matched = _BULLET.match(line.text.removeprefix(BOM))
        if matched is None:
            continue
        end = _fact_end(note, index)
        bodies = [matched["text"]] + [part.text.strip() for part in note.lines[index + 1 : end] if part.text.strip()]
        tail = read_tail(bodies[-1])
        text = "\n".join([*bodies[:-1], tail.text]).strip()
        column = _column(line.text)
        parents = [parent for parent in parents if parent[0] < column]
        ended = tail.stamp is not None and tail.stamp.ended is not None
        yield Fact(
            id=fact_id(note.id, text, seen[text]),
            text=text,
            note=note.id,
            line=index + 1,
            end=end + 1,
            stamp=tail.stamp,
            heading=heading,
            parent=parents[-1][1] if parents else "",
            superseded=bool(superseded_level) or ended,
            block_id=tail.block_id,
        )
        seen[text] += 1
        parents.append((column, text))


def _fact_end(note: Note, index: int) -> int:
    """Index of the first line behind the bullet at `index` and its continuation lines."""
    end = index + 1
    for number in range(index + 1, len(note.lines)):
        kind = note.lines[number].kind
        if kind == "continuation":
            end = number + 1
        elif kind != "blank":
            break
    return end


def _superseded_level(current: int, level: int, heading: str) -> int:
    """Level of the heading of superseded facts that is in force, 0 for none."""
    if current and level > current:
        return current
    return level if SUPERSEDED.search(heading) else 0


def _read_heading(text: str) -> tuple[int, str]:
    matched = _HEADING.match(text.removeprefix(BOM))
    return (len(matched["level"]), (matched["text"] or "").strip()) if matched else (1, text.strip())


def _passages(note: Note) -> Iterator[Passage]:
    heading = ""
    paragraph: list[str] = []
    start = 0
    for index, line in enumerate([*note.lines, Line("", "", "blank")]):
        if line.kind == "text" and line.text.strip():
            start = start if paragraph else index
            paragraph.append(line.text.removeprefix(BOM).strip())
            continue
        if paragraph:
            yield Passage("\n".join(paragraph), note.id, start + 1, heading)
            paragraph = []
        if line.kind == "heading":
            heading = _read_heading(line.text)[1]
        elif line.kind in ("table", "code") and line.text.strip():
            yield Passage(line.text.strip(), note.id, index + 1, heading, line.kind)
