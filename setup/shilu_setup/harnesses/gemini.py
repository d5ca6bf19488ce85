"""Gemini CLI: hooks and server in `settings.json`, section in `GEMINI.md`. Limits are in milliseconds."""

from __future__ import annotations

from pathlib import Path

from shilu_setup.folders import Home
from shilu_setup.harnesses import parts
from shilu_setup.programs import Presence, look
from shilu_setup.wiring import Finding, HookPlace, Setting, Wiring

EVENTS = ("BeforeAgent", "SessionStart")
LEAST_NODE = 20


def find(home: Home) -> Presence:
    return look(home, "gemini", _folder(home))


def wiring(setting: Setting) -> Wiring:
    folder = _folder(setting.home)
    settings = parts.millisecond_settings(setting, "gemini", folder / "settings.json", EVENTS)
    return Wiring((parts.hook_copy(setting), settings, parts.section(setting, folder / "GEMINI.md")))


def findings(setting: Setting) -> tuple[Finding, ...]:
    return parts.old_node(setting.home, "Gemini CLI", LEAST_NODE)


def hook(home: Home) -> HookPlace | None:
    return HookPlace(_folder(home) / "settings.json", EVENTS[0], 0.001)


def _folder(home: Home) -> Path:
    return home.path / ".gemini"
