"""The JSON forms of mm values: camelCase, tuples as lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from shilu_host.mm.errors import invalid
from shilu_host.mm.values import IndexEntry


def to_wire(value: Any) -> Any:
    """`value` as JSON has it; fields marked `ABSENT` are left out where they are None."""
    if is_dataclass(value) and not isinstance(value, type):
        given = [(field, getattr(value, field.name)) for field in fields(value)]
        return {_camel(field.name): to_wire(part) for field, part in given if part is not None or not field.metadata}
    if isinstance(value, tuple | list):
        return [to_wire(item) for item in value]
    return value


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def index_entry(given: object) -> IndexEntry:
    """An entry as `serializeIndex` is given it; raises E_INVALID for a field of another type."""
    if not isinstance(given, dict):
        raise invalid("each entry must be an object")
    tags = given.get("tags") or []
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise invalid("tags must be a list of strings")
    return IndexEntry(
        topic=text(given, "topic"),
        memory_id=text(given, "memoryId"),
        summary=text(given, "summary"),
        tags=tuple(tags),
        file=text(given, "file"),
        updated=text(given, "updated"),
        body_chars=number(given, "bodyChars"),
        write_budget=number(given, "writeBudget"),
        entry_body=text(given, "entryBody"),
    )


def text(given: Mapping[str, Any], name: str, default: str = "") -> str:
    value = given.get(name)
    if value is None:
        return default
    if not isinstance(value, str):
        raise invalid(f"{name} must be a string")
    return value


def optional_text(given: Mapping[str, Any], name: str) -> str | None:
    return None if given.get(name) is None else text(given, name)


def number(given: Mapping[str, Any], name: str) -> int:
    value = given.get(name) or 0
    if not isinstance(value, int | float) or isinstance(value, bool) or value != int(value):
        raise invalid(f"{name} must be an integer")
    return int(value)
