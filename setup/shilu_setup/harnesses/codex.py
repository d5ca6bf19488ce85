"""Codex: hooks in `hooks.json`, server in `config.toml`, section in `AGENTS.md`.

Codex runs a hook only after the person has trusted its content (`/hooks`), which we never do for them.
`config.toml`
is edited by key: the program moves comments in it. Without `required` a server that starts late misses the
first request of `codex exec`; ours is there in milliseconds, and must not keep Codex from starting when it is
broken.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from shilu_setup.folders import Home
from shilu_setup.formats import Edit, jsonspans
from shilu_setup.harnesses import parts
from shilu_setup.programs import Presence, look
from shilu_setup.targets import read
from shilu_setup.wiring import HOOK_LIMIT_SECONDS, FileWiring, Finding, HookPlace, Setting, Wiring

EVENTS = ("UserPromptSubmit", "SessionStart")
TRUST = (
    "Codex runs new hooks only when you trust them: start codex, type /hooks, and trust the two Shilu hooks; "
    "then run: shilu deploy selfcheck --target codex"
)


def find(home: Home) -> Presence:
    return look(home, "codex", _folder(home))


def wiring(setting: Setting) -> Wiring:
    folder = _folder(setting.home)
    hooks = FileWiring(folder / "hooks.json", "json", tuple(_hook(setting, event) for event in EVENTS))
    server = parts.mcp_entry(setting.parts, default_tools_approval_mode="approve")
    table = FileWiring(folder / "config.toml", "toml", (Edit(("mcp_servers", parts.SERVER), server),))
    files = (parts.hook_copy(setting), hooks, table, parts.section(setting, folder / "AGENTS.md"))
    return Wiring(files, after=(TRUST,))


def findings(setting: Setting) -> tuple[Finding, ...]:
    """What stands in the way as far as the files tell; `selfcheck` asks Codex itself."""
    strayed = parts.strayed(setting.home, "CODEX_HOME")
    if not trust_recorded(setting.home):
        return (*strayed, Finding("its hook is not trusted yet: start codex, type /hooks", stops=True))
    return strayed


def hook(home: Home) -> HookPlace | None:
    return HookPlace(_folder(home) / "hooks.json", "UserPromptSubmit", 1.0)


def trust_recorded(home: Home) -> bool:
    """Whether `config.toml` records a trusted hash at the very place of our turn hook; says nothing of the hash."""
    try:
        table = tomllib.loads(read(_folder(home) / "config.toml").text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError:
        return False
    hooks = table.get("hooks")
    state = hooks.get("state") if isinstance(hooks, dict) else None
    if not isinstance(state, dict):
        return False
    found = [state.get(f"{_folder(home) / 'hooks.json'}:user_prompt_submit:{place}") for place in _places(home)]
    return bool(found) and all(isinstance(entry, dict) and entry.get("trusted_hash") for entry in found)


def _places(home: Home) -> list[str]:
    """Where our turn hook stands: the numbers of its group and of itself, as Codex writes them."""
    text = read(_folder(home) / "hooks.json").text
    value = jsonspans.read(text).value if text.strip() else {}
    groups = (value.get("hooks") or {}).get(EVENTS[0]) or [] if isinstance(value, dict) else []
    client = str(parts.hook_file(home))
    return [
        f"{number}:{place}"
        for number, group in enumerate(groups)
        for place, hook in enumerate(group.get("hooks", []) if isinstance(group, dict) else [])
        if client in str(hook.get("command", ""))
    ]


def _folder(home: Home) -> Path:
    return home.folder("CODEX_HOME", ".codex")


def _hook(setting: Setting, event: str) -> Edit:
    line = parts.shell_line(parts.hook_argv(setting, "codex"), setting.home.platform)
    entry = {"type": "command", "command": line, "timeout": HOOK_LIMIT_SECONDS}
    return parts.hook_edit(setting, event, {"hooks": [entry]})
