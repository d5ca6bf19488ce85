"""Claude Code: hooks in `settings.json`, server through `claude mcp`, section in `CLAUDE.md`.

`~/.claude.json` is the program's own state and rewritten by every run, so only the program itself changes it.
Limits are in seconds. `alwaysLoad` keeps the tools from being hidden behind the tool search.
"""

from __future__ import annotations

from pathlib import Path

from shilu_setup.folders import Home
from shilu_setup.formats import Edit, jsonspans
from shilu_setup.harnesses import parts
from shilu_setup.programs import Presence, look
from shilu_setup.targets import read
from shilu_setup.wiring import (
    HOOK_LIMIT_SECONDS,
    CommandWiring,
    FileWiring,
    Finding,
    HookPlace,
    Setting,
    Wiring,
)

EVENTS = ("UserPromptSubmit", "SessionStart")


def find(home: Home) -> Presence:
    return look(home, "claude", _folder(home))


def wiring(setting: Setting) -> Wiring:
    folder = _folder(setting.home)
    hooks = FileWiring(folder / "settings.json", "json", tuple(_hook(setting, event) for event in EVENTS))
    return Wiring(
        files=(parts.hook_copy(setting), hooks, parts.section(setting, folder / "CLAUDE.md")),
        commands=(_server(setting),),
    )


def findings(setting: Setting) -> tuple[Finding, ...]:
    strayed = parts.strayed(setting.home, "CLAUDE_CONFIG_DIR")
    snapshot = read(_folder(setting.home) / "settings.json")
    if b'"disableAllHooks"' in (snapshot.data or b"") and _disabled(snapshot.text):
        word = "settings.json has disableAllHooks: true; no hook runs until it is taken out"
        return (*strayed, Finding(word, stops=True))
    return strayed


def hook(home: Home) -> HookPlace | None:
    return HookPlace(_folder(home) / "settings.json", "UserPromptSubmit", 1.0)


def _folder(home: Home) -> Path:
    return home.folder("CLAUDE_CONFIG_DIR", ".claude")


def _state(home: Home) -> Path:
    """The program's own file: beside its folder, or inside one that the environment names."""
    folder = _folder(home)
    return folder / ".claude.json" if folder != home.path / ".claude" else home.path / ".claude.json"


def _hook(setting: Setting, event: str) -> Edit:
    """The exec form: no shell, so that blanks and any script in paths need no quoting."""
    command, *arguments = parts.hook_argv(setting, "claude")
    entry = {"type": "command", "command": command, "args": arguments, "timeout": HOOK_LIMIT_SECONDS}
    return parts.hook_edit(setting, event, {"hooks": [entry]})


def _server(setting: Setting) -> CommandWiring:
    entry = {"type": "stdio", **parts.mcp_entry(setting.parts), "env": {}, "alwaysLoad": True}
    return CommandWiring(
        program="claude",
        add=("mcp", "add-json", "-s", "user", parts.SERVER),
        back=("mcp", "remove", "-s", "user", parts.SERVER),
        path=_state(setting.home),
        edit=Edit(("mcpServers", parts.SERVER), entry),
    )


def _disabled(text: str) -> bool:
    value = jsonspans.read(text).value
    return isinstance(value, dict) and value.get("disableAllHooks") is True
