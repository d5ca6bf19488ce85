"""The agent programs that can be wired: one module each, one literal table.

Each module has `find(home) -> Presence`, `wiring(setting) -> Wiring`, `findings(setting) -> tuple[Finding,
...]` and `hook(home) -> HookPlace | None`. The conformance test runs over this table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shilu_setup.folders import Home
from shilu_setup.harnesses import claude, codex, cursor, dsh, gemini, generic, opencode, qwen
from shilu_setup.programs import Presence
from shilu_setup.wiring import Finding, HookPlace, Setting, Wiring


@dataclass(frozen=True)
class Harness:
    """One agent program."""

    name: str
    title: str
    find: Callable[[Home], Presence]
    wiring: Callable[[Setting], Wiring]
    findings: Callable[[Setting], tuple[Finding, ...]]
    hook: Callable[[Home], HookPlace | None]


def _row(name: str, title: str, module: object) -> Harness:
    """The row of a module, or of an object that has the functions of one."""
    functions = {part: getattr(module, part) for part in ("find", "wiring", "findings", "hook")}
    return Harness(name, title, **functions)


HARNESSES: dict[str, Harness] = {
    "dsh": _row("dsh", "DSH", dsh),
    "claude": _row("claude", "Claude Code", claude),
    "codex": _row("codex", "Codex", codex),
    "gemini": _row("gemini", gemini.GEMINI.title, gemini.GEMINI),
    "qwen": _row("qwen", qwen.QWEN.title, qwen.QWEN),
    "opencode": _row("opencode", "OpenCode", opencode),
    "cursor": _row("cursor", "Cursor", cursor),
    "mcp": _row("mcp", "any MCP client", generic),
}
