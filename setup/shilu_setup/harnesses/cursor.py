"""Cursor: our server in `mcp.json`. Its hooks cannot add to a turn, and its user rules are no file: tools
only."""

from __future__ import annotations

from pathlib import Path

from shilu_setup.folders import Home
from shilu_setup.formats import Edit
from shilu_setup.harnesses import parts
from shilu_setup.programs import Presence, look
from shilu_setup.wiring import FileWiring, Finding, HookPlace, Setting, Wiring

RULES = "Cursor keeps user rules inside the program: paste the section that `shilu deploy instructions` prints there"


def find(home: Home) -> Presence:
    return look(home, "cursor", _folder(home))


def wiring(setting: Setting) -> Wiring:
    server = Edit(("mcpServers", parts.SERVER), parts.mcp_entry(setting.parts))
    return Wiring((FileWiring(_folder(setting.home) / "mcp.json", "json", (server,)),), after=(RULES,))


def findings(setting: Setting) -> tuple[Finding, ...]:
    return (Finding("no automatic recall: Cursor's hooks cannot add to a turn; the tools work"),)


def hook(home: Home) -> HookPlace | None:
    return None


def _folder(home: Home) -> Path:
    return home.path / ".cursor"
