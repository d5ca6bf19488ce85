"""The pure functions that `mm/fn` serves, by the names of the reference library."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from shilu_host.mm import text as texts
from shilu_host.mm import wire
from shilu_host.mm.errors import invalid
from shilu_host.mm.fts import fts5_available
from shilu_host.mm.index_text import parse_index, serialize_index
from shilu_host.mm.note_text import parse_note_text, serialize_note_text
from shilu_host.mm.paths import assert_safe_rel_path
from shilu_host.mm.search import choose_search_engine, tokenize
from shilu_host.mm.uris import parse_memory_uri, uri_for

Arguments = Sequence[Any]


def call(name: object, arguments: Arguments) -> Any:
    """The value of the named function; raises E_INVALID for a name or an argument that it can't take."""
    function = FUNCTIONS.get(name) if isinstance(name, str) else None
    if function is None:
        raise invalid(f"no function {name!r}; there are: {', '.join(FUNCTIONS)}")
    return wire.to_wire(function(arguments))


def _argument(arguments: Arguments, place: int) -> Any:
    return arguments[place] if place < len(arguments) else None


def _text(arguments: Arguments, place: int = 0) -> str:
    value = _argument(arguments, place)
    if not isinstance(value, str):
        raise invalid(f"argument {place + 1} must be a string")
    return value


def _record(arguments: Arguments, place: int = 0) -> Mapping[str, Any]:
    value = _argument(arguments, place)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise invalid(f"argument {place + 1} must be an object")
    return value


def _parse_index(arguments: Arguments) -> Any:
    return parse_index(_text(arguments), wire.text(_record(arguments, 1), "memoryId", "local"))


def _serialize_index(arguments: Arguments) -> str:
    given = _record(arguments)
    entries = given.get("entries") or []
    if not isinstance(entries, list):
        raise invalid("entries must be a list")
    return serialize_index(
        wire.text(given, "memoryId", "local"),
        wire.number(given, "indexLines"),
        wire.number(given, "indexBytes"),
        [wire.index_entry(entry) for entry in entries],
    )


def _serialize_note_text(arguments: Arguments) -> str:
    given = _record(arguments)
    return serialize_note_text(*(wire.text(given, name) for name in ("topic", "memoryId", "file", "body")))


def _first_line(arguments: Arguments) -> str:
    limit = _argument(arguments, 1)
    return texts.first_line(_text(arguments), limit if isinstance(limit, int) else texts.SUMMARY_LIMIT)


FUNCTIONS: Mapping[str, Callable[[Arguments], Any]] = MappingProxyType(
    {
        "parseIndex": _parse_index,
        "serializeIndex": _serialize_index,
        "parseNoteText": lambda arguments: parse_note_text(_text(arguments)),
        "serializeNoteText": _serialize_note_text,
        "parseMemoryUri": lambda arguments: parse_memory_uri(_argument(arguments, 0)),
        "uriFor": lambda arguments: uri_for(_text(arguments), _argument(arguments, 1)),
        "assertSafeRelPath": lambda arguments: assert_safe_rel_path(_argument(arguments, 0)),
        "validateTopic": lambda arguments: texts.validate_topic(_argument(arguments, 0)),
        "slugForTopic": lambda arguments: texts.slug_for_topic(_text(arguments)),
        "parseTags": lambda arguments: texts.parse_tags(_text(arguments)),
        "normalizeLine": lambda arguments: texts.normalize_line(_text(arguments)),
        "firstLine": _first_line,
        "tokenize": lambda arguments: tokenize(_text(arguments)),
        "countLines": lambda arguments: texts.count_lines(_text(arguments)),
        "countChars": lambda arguments: texts.count_chars(_text(arguments)),
        "byteLength": lambda arguments: texts.byte_length(_text(arguments)),
        "chooseSearchEngine": lambda arguments: choose_search_engine(_text(arguments), _argument(arguments, 1) is True),
        "requiresSqlite": lambda arguments: fts5_available(),
    }
)
