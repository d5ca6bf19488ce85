"""Which agent programs are here, what of ours is wired in them, by whom, and what stands in the way."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shilu_setup.errors import SetupError
from shilu_setup.folders import Home, Parts
from shilu_setup.formats import FORMATS
from shilu_setup.harnesses import HARNESSES, Harness
from shilu_setup.journal import Journal, Run
from shilu_setup.programs import Presence
from shilu_setup.targets import read
from shilu_setup.wiring import FileWiring, Setting


@dataclass(frozen=True)
class FileState:
    """One file of the allow list: `missing`, `not wired`, `wired`, `outdated`, or why it cannot be read."""

    path: Path
    state: str
    by: str = ""  # the run that wrote our entries; "somebody else" where the journal knows of none


@dataclass(frozen=True)
class Detected:
    """One harness as it is in this home."""

    harness: Harness
    presence: Presence
    files: tuple[FileState, ...]
    findings: tuple[str, ...]
    stopped: bool

    @property
    def wired(self) -> bool:
        """Whether every file that is ours to write holds our entries."""
        return bool(self.files) and all(file.state == "wired" for file in self.files)

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.harness.name,
            "title": self.harness.title,
            "here": self.presence.here,
            "version": self.presence.version or None,
            "program": str(self.presence.program) if self.presence.program else None,
            "wired": self.wired,
            "files": [{"path": str(file.path), "state": file.state, "by": file.by or None} for file in self.files],
            "findings": list(self.findings),
            "stopped": self.stopped,
        }


def detect(setting: Setting, names: Sequence[str] = ()) -> list[Detected]:
    """All harnesses of the table (or the named ones), in its order."""
    runs = [run for run in Journal(setting.home).runs() if run.standing]
    return [_detected(setting, row, runs) for name, row in HARNESSES.items() if not names or name in names]


def _detected(setting: Setting, harness: Harness, runs: list[Run]) -> Detected:
    presence = harness.find(setting.home)
    if not presence.here:
        return Detected(harness, presence, (), (), False)
    try:
        wiring = harness.wiring(setting)
        found = harness.findings(setting)
    except SetupError as error:
        return Detected(harness, presence, (), (str(error),), True)
    files = [_state(wired, runs) for wired in wiring.files]
    files += [_command_state(command.path, command.edit) for command in wiring.commands]
    broken = any(finding.stops for finding in found)
    return Detected(harness, presence, tuple(files), tuple(finding.text for finding in found), broken)


def _command_state(path: Path, edit: Any) -> FileState:
    return _state(FileWiring(path, "json", (edit,)), [])


def _state(wired: FileWiring, runs: list[Run]) -> FileState:
    try:
        snapshot = read(wired.path)
        if snapshot.data is None:
            return FileState(wired.path, "missing")
        states = {FORMATS[wired.format].find(snapshot.text, edit) for edit in wired.edits}
    except SetupError as error:
        return FileState(wired.path, f"unreadable: {error}")
    if states == {"absent"}:
        return FileState(wired.path, "not wired")
    writers = [run.id for run in runs if any(Path(file.path) == wired.path for file in run.files)]
    return FileState(
        wired.path, "wired" if states == {"ours"} else "outdated", writers[-1] if writers else "somebody else"
    )


def present(environment: Mapping[str, str]) -> list[str]:
    """The titles of the agent programs in the user's own home; nothing is started or read."""
    home = Home.of(None, environment)
    return [row.title for row in HARNESSES.values() if row.name != "mcp" and row.find(home).here]


def lines(home: Home | None = None) -> list[str]:
    """One line a harness that is here, for a report; nothing is written."""
    setting = Setting(home or Home.of(None, os.environ), Parts.find())
    return [_line(row) for row in detect(setting) if row.presence.here]


def _line(row: Detected) -> str:
    version = f" {row.presence.version}" if row.presence.version else ""
    notes = "".join(f"; {finding}" for finding in row.findings)
    return f"{row.harness.title}{version}: {'wired' if row.wired else 'not wired'}{notes}"
