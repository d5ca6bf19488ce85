"""Gemini CLI, and the shape of programs made from it: hooks and server in `settings.json`, a section in one
Markdown file. Limits are in milliseconds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from shilu_setup.folders import Home
from shilu_setup.harnesses import parts
from shilu_setup.programs import Presence, look
from shilu_setup.wiring import Finding, HookPlace, Setting, Wiring

MILLISECOND = 0.001  # seconds


@dataclass(frozen=True)
class GeminiKind:
    """One program of this shape, with what a harness module has; `events` are its own names, the prompt's first."""

    name: str
    title: str
    section: str  # the Markdown file that it reads at the start
    events: tuple[str, str]
    least_node: int

    def find(self, home: Home) -> Presence:
        return look(home, self.name, self._folder(home))

    def wiring(self, setting: Setting) -> Wiring:
        folder = self._folder(setting.home)
        settings = parts.millisecond_settings(setting, self.name, folder / "settings.json", self.events)
        return Wiring((parts.hook_copy(setting), settings, parts.section(setting, folder / self.section)))

    def findings(self, setting: Setting) -> tuple[Finding, ...]:
        return parts.old_node(setting.home, self.title, self.least_node)

    def hook(self, home: Home) -> HookPlace | None:
        return HookPlace(self._folder(home) / "settings.json", self.events[0], MILLISECOND)

    def _folder(self, home: Home) -> Path:
        return home.path / f".{self.name}"


GEMINI = GeminiKind("gemini", "Gemini CLI", "GEMINI.md", ("BeforeAgent", "SessionStart"), least_node=20)
