"""The fields of write inputs, checked in the order that the protocol lays down (5.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shilu_core import utf16
from shilu_core.entries import Viewpoint
from shilu_core.entries.entry import USER_GLOBAL, WORKSPACE
from shilu_host.protocol.errors import invalid
from shilu_host.protocol.sessions import Session

TRACKS = ("user", "agent")
SCOPES = (USER_GLOBAL, WORKSPACE)
POTS = tuple((track, scope) for track in TRACKS for scope in SCOPES)
DEFAULT_SOURCE = "shilu"
TAG_LIMIT = 16  # tags of one entry
TAG_UNITS = 32  # units of one tag
LARGEST = 2**31  # of any count: SQLite takes no unbounded integer, and nobody has so many rows
MATCH_LIMIT = 20  # matches of one consolidation
_CONTROL = re.compile("[\x00-\x1f\x7f]")

Json = Mapping[str, Any]


@dataclass(frozen=True)
class NewEntry:
    """What an add, a seed item, a consolidation or an import wants stored."""

    track: str
    scope: str
    text: str
    tags: tuple[str, ...]
    source: str
    workspace_key: str
    agent_key: str


@dataclass(frozen=True)
class Target:
    """Which pot to search, through whose eyes."""

    track: str
    scope: str
    viewpoint: Viewpoint


def record(value: object) -> Json:
    """The JSON object, or an empty one: its missing fields are then named by their own checks."""
    return value if isinstance(value, dict) else {}


def pot(given: Json) -> tuple[str, str]:
    track, scope = given.get("track"), given.get("scope")
    if track not in TRACKS:
        raise invalid("track must be user or agent")
    if scope not in SCOPES:
        raise invalid("scope must be user-global or workspace")
    return str(track), str(scope)


def text(given: Json) -> str:
    value = given.get("text")
    if not isinstance(value, str) or not value:
        raise invalid("text must be a non-empty string")
    return _storable("text", value)


def tags(given: Json) -> tuple[str, ...]:
    """Trimmed and without repetitions; absent or null means none (2.7-2.9)."""
    value = given.get("tags")
    if value is None:
        return ()
    if not isinstance(value, list):
        raise invalid("tags must be a list of strings")
    unique = tuple(dict.fromkeys(_tag(item) for item in value))
    if len(unique) > TAG_LIMIT:
        raise invalid(f"an entry has at most {TAG_LIMIT} tags")
    return unique


def kept_tags(given: Json) -> tuple[str, ...] | None:
    """The tags for a replace; None where the old ones stay (5.13)."""
    return None if given.get("tags") is None else tags(given)


def match(given: Json) -> str:
    return _match(given.get("match"))


def matches(given: Json) -> tuple[str, ...]:
    value = given.get("matches")
    if not isinstance(value, list) or not 1 <= len(value) <= MATCH_LIMIT:
        raise invalid(f"matches must be a list of 1 to {MATCH_LIMIT} strings")
    return tuple(_match(item) for item in value)


def source(given: Json) -> str:
    """The given provenance label, or the provider's own where there is none (2.6)."""
    return _optional(given, "source") or DEFAULT_SOURCE


def new_entry(given: Json, session: Session) -> NewEntry:
    """An add input; explicit keys win over the session's, '' included (3.4)."""
    track, scope = pot(given)
    body, labels = text(given), tags(given)
    return described(given, session, track, scope, body, labels)


def described(given: Json, session: Session, track: str, scope: str, body: str, labels: tuple[str, ...]) -> NewEntry:
    """The new entry of already checked parts; a user-global one has no workspace (D1)."""
    label = source(given)
    workspace, agent = _optional(given, "workspaceKey"), _optional(given, "agentKey")
    workspace = session.workspace_key if workspace is None else workspace
    return NewEntry(
        track,
        scope,
        body,
        labels,
        label,
        workspace if scope == WORKSPACE else "",
        session.agent_key if agent is None else agent,
    )


def target(given: Json, session: Session) -> Target:
    """Where a match is looked for; only non-empty explicit keys win over the session's (3.4)."""
    track, scope = pot(given)
    workspace, agent = _optional(given, "workspaceKey"), _optional(given, "agentKey")
    return Target(track, scope, Viewpoint(workspace or session.workspace_key, agent or session.agent_key))


def positive(value: object) -> int | None:
    """A positive integer as JavaScript sees one (3.0 is, true is not), else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if value < 1 or value != value or value == float("inf") or int(value) != value:
        return None
    return min(int(value), LARGEST)


def _tag(item: object) -> str:
    if not isinstance(item, str):
        raise invalid("each tag must be a string")
    tag = utf16.trim(item)
    if not tag:
        raise invalid("a tag must not be blank")
    if _CONTROL.search(tag):
        raise invalid("a tag must not hold control characters")
    if utf16.units(tag) > TAG_UNITS:
        raise invalid(f"a tag has at most {TAG_UNITS} characters")
    return _storable("a tag", tag)


def _match(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise invalid("a match must be a non-empty string")
    return _storable("a match", value)


def _optional(given: Json, name: str) -> str | None:
    value = given.get(name)
    if value is not None and not isinstance(value, str):
        raise invalid(f"{name} must be a string")
    return None if value is None else _storable(name, value)


def _storable(name: str, value: str) -> str:
    if not utf16.storable(value):
        raise invalid(f"{name} must not hold NUL or lone surrogates")
    return value
