"""Proves the wiring by running it: every harness's own entries as they stand in its files, then the memory itself."""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from shilu_setup import probes
from shilu_setup.codexhooks import Server
from shilu_setup.detecting import detect
from shilu_setup.errors import SetupError
from shilu_setup.formats import jsonspans
from shilu_setup.harnesses import Harness, parts
from shilu_setup.programs import which
from shilu_setup.targets import read
from shilu_setup.wiring import Setting

TOOLS = ("memory_preview", "memory_search", "memory_setup", "memory_show", "memory_status", "memory_submit")
INBOXES = {"zh": "50-Agent-Context/Agent提交区", "en": "memory/inbox"}
"""The inbox by layout, as `shilu_core.layout` has it (a test holds both equal): this package imports nobody."""


@dataclass(frozen=True)
class Check:
    """One thing that was tried, and how it went."""

    harness: str
    name: str
    ok: bool
    words: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def selfcheck(setting: Setting, names: Sequence[str]) -> list[Check]:
    """Checks the named harnesses, or all that are wired, then index and inbox."""
    wired = [row.harness for row in detect(setting, names) if names or _touched(row.files)]
    checks = [check for harness in wired for check in _of_harness(setting, harness)]
    return [*checks, *_of_memory(setting)]


def _touched(files: Sequence[Any]) -> bool:
    return any(file.state in ("wired", "outdated") and file.by for file in files)


def _of_harness(setting: Setting, harness: Harness) -> list[Check]:
    steps: list[tuple[str, Callable[[], str]]] = []
    if harness.hook(setting.home) is not None:
        steps += [("hook answers", lambda: _hook_answers(setting, harness))]
        steps += [("limit cuts a sleeper", lambda: _limit_cuts(setting, harness))]
    if harness.name == "codex":
        steps.append(("hook is trusted", lambda: _codex_trusts(setting)))
    if harness.name == "dsh":
        steps.append(("bundle is loaded", lambda: _dsh_loads(setting)))
    else:
        steps.append(("tools are listed", lambda: _tools_listed(setting, harness)))
    return [_tried(harness.name, name, step) for name, step in steps]


def _of_memory(setting: Setting) -> list[Check]:
    status: dict[str, Any] = {}

    def index() -> str:
        status.update(probes.status(setting))
        return f"{status.get('facts', '?')} facts; a search answered in {probes.search(setting) * 1000:.0f} ms"

    return [
        _tried("memory", "index is healthy", index),
        _tried("memory", "inbox is writable", lambda: _inbox_writable(status)),
    ]


def _tried(harness: str, name: str, step: Callable[[], str]) -> Check:
    try:
        return Check(harness, name, True, step())
    except SetupError as error:
        return Check(harness, name, False, str(error))


def hook_entry(setting: Setting, harness: Harness) -> dict[str, Any]:
    """Our hook of a turn as it stands in the harness's file. Raises `SetupError` where there is none."""
    place = harness.hook(setting.home)
    assert place is not None
    text = read(place.path).text
    value = jsonspans.read(text).value if text.strip() else {}
    groups = (value.get("hooks") or {}).get(place.event) or []
    client = str(parts.hook_file(setting.home))
    for group in groups if isinstance(groups, list) else []:
        for hook in group.get("hooks", []) if isinstance(group, dict) else []:
            if client in _argv(hook):
                return dict(hook)
    raise SetupError(
        f"{place.path} has no hook of ours for {place.event}; run: shilu deploy apply --target {harness.name}"
    )


def _argv(hook: dict[str, Any]) -> list[str]:
    """The command as the harness runs it."""
    command = str(hook.get("command", ""))
    return [command, *map(str, hook["args"])] if "args" in hook else shlex.split(command)


