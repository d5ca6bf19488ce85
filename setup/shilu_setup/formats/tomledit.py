"""Entries in a TOML file (Codex's `config.toml`), by key.

The usual case needs no library: a table that is missing is appended as a block of its own, and the standard
library
proves that this changed nothing else. Where that cannot be (an inline table, our table rewritten by the
program
itself), tomlkit edits by key and keeps the rest as it is. Markers would not be safe here: the program moves
comments.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

from shilu_setup.errors import Foreign, Malformed, Occupied, SetupError
from shilu_setup.formats.edits import Edit, Trace, Written, newline_of, same

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def put(text: str, edit: Edit) -> Written:
    """The text with the table at `path`. Raises `Malformed` or `Occupied`."""
    before = _read(text)
    present = _at(before, edit.path)
    if present is not None:
        return Written(text, None) if same(present, edit.value) else _replace(text, edit)
    chunk = _lead(text) + _block(edit, newline_of(text))
    if _holds_only(text + chunk, before, edit):
        return Written(text + chunk, Trace(chunk=chunk))
    return _put_by_key(text, edit, before)


def take(text: str, edit: Edit, trace: Trace) -> str:
    """The text without the table. Raises `Foreign` where it is no longer ours."""
    now = _read(text)
    present = _at(now, edit.path)
    if present is None:
        return text
    if not same(present, edit.value):
        raise Foreign(f"{edit.place} was changed since", ours=_show(edit.value), theirs=_show(present))
    if trace.before is not None:
        former = json.loads(trace.before)
        put_back = _put_back(text, trace)
        if put_back is not None and same(_at(_read(put_back), edit.path), former):
            return put_back
        return _set_by_key(text, edit, former)
    wanted = _without(now, edit.path, trace.created)
    put_back = _put_back(text, trace)
    if put_back is not None and _parses_to(put_back, wanted):
        return put_back
    for chunk in (trace.chunk, trace.chunk.lstrip("\r\n")):
        if chunk and text.count(chunk) == 1:
            cut = text.replace(chunk, "")
            if _parses_to(cut, wanted):
                return cut
    return _del_by_key(text, edit, wanted)


def find(text: str, edit: Edit) -> str:
    """`absent`, `ours` or `other`."""
    try:
        present = _at(_read(text), edit.path)
    except Occupied:
        return "other"
    if present is None:
        return "absent"
    return "ours" if same(present, edit.value) else "other"


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Malformed(f"not readable as TOML: {error}") from None


def _at(table: dict[str, Any], path: tuple[str, ...]) -> Any:
    node: Any = table
    for depth, name in enumerate(path):
        if not isinstance(node, dict):
            raise Occupied(f"{'.'.join(path[:depth])} holds no table; move it away and run again")
        if name not in node:
            return None
        node = node[name]
    return node


def _block(edit: Edit, newline: str) -> str:
    lines = ["[" + ".".join(_key(name) for name in edit.path) + "]"]
    lines += [f"{_key(name)} = {_value(value)}" for name, value in edit.value.items()]
    return newline.join(lines) + newline


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _value(value: Any) -> str:
    """Strings, numbers, booleans and lists of them: JSON's spelling is TOML's there (DEL excepted)."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _lead(text: str) -> str:
    newline = newline_of(text)
    if not text.strip():
        return ""
    if not text.endswith("\n"):
        return newline + newline
    return "" if text.endswith(newline + newline) else newline


def _holds_only(text: str, before: dict[str, Any], edit: Edit) -> bool:
    """Whether the text reads as what was there before and the entry, nothing else."""
    try:
        now = _read(text)
    except Malformed:
        return False
    return same(_at(now, edit.path), edit.value) and same(
        _without(now, edit.path, len(edit.path)), _pruned(before, edit.path)
    )


def _without(table: dict[str, Any], path: tuple[str, ...], created: int) -> dict[str, Any]:
    """A copy without the entry, and without the `created` tables around it that it leaves empty."""
    if len(path) == 1:
        return {name: value for name, value in table.items() if name != path[0]}
    inner = _without(table[path[0]], path[1:], created)
    kept = {name: value for name, value in table.items() if name != path[0]}
    return kept if not inner and created >= len(path) - 1 else {**table, path[0]: inner}


def _pruned(table: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """The table as `_without` would leave it: empty tables on the path do not count."""
    if len(path) == 1 or path[0] not in table:
        return table
    inner = _pruned(table[path[0]], path[1:])
    return {**table, path[0]: inner} if inner else {k: v for k, v in table.items() if k != path[0]}


def _parses_to(text: str, wanted: dict[str, Any]) -> bool:
    """Whether the text reads as `wanted`; a table that only held ours may be gone or empty."""
    try:
        now = _read(text)
    except Malformed:
        return False
    return same(_shaken(now), _shaken(wanted))


def _shaken(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    shaken = {key: _shaken(inner) for key, inner in value.items()}
    return {key: inner for key, inner in shaken.items() if inner != {}}


def _put_by_key(text: str, edit: Edit, before: dict[str, Any]) -> Written:
    written = _set_by_key(text, edit, edit.value)
    if not _holds_only(written, before, edit):
        raise Malformed(f"{edit.place} cannot be added without touching other entries; add it by hand")
    inserted, removed = _difference(text, written)
    return Written(written, Trace(chunk=inserted, inner=removed))


def _replace(text: str, edit: Edit) -> Written:
    former = _at(_read(text), edit.path)
    written = _set_by_key(text, edit, edit.value)
    inserted, removed = _difference(text, written)
    return Written(written, Trace(chunk=inserted, inner=removed, before=json.dumps(former, default=str)))


def _difference(text: str, written: str) -> tuple[str, str]:
    """The run of whole lines that stands in `written`, and the one that stood in `text` in its place."""
    old, new = text.splitlines(keepends=True), written.splitlines(keepends=True)
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return "".join(new[start : len(new) - end]), "".join(old[start : len(old) - end])


def _put_back(text: str, trace: Trace) -> str | None:
    """The text with the lines that we wrote replaced by those that stood there; None where ours are not there once."""
    if trace.inner is None or not trace.chunk or text.count(trace.chunk) != 1:
        return None
    try:
        put_back = text.replace(trace.chunk, trace.inner)
        _read(put_back)
    except Malformed:
        return None
    return put_back


def _document(text: str) -> TOMLDocument:
    try:
        import tomlkit
    except ImportError:
        raise SetupError(
            "this TOML file needs the package tomlkit to be edited by key: run setup/deploy.py (it uses the "
            "environment that setup/bootstrap.py makes), or pip install tomlkit"
        ) from None
    return tomlkit.parse(text)


def _set_by_key(text: str, edit: Edit, value: Any) -> str:
    document = _document(text)
    table: Any = document
    for name in edit.path[:-1]:
        table = table.setdefault(name, {})
    table[edit.path[-1]] = value
    return document.as_string()


def _del_by_key(text: str, edit: Edit, wanted: dict[str, Any]) -> str:
    document = _document(text)
    table: Any = document
    for name in edit.path[:-1]:
        table = table[name]
    del table[edit.path[-1]]
    if not _parses_to(document.as_string(), wanted):
        raise Malformed(f"{edit.place} cannot be taken out without touching other entries; do it by hand")
    return document.as_string()


def _show(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)
