"""OpenCode: our plug-in as a file of its own in `plugins/`, server in `opencode.json`, section in
`AGENTS.md`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from shilu_setup.folders import Home
from shilu_setup.formats import Edit
from shilu_setup.harnesses import parts
from shilu_setup.programs import Presence, look
from shilu_setup.wiring import FileWiring, Finding, HookPlace, Setting, Wiring

NAMES = ("opencode.json", "opencode.jsonc", "config.json")
"""The names its configuration may have, the usual one first."""


EMPTY = "const SETTINGS = {}"
"""The line of the plug-in file that takes the settings."""


def find(home: Home) -> Presence:
    return look(home, "opencode", _folder(home))


def wiring(setting: Setting) -> Wiring:
    folder = _folder(setting.home)
    existing = [folder / name for name in NAMES if (folder / name).exists()]
    entry = {"type": "local", "command": parts.mcp_argv(setting.parts), "enabled": True}
    server = FileWiring((existing or [folder / NAMES[0]])[0], "json", (Edit(("mcp", parts.SERVER), entry),))
    plugin = _plugin(setting, folder / "plugins" / "shilu.js")
    return Wiring((plugin, server, parts.section(setting, folder / "AGENTS.md")))


def findings(setting: Setting) -> tuple[Finding, ...]:
    return ()


def hook(home: Home) -> HookPlace | None:
    return None


def _plugin(setting: Setting, target: Path) -> FileWiring:
    """Our copy of the plug-in file, with its settings filled in: OpenCode hands a plug-in none."""
    copied = parts.copied(setting.parts.opencode, target)
    settings = {"pythonPath": str(setting.parts.python)}
    if setting.parts.vault:
        settings["vaultPath"] = setting.parts.vault
    text = str(copied.edits[0].value).replace(EMPTY, f"{EMPTY[:-2]}{json.dumps(settings, ensure_ascii=False)}", 1)
    return replace(copied, edits=(Edit((), text),))


def _folder(home: Home) -> Path:
    return home.folder("XDG_CONFIG_HOME", ".config") / "opencode"
