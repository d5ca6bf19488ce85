"""The pieces that several harnesses share: our hook client, the command lines, the instruction section."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shilu_setup.errors import SetupError
from shilu_setup.folders import Home, Parts
from shilu_setup.formats import Edit
from shilu_setup.instructions import TEXTS
from shilu_setup.programs import node_major
from shilu_setup.wiring import HOOK_LIMIT_SECONDS, FileWiring, Finding, Setting

SERVER = "shilu"
"""The name of our MCP server in every harness; an entry of that name is ours to bring up to date."""


SERVER_SECONDS = 30
"""What a harness waits for one of our tools, above the 25 s that the server itself gives a call."""


def hook_file(home: Home) -> Path:
    """Our copy of the hook client: its path and content stay, since Codex trusts a hook by them."""
    return home.data / "hook.py"


def copied(source: Path, target: Path) -> FileWiring:
    """A file of ours, copied whole."""
    try:
        text = source.read_bytes().decode("utf-8")
    except OSError as error:
        raise SetupError(f"{source}: cannot be read ({error.strerror}); install the program again") from None
    return FileWiring(target, "whole", (Edit((), text),), ours=True)


def hook_copy(setting: Setting) -> FileWiring:
    return copied(setting.parts.hook, hook_file(setting.home))


def hook_argv(setting: Setting, harness: str) -> list[str]:
    """The command of one turn. `-S -E`: no site packages, no Python variables of the environment."""
    vault = ["--vault", setting.parts.vault] if setting.parts.vault else []
    client = str(hook_file(setting.home))
    return [str(setting.parts.python), "-S", "-E", client, "pre-step", "--harness", harness, *vault]


def shell_line(argv: list[str], platform: str) -> str:
    """The command as one line for the shell that the harness starts; blanks and any script survive."""
    return subprocess.list2cmdline(argv) if platform == "win32" else shlex.join(argv)


def mcp_argv(parts: Parts) -> list[str]:
    """The stdio server's command."""
    return [str(parts.python), "-S", "-E", str(parts.mcp), *(["--vault", parts.vault] if parts.vault else [])]


def mcp_entry(parts: Parts, **more: Any) -> dict[str, Any]:
    """The usual shape of a stdio server in a settings file."""
    command, *arguments = mcp_argv(parts)
    return {"command": command, "args": arguments, **more}


def hook_edit(setting: Setting, event: str, entry: dict[str, Any]) -> Edit:
    """One more hook for an event; ours is known by the path of our client in it."""
    return Edit(("hooks", event), entry, element=True, mark=_mark(setting.home))


def millisecond_settings(setting: Setting, name: str, path: Path, events: Sequence[str]) -> FileWiring:
    """Hooks and server in one settings file, limits in milliseconds: the shape of Gemini CLI and its descendant."""
    line = shell_line(hook_argv(setting, name), setting.home.platform)
    entry = {"name": SERVER, "type": "command", "command": line, "timeout": HOOK_LIMIT_SECONDS * 1000}
    hooks = (hook_edit(setting, event, {"matcher": "*", "hooks": [entry]}) for event in events)
    server = mcp_entry(setting.parts, timeout=SERVER_SECONDS * 1000, trust=True)
    return FileWiring(path, "json", (*hooks, Edit(("mcpServers", SERVER), server)))


def section(setting: Setting, path: Path) -> FileWiring:
    """The instruction section of one Markdown file."""
    return FileWiring(path, "markdown", (Edit((), TEXTS[setting.language]),))


def old_node(home: Home, title: str, least: int) -> tuple[Finding, ...]:
    """A word where the node on the search path cannot run the program."""
    major = node_major(home)
    if major is None or major >= least:
        return ()
    return (Finding(f"{title} needs Node {least} or newer; the one on the search path is Node {major}", stops=True),)


def strayed(home: Home, variable: str) -> tuple[Finding, ...]:
    """A word where the environment names a folder outside the home, which is not followed."""
    named = home.environment.get(variable, "")
    if not named or home.holds(Path(named)):
        return ()
    return (Finding(f"{variable}={named} lies outside the home {home.path}; its files are left alone", stops=True),)


def _mark(home: Home) -> str:
    """The client's path as it reads inside JSON."""
    return json.dumps(str(hook_file(home)), ensure_ascii=False)[1:-1]
