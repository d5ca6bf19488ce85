"""What a digest reads: a file, a text, or the newest session log; a log's records become lines (9.1-9.3)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from shilu_host.mm.disk import reported
from shilu_host.mm.errors import MmError
from shilu_host.mm.paths import sessions_folder
from shilu_host.mm.text import trim

SIZE_LIMIT = 8 * 1024 * 1024  # bytes of a source that are read (9.1)
DEPTH_LIMIT = 8  # how deep strings are looked for in a record (9.3)
_LOG_NAME = re.compile(r".*\.(?:jsonl|json|md)", re.DOTALL)
_TEXT_KEYS = ("content", "text", "value", "input", "message", "transcript")
_SKIPPED_KEYS = frozenset({"type", "id", "time", "timestamp", "callId", "traceId"})


@dataclass(frozen=True)
class Source:
    label: str
    kind: Literal["session-log", "text", "none"]
    lines: tuple[str, ...]


NONE = Source("<none>", "none", ())


def find_source(file: str | None, text: str | None, environment: Mapping[str, str]) -> Source:
    """The source that is meant; raises E_DIGEST_SOURCE for a file that can't be read."""
    if file:
        return _classify(file, _read(Path(file)))
    if text and trim(text):
        return _classify("<text>", text)
    newest = newest_session_log(environment)
    return _classify(str(newest), _read(newest)) if newest else NONE


def newest_session_log(environment: Mapping[str, str]) -> Path | None:
    """The session log that was changed last; of equally new ones the lexically first."""
    found = []
    folder = sessions_folder(environment)
    try:
        for path in folder.iterdir():
            if _LOG_NAME.fullmatch(path.name) and path.is_file():
                found.append((-path.stat().st_mtime_ns, path.name))
    except OSError:
        pass  # no such folder, or a log that went away meanwhile: those seen so far count
    return folder / min(found)[1] if found else None


def _read(path: Path) -> str:
    if not path.is_file():
        raise MmError("E_DIGEST_SOURCE", f"digest source file not found: {path}; give the path of a log")
    with reported(f"read {path}"), open(path, "rb") as stream:
        return stream.read(SIZE_LIMIT).decode("utf-8", "replace")


def _classify(label: str, content: str) -> Source:
    lines = content.split("\n")
    first = next((line for line in lines if trim(line)), "")
    record = _parse(trim(first))
    if not isinstance(record, dict) or "type" not in record:
        return Source(label, "text", tuple(lines))
    flat = "\n".join(flatten_record(line) for line in lines)
    return Source(label, "session-log", tuple(flat.split("\n")))


def flatten_record(line: str) -> str:
    """A record's type and strings as one text; a line that is no record stays as it is, trimmed."""
    record = _parse(line)
    if not isinstance(record, dict | list):
        return trim(line)
    joined = trim(" | ".join(_strings(record, 0)))
    kind = record.get("type") if isinstance(record, dict) else ""
    return " ".join(part for part in (kind, joined) if isinstance(part, str) and part)


def _strings(node: Any, depth: int) -> Iterator[str]:
    if depth > DEPTH_LIMIT:
        return
    if isinstance(node, str) and trim(node):
        yield trim(node)
    elif isinstance(node, list):
        for item in node:
            yield from _strings(item, depth + 1)
    elif isinstance(node, dict):
        others = (key for key in node if key not in _TEXT_KEYS and key not in _SKIPPED_KEYS)
        for key in (*(key for key in _TEXT_KEYS if key in node), *others):
            yield from _strings(node[key], depth + 1)


def _parse(text: str) -> Any:
    """The JSON value, None for anything that JavaScript's JSON.parse refuses, too."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
