"""What a harness needs: entries in files, files of our own, commands of the program itself, words for the
person."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shilu_setup.folders import Home, Parts
from shilu_setup.formats import Edit

HOOK_LIMIT_SECONDS = 10
"""What a harness waits for our hook. Above the client's own longest limit (8 s), so that the client always
ends first and quietly, and below the 30 s and more that programs wait by default."""


@dataclass(frozen=True)
class FileWiring:
    """Entries for one file of the allow list; `ours` files are made by us and need no `--create`."""

    path: Path
    format: str
    edits: tuple[Edit, ...]
    ours: bool = False


@dataclass(frozen=True)
class CommandWiring:
    """A change that only the program itself may make: `add` takes the entry as JSON behind it, `back` takes it away.

    `path` is where the effect can be read: the JSON file then holds `edit`.
    """

    program: str
    add: tuple[str, ...]
    back: tuple[str, ...]
    path: Path
    edit: Edit

    @property
    def forth(self) -> tuple[str, ...]:
        return adding(self.add, self.edit.value)


def adding(add: tuple[str, ...], value: Any) -> tuple[str, ...]:
    """The arguments that add an entry of that value."""
    return (*add, json.dumps(value, ensure_ascii=False))


@dataclass(frozen=True)
class Wiring:
    """Everything for one harness."""

    files: tuple[FileWiring, ...]
    commands: tuple[CommandWiring, ...] = ()
    after: tuple[str, ...] = ()  # what the person must do, in order


@dataclass(frozen=True)
class HookPlace:
    """Where the hook of a turn stands in a wired file, and in which unit its limit is."""

    path: Path
    event: str
    unit: float  # seconds per unit


@dataclass(frozen=True)
class Finding:
    """Something `detect` has to say about a harness; `stops` where the wiring would not work with it."""

    text: str
    stops: bool = False


@dataclass(frozen=True)
class Setting:
    """For whom the wiring is made."""

    home: Home
    parts: Parts
    language: str = "en"
