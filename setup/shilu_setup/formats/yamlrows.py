"""Our rows of a YAML list (DSH's `cordis.patch.yml`), between two marker comments.

The list is written by people, so our rows are appended as text in its own indent and nothing else moves.
ruamel.yaml
proves that (same nodes as before, and ours) wherever it is installed; a flow list `[...]` cannot be edited
without it.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import Any

from shilu_setup.errors import Foreign, Malformed
from shilu_setup.formats.edits import Edit, Trace, Written, newline_of

BEGIN = "# shilu:begin"
END = "# shilu:end"
_ROWS = re.compile(r"^[ ]*# shilu:begin\r?\n.*?^[ ]*# shilu:end(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_NOTHING = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?\r?\n|---[ \t]*\r?\n)*[ \t]*(?:#[^\r\n]*)?")
_FIRST_ROW = re.compile(r"([ ]*)-(?:[ \t\r\n]|\Z)")
_EMPTY_LIST = re.compile(r"\[[ \t]*\][ \t]*")


def put(text: str, edit: Edit) -> Written:
    """The text with our rows at the list's end. Raises `Malformed` where the document is no list."""
    found = _only(text)
    if found is not None:
        return _renew(text, found, edit)
    written = _append(text, edit)
    if not _proved(text, written.text, edit):
        raise Malformed("the file is no YAML list, or rows cannot be added at its end; add ours by hand")
    return written


def take(text: str, edit: Edit, trace: Trace) -> str:
    """The text without our rows. Raises `Foreign` where someone edited them."""
    found = _only(text)
    if found is None:
        return text
    if _body(found.group()) != _body(_block(edit, "", "\n")):
        raise Foreign("our rows were edited since", ours=_block(edit, "", "\n"), theirs=found.group())
    if trace.before is not None:
        return text[: found.start()] + trace.before + text[found.end() :]
    if text.count(trace.chunk) == 1:
        found_at = text.index(trace.chunk)
        return text[:found_at] + _returned(text, found_at, trace) + text[found_at + len(trace.chunk) :]
    return text[: found.start()] + text[found.end() :]


def find(text: str, edit: Edit) -> str:
    """`absent`, `ours` or `other`."""
    found = _only(text)
    if found is None:
        return "absent"
    return "ours" if _body(found.group()) == _body(_block(edit, "", "\n")) else "other"


def _only(text: str) -> re.Match[str] | None:
    found = list(_ROWS.finditer(text))
    if len(found) > 1 or (not found and BEGIN in text):
        raise Malformed(f"our markers are doubled or torn; mend them by hand: a line '{BEGIN}' and a line '{END}'")
    return found[0] if found else None


def _renew(text: str, found: re.Match[str], edit: Edit) -> Written:
    if _body(found.group()) == _body(_block(edit, "", "\n")):
        return Written(text, None)
    indent = found.group()[: found.group().index("#")]
    ours = _block(edit, indent, newline_of(text))
    return Written(text[: found.start()] + ours + text[found.end() :], Trace(before=found.group()))


def _append(text: str, edit: Edit) -> Written:
    """Our rows into the three kinds of document there are: nothing yet, an empty list, rows."""
    newline = newline_of(text)
    match = _NOTHING.match(text)
    start = match.end() if match else 0
    rest = text[start:]
    if not rest.strip():
        chunk = _end_of_line(text, newline) + _block(edit, "", newline)
        return Written(text + chunk, Trace(chunk=chunk))
    empty = _EMPTY_LIST.match(rest)
    if empty and not _NOTHING.sub("", rest[empty.end() :], count=1).strip():
        after = start + empty.end()
        chunk = _block(edit, "", newline)
        if after < len(text) and text[after] in "\r\n":
            chunk = chunk[: -len(newline)]
        return Written(text[:start] + chunk + text[after:], Trace(chunk=chunk, inner=empty.group()))
    row = _FIRST_ROW.match(text, text.rfind("\n", 0, start) + 1)
    if row is None:
        raise Malformed("the file is no YAML list of rows; add ours by hand")
    chunk = _end_of_line(text, newline) + _block(edit, row.group(1), newline)
    return Written(text + chunk, Trace(chunk=chunk))


def _returned(text: str, at: int, trace: Trace) -> str:
    """`[]` again, where it stood and where no rows have come since."""
    if trace.inner is None:
        return ""
    others = text[:at] + text[at + len(trace.chunk) :]
    match = _NOTHING.match(others)
    return trace.inner if match is None or not others[match.end() :].strip() else ""


def _block(edit: Edit, indent: str, newline: str) -> str:
    lines = [BEGIN, *str(edit.value).splitlines(), END]
    return "".join(indent + line + newline for line in lines)


def _body(block: str) -> list[str]:
    """The rows without the indent of the list."""
    lines = block.splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    return [line[indent:] for line in lines]


def _end_of_line(text: str, newline: str) -> str:
    return "" if not text.strip() or text.endswith("\n") else newline


def _proved(before: str, after: str, edit: Edit) -> bool:
    """Whether the list reads as before with our rows behind; taken on trust only where ruamel.yaml is
    missing."""
    if find_spec("ruamel") is None or find_spec("ruamel.yaml") is None:
        return True
    was, now, ours = _rows(before), _rows(after), _rows(str(edit.value))
    return was is not None and now == was + (ours or [])


def _rows(text: str) -> list[Any] | None:
    """The nodes of the list, as (tag, content) without positions; None where the document is no list."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        node = YAML().compose(text)
    except YAMLError as error:
        raise Malformed(f"not readable as YAML: {error}") from None
    if node is None or (node.tag or "").endswith(":null"):
        return []
    return (
        [_plain(row) for row in node.value]
        if isinstance(node.value, list) and (node.tag or "").endswith(":seq")
        else None
    )


def _plain(node: Any) -> Any:
    if isinstance(node, tuple):
        return tuple(_plain(part) for part in node)
    content = node.value
    return node.tag, [_plain(part) for part in content] if isinstance(content, list) else content
