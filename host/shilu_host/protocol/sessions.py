"""Who writes or reads: the session's keys, derived from its header (section 3)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shilu_core import utf16
from shilu_core.entries import Viewpoint
from shilu_core.platforms import WINDOWS
from shilu_host.protocol.errors import invalid, requires_agent


@dataclass(frozen=True)
class Session:
    """A session's id (None where it has none) and keys ('' where its header gives none)."""

    id: str | None
    workspace_key: str
    agent_key: str

    @property
    def viewpoint(self) -> Viewpoint:
        return Viewpoint(self.workspace_key, self.agent_key)


@dataclass(frozen=True)
class Writer:
    """The write context: for whom a write is made and which way it asks."""

    session: Session
    gate: bool = False  # the turn-outside path: same policies, another audit label
    never: bool = False  # the session refuses every write, whatever the policy says


def workspace_key(cwd: object) -> str:
    """The absolute, normalised working folder; '' for anything but a non-empty string (3.1, 3.2)."""
    if not isinstance(cwd, str) or not cwd:
        return ""
    path = os.path.abspath(cwd)
    if WINDOWS:
        return path.lower()
    return "/" + path.lstrip("/")  # POSIX keeps a doubled first slash, the protocol does not


def agent_key(preset: object) -> str:
    """The trimmed agent preset; '' where there is none (3.3)."""
    if not isinstance(preset, str):
        return ""
    key = utf16.trim(preset)
    return key.lower() if WINDOWS else key


def read_session(value: object) -> Session:
    """A session from JSON; anything missing or of a wrong type counts as absent."""
    given: Mapping[str, Any] = value if isinstance(value, dict) else {}
    header = given.get("header")
    header = header if isinstance(header, dict) else {}
    session_id = given.get("id")
    session = Session(
        session_id if isinstance(session_id, str) else None,
        workspace_key(header.get("cwd")),
        agent_key(header.get("agentPreset")),
    )
    if not all(utf16.storable(part) for part in (session.id or "", session.workspace_key, session.agent_key)):
        raise invalid("the session's id, cwd and agentPreset must not hold NUL or lone surrogates")
    return session


def read_writer(write: object) -> Writer:
    """The write context; raises WRITE_REQUIRES_AGENT where no agent stands behind the write (5.3)."""
    if not isinstance(write, dict) or not isinstance(write.get("agent"), dict):
        raise requires_agent()
    return Writer(
        read_session(write["agent"].get("session")),
        gate=write.get("gate") is True,
        never=write.get("sessionPolicy") == "never",
    )
