"""A JSON reader that knows where everything stands: values with their spans in the text.

The grammar is RFC 8259 plus what agent programs accept in their settings: `//` and `/* */` comments and
trailing
commas ("JSON with comments"). Nothing is normalised: an edit made from these spans leaves every other byte
alone.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from shilu_setup.errors import Malformed

DEEPEST = 200
"""Levels of nesting read; a settings file has about six, and a deeper one is an attack on the reader's
stack."""

_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)


@dataclass(frozen=True)
class Node:
    """One value: `text[start:end]` is its source. Of an object, `items` pair with `keys`."""

    kind: str  # "object", "array" or "scalar"
    start: int
    end: int
    value: Any
    items: tuple[Item, ...] = field(default=())

    def member(self, key: str) -> Item | None:
        """The last member of that name (parsers let the last one win)."""
        found = [item for item in self.items if item.key == key]
        return found[-1] if found else None


@dataclass(frozen=True)
class Item:
    """One member or element: from its key (or value) to its value's end, and the comma after it, if any."""

    key: str | None
    start: int
    node: Node
    comma: int | None  # position of the `,` that follows


def read(text: str) -> Node:
    """The document's one value. Raises `Malformed` with line and column."""
    reader = _Reader(text)
    start = reader.trivia(1 if text.startswith("\ufeff") else 0)
    node = reader.value(start, 0)
    if reader.trivia(node.end) != len(text):
        raise reader.wrong(reader.trivia(node.end), "something stands after the end of the document")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def wrong(self, at: int, why: str) -> Malformed:
        line = self.text.count("\n", 0, at) + 1
        column = at - (self.text.rfind("\n", 0, at) + 1) + 1
        return Malformed(f"not readable as JSON at line {line}, column {column}: {why}")

    def trivia(self, at: int) -> int:
        """The position after blanks and comments."""
        match = _TRIVIA.match(self.text, at)
        return match.end() if match else at

    def value(self, at: int, depth: int) -> Node:
        if depth > DEEPEST:
            raise self.wrong(at, f"nested deeper than {DEEPEST} levels")
        opener = self.text[at : at + 1]
        if opener == "{" or opener == "[":
            return self.container(at, depth, "object" if opener == "{" else "array")
        if opener == '"':
            value, end = self.string(at)
            return Node("scalar", at, end, value)
        match = _SCALAR.match(self.text, at)
        if match is None:
            raise self.wrong(at, "a value is expected here")
        return Node("scalar", at, match.end(), json.loads(match.group()))

    def string(self, at: int) -> tuple[str, int]:
        match = _STRING.match(self.text, at)
        if match is None:
            raise self.wrong(at, "a string in double quotes is expected here")
        try:
            return str(json.loads(match.group())), match.end()
        except ValueError:
            raise self.wrong(at, "the string holds an unknown escape") from None

    def container(self, at: int, depth: int, kind: str) -> Node:
        closer = "}" if kind == "object" else "]"
        items: list[Item] = []
        here = self.trivia(at + 1)
        while self.text[here : here + 1] != closer:
            if items and items[-1].comma is None:
                raise self.wrong(here, f"a comma or {closer} is expected here")
            item = self.item(here, depth, kind)
            items.append(item)
            here = self.trivia(item.node.end if item.comma is None else item.comma + 1)
        return Node(kind, at, here + 1, _value(kind, items), tuple(items))

    def item(self, at: int, depth: int, kind: str) -> Item:
        key, here = (None, at) if kind == "array" else self.key(at)
        node = self.value(here, depth + 1)
        after = self.trivia(node.end)
        return Item(key, at, node, after if self.text[after : after + 1] == "," else None)

    def key(self, at: int) -> tuple[str, int]:
        key, end = self.string(at)
        colon = self.trivia(end)
        if self.text[colon : colon + 1] != ":":
            raise self.wrong(colon, "a colon is expected here")
        return key, self.trivia(colon + 1)


def _value(kind: str, items: list[Item]) -> Any:
    if kind == "array":
        return [item.node.value for item in items]
    return {item.key: item.node.value for item in items}