def _hook_answers(setting: Setting, harness: Harness) -> str:
    entry = hook_entry(setting, harness)
    place = harness.hook(setting.home)
    assert place is not None
    probes.start_daemon(setting)
    seconds = probes.hook(setting.home, _argv(entry), place.event)
    limit = _limit_seconds(setting, harness, entry)
    if seconds >= limit:
        raise SetupError(f"the hook took {seconds:.1f} s, longer than its limit of {limit:g} s")
    return f"in {seconds * 1000:.0f} ms"


def _limit_seconds(setting: Setting, harness: Harness, entry: dict[str, Any]) -> float:
    place = harness.hook(setting.home)
    assert place is not None
    limit = entry.get("timeout")
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        raise SetupError(f"{place.path}: our hook has no limit; run: shilu deploy apply --target {harness.name}")
    return float(limit) * place.unit


def _limit_cuts(setting: Setting, harness: Harness) -> str:
    entry = hook_entry(setting, harness)
    limit = _limit_seconds(setting, harness, entry)
    seconds = probes.sleeping_daemon(setting.home, _argv(entry), limit)
    return f"after {seconds:.1f} s, the harness would wait {limit:g} s"


def _codex_trusts(setting: Setting) -> str:
    program = which(setting.home, "codex")
    if program is None:
        raise SetupError("codex is not on the search path; its trust cannot be asked for")
    client = str(parts.hook_file(setting.home))
    with Server(program, probes.environment(setting.home)) as server:
        ours = [hook for hook in server.hooks(setting.home.path) if client in json.dumps(hook, ensure_ascii=False)]
    doubtful = [hook for hook in ours if hook.get("trustStatus") not in ("trusted", "managed")]
    if not ours or doubtful:
        raise SetupError("not trusted yet: start codex, type /hooks, and trust the two Shilu hooks")
    return f"{len(ours)} hooks"


def _dsh_loads(setting: Setting) -> str:
    program = which(setting.home, "dsh")
    if program is None:
        raise SetupError("dsh is not on the search path; its configuration cannot be asked for")
    shown = probes.output(setting.home, [str(program), "--profile", "headless", "--dump-config"])
    if "shilu" not in shown:
        raise SetupError("`dsh --profile headless --dump-config` does not show our row")
    return "its row is in the composed configuration"


def _tools_listed(setting: Setting, harness: Harness) -> str:
    argv = server_argv(setting, harness)
    names = probes.tools(setting.home, argv)
    missing = [name for name in TOOLS if name not in names]
    if missing:
        raise SetupError(f"the server does not list {', '.join(missing)}")
    return f"{len(names)} tools"


def server_argv(setting: Setting, harness: Harness) -> list[str]:
    """Our server's command as it stands in the harness's files. Raises `SetupError` where there is none."""
    wiring = harness.wiring(setting)
    for file in wiring.files:
        for edit in file.edits:
            if file.format in ("json", "toml") and edit.path[-1:] == (parts.SERVER,):
                return _command(_value(file.path, edit.path), file.path)
            if file.format == "whole" and file.path.name == "mcp.json":
                return _command(_value(file.path, ("mcpServers", parts.SERVER)), file.path)
    for command in wiring.commands:
        return _command(_value(command.path, command.edit.path), command.path)
    raise SetupError(f"{harness.title} has no server of ours")


def _value(path: Path, keys: tuple[str, ...]) -> Any:
    text = read(path).text
    value: Any = tomllib.loads(text) if path.suffix == ".toml" else jsonspans.read(text).value if text.strip() else {}
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _command(entry: Any, path: Path) -> list[str]:
    if not isinstance(entry, dict) or not entry.get("command"):
        raise SetupError(f"{path} has no server of ours; run: shilu deploy apply")
    command = entry["command"]
    return [*map(str, command if isinstance(command, list) else [command]), *map(str, entry.get("args", []))]


def _inbox_writable(status: dict[str, Any]) -> str:
    if "vault" not in status:
        raise SetupError("the vault could not be asked for; see the line above")
    inbox = Path(str(status["vault"])) / INBOXES.get(str(status.get("layout", "")), "")
    probes.writable(inbox)
    return str(inbox)
