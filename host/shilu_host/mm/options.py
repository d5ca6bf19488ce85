"""The options of a memory, checked once (1.2, 1.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shilu_host.mm.errors import invalid
from shilu_host.mm.text import is_slug
from shilu_host.mm.values import Mode

MODES: tuple[Mode, ...] = ("auto", "scan", "fts5")


@dataclass(frozen=True, kw_only=True)
class Options:
    """Limits are positive integers; characters are code points, bytes UTF-8; defaults as in 1.2."""

    root: str | None = None
    memory_id: str = "local"
    index_lines: int = 200
    index_bytes: int = 25_600
    detail_max_bytes: int = 65_536
    default_write_budget: int = 4_000
    search_mode: Mode = "auto"
    search_limit: int = 10
    max_snippet_chars: int = 160
    nudge_enabled: bool = False
    nudge_interval_ms: int = 1_800_000

    def __post_init__(self) -> None:
        if not is_slug(self.memory_id):
            raise invalid(f"memoryId {self.memory_id!r} is no slug: letters, digits, '.', '_' and '-'")
        if self.root is not None and not isinstance(self.root, str):
            raise invalid("root must be a string")
        for name in _LIMITS.values():
            if positive_integer(getattr(self, name)) is None:
                raise invalid(f"{name} must be a positive integer, not {getattr(self, name)!r}")


_LIMITS = {  # name in JSON -> field
    "indexLines": "index_lines",
    "indexBytes": "index_bytes",
    "detailMaxBytes": "detail_max_bytes",
    "defaultWriteBudget": "default_write_budget",
    "search.limit": "search_limit",
    "search.maxSnippetChars": "max_snippet_chars",
    "nudge.intervalMs": "nudge_interval_ms",
}


def positive_integer(value: object) -> int | None:
    """`value` where JavaScript calls it an integer above zero (`5.0` is one, `true` is none), else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value == value and abs(value) != float("inf") and value == int(value) >= 1 else None


def from_json(given: Mapping[str, Any]) -> Options:
    """Options as `mm/open` takes them; absent and null mean the default."""
    search, nudge = _part(given, "search"), _part(given, "nudge")
    flat = {**given, **{f"search.{key}": value for key, value in search.items()}}
    flat |= {f"nudge.{key}": value for key, value in nudge.items()}
    fields: dict[str, Any] = {}
    for name, field in _LIMITS.items():
        if flat.get(name) is not None:
            fields[field] = _limit(name, flat[name])
    if flat.get("memoryId") is not None:
        fields["memory_id"] = flat["memoryId"]
    mode = flat.get("search.mode")
    return Options(
        root=flat.get("root"),
        search_mode=mode if mode in MODES else "auto",
        nudge_enabled=flat.get("nudge.enabled") is True,
        **fields,
    )


def _part(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = given.get(name)
    if part is None or isinstance(part, bool):
        return {}
    if not isinstance(part, dict):
        raise invalid(f"{name} must be an object")
    return part


def _limit(name: str, value: object) -> int:
    number = positive_integer(value)
    if number is None:
        raise invalid(f"{name} must be a positive integer, not {value!r}")
    return number
