"""The two cuts of the JSON editor: one more item into a container, and one item out of it."""

from __future__ import annotations

import json
import re
from typing import Any

from shilu_setup.formats.edits import Trace, Written, newline_of
from shilu_setup.formats.jsonspans import Item, Node

_BLANK = re.compile(r"[ \t\r\n]*")
_SAME_LINE = re.compile(r"(?:[ \t]*/\*[^\r\n]*?\*/)*(?:[ \t]*//[^\r\n]*)?")
_COMMENT = re.compile(r"/[/*]")


def insert(text: str, container: Node, key: str | None, value: Any, created: int) -> Written:
    """The text with one more item at the container's end, in the container's own style."""
    if not container.items:
        return _fill(text, container, key, value, created)
    last = container.items[-1]
    trailing = last.comma is not None
    after = last.node.end if last.comma is None else last.comma + 1
    spread = "\n" in text[container.start : last.start]
    match = _SAME_LINE.match(text, after)
    spot = match.end() if match else after
    # A line comment behind the last value ends with its line, so what follows must begin on the next.
    lead = _line(text, last.start) if spread or "//" in text[after:spot] else " "
    piece = lead + _keyed(text, key, value, last.start, spread)
    before, behind = ("", ",") if trailing else (",", "")
    whole = text[:after] + before + text[after:spot] + piece + behind + text[spot:]
    return Written(whole, Trace(chunk=piece, created=created))


def remove(text: str, container: Node, item: Item, trace: Trace) -> str:
    """The text without the item, its leading blanks, and the comma that only it needed."""
    start = _leading(text, container, item)
    if len(container.items) == 1:
        return _empty(text, container, item, start, trace)
    if item.comma is not None:
        return text[:start] + text[item.node.end : item.comma] + text[item.comma + 1 :]
    previous = container.items[container.items.index(item) - 1]
    between = text[previous.node.end : start]
    cut = text[:start] + _kept_newline(text, between, item.node.end) + text[item.node.end :]
    if previous.comma is None:
        return cut
    return cut[: previous.comma] + cut[previous.comma + 1 :]


def render(text: str, value: Any, at: int, *, spread: bool) -> str:
    """The value as JSON, spread over lines below the indent of the line at `at`, or on one line."""
    if not spread:
        return json.dumps(value, ensure_ascii=False)
    shown = json.dumps(value, ensure_ascii=False, indent=_unit(text))
    return shown.replace("\n", newline_of(text) + _indent(text, at))


def has_comment(text: str, container: Node, item: Item) -> bool:
    """Whether the container of this one item holds a comment of somebody's."""
    end = item.node.end if item.comma is None else item.comma
    return bool(_COMMENT.search(text, container.start, item.start) or _COMMENT.search(text, end, container.end))


def _fill(text: str, container: Node, key: str | None, value: Any, created: int) -> Written:
    """The first item of an empty container; what stood inside (blanks, comments) stays before it."""
    inner = text[container.start + 1 : container.end - 1]
    newline, outer = newline_of(text), _indent(text, container.start)
    shown = _keyed(text, key, value, container.start, True, deeper=True)
    piece = newline + outer + _step(text) + shown
    tail = "" if "\n" in inner[len(inner.rstrip()) :] and inner.strip() else newline + outer
    kept = inner.rstrip() if inner.strip() else ""
    blank = inner[len(kept) :] if not tail else ""
    whole = text[: container.start + 1] + kept + piece + blank + tail + text[container.end - 1 :]
    return Written(whole, Trace(chunk=piece, inner=inner, created=created))


def _empty(text: str, container: Node, item: Item, start: int, trace: Trace) -> str:
    """The container without its only item, with its former inside where nobody wrote there since."""
    end = item.node.end if item.comma is None else item.comma + 1
    between = "" if item.comma is None else text[item.node.end : item.comma]
    left, right = text[container.start + 1 : start], between + text[end : container.end - 1]
    if trace.inner is not None and (left + right).split() == trace.inner.split():
        return text[: container.start + 1] + trace.inner + text[container.end - 1 :]
    return text[: container.start + 1] + left + right + text[container.end - 1 :]


def _keyed(text: str, key: str | None, value: Any, at: int, spread: bool, *, deeper: bool = False) -> str:
    shown = render(text, value, at, spread=spread)
    if deeper:
        shown = shown.replace("\n", "\n" + _step(text))
    return shown if key is None else json.dumps(key, ensure_ascii=False) + ": " + shown


def _leading(text: str, container: Node, item: Item) -> int:
    """Where the blanks before the item begin."""
    start = item.start
    while start > container.start + 1 and text[start - 1] in " \t\r\n":
        start -= 1
    return start


def _kept_newline(text: str, between: str, end: int) -> str:
    """The line end that a line comment before the cut still needs, where none follows."""
    match = _BLANK.match(text, end)
    follows = match is not None and "\n" in match.group()
    return "" if follows or "//" not in between.rpartition("\n")[2] else newline_of(text)


def _line(text: str, at: int) -> str:
    return newline_of(text) + _indent(text, at)


def _indent(text: str, at: int) -> str:
    """The blanks at the beginning of the line that holds `at`."""
    line = text.rfind("\n", 0, at) + 1
    match = re.compile(r"\ufeff?([ \t]*)").match(text, line)
    return match.group(1) if match else ""


def _unit(text: str) -> int | str:
    """One level of indent as the file has it: its first indented line; two blanks where there is none."""
    match = re.search(r"\n([ \t]+)\S", text)
    if match is None:
        return 2
    return "\t" if match.group(1).startswith("\t") else len(match.group(1))


def _step(text: str) -> str:
    unit = _unit(text)
    return unit if isinstance(unit, str) else " " * unit
