"""Any other MCP client: a file of our own with the entry in the usual shape, to be named or copied there."""

from __future__ import annotations

import json
from pathlib import Path

from shilu_setup.folders import Home
from shilu_setup.formats import Edit
from shilu_setup.harnesses import parts
from shilu_setup.programs import Presence
from shilu_setup.wiring import FileWiring, Finding, HookPlace, Setting, Wiring


def find(home: Home) -> Presence:
    """Always possible; here once the file is written."""
    return Presence(home.data if _file(home).exists() else None, None)


def wiring(setting: Setting) -> Wiring:
    entry = {"mcpServers": {parts.SERVER: parts.mcp_entry(setting.parts)}}
    text = json.dumps(entry, ensure_ascii=False, indent=2) + "\n"
    path = _file(setting.home)
    note = (
        f"name {path} to your MCP client, or copy its entry; "
        "`shilu deploy instructions` prints the section for the agent"
    )
    return Wiring((FileWiring(path, "whole", (Edit((), text),), ours=True),), after=(note,))


def findings(setting: Setting) -> tuple[Finding, ...]:
    return ()


def hook(home: Home) -> HookPlace | None:
    return None


def _file(home: Home) -> Path:
    return home.data / "mcp.json"
