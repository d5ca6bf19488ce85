"""Gemini CLI: hooks and server in `settings.json`, section in `GEMINI.md`. Limits are in milliseconds."""

from __future__ import annotations

from pathlib import Path

from shilu_setup.folders import Home
from shilu_setup.formats import Edit
from shilu_setup.harnesses import parts
from shilu_setup.programs import Presence, look
from shilu_setup.wiring import HOOK_LIMIT_SECONDS, FileWiring, Finding, HookPlace, Setting, Wiring

EVENTS = ("BeforeAgent", "SessionStart")
MILLISECONDS = 1000


def find(home: Home) -> Presence:
    return look(home, "gemini", _folder(home))


def wiring(setting: Setting) -> Wiring:
    folder = _folder(setting.home)
    server = Edit(("mcpServers", parts.SERVER), parts.mcp_entry(setting.parts, timeout=30 * MILLISECONDS, trust=True))
    edits = (*(_hook(setting, event) for event in EVENTS), server)
    settings = FileWiring(folder / "settings.json", "json", edits)
    return Wiring((parts.hook_copy(setting), settings, parts.section(setting, folder / "GEMINI.md")))


def findings(setting: Setting) -> tuple[Finding, ...]:
    return parts.old_node(setting.home, "Gemini CLI", 20)


def hook(home: Home) -> HookPlace | None:
    return HookPlace(_folder(home) / "settings.json", "BeforeAgent", 0.001)


def _folder(home: Home) -> Path:
    return home.path / ".gemini"


def _hook(setting: Setting, event: str) -> Edit:
    line = parts.shell_line(parts.hook_argv(setting, "gemini"), setting.home.platform)
    entry = {
        "name": "shilu",
        "type": "command",
        "command": line,
        "timeout": HOOK_LIMIT_SECONDS * MILLISECONDS,
    }
    return parts.hook_edit(setting, event, {"matcher": "*", "hooks": [entry]})
