"""A launch agent of macOS (launchd.plist(5))."""

from __future__ import annotations

import os
import plistlib
from pathlib import Path

from shilu_setup.formats import Edit
from shilu_setup.services.units import Command, Unit
from shilu_setup.wiring import FileWiring


def files(unit: Unit) -> tuple[FileWiring, ...]:
    entries = {
        "Label": _label(unit),
        "ProgramArguments": list(unit.argv),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ProcessType": "Background",
        "StandardErrorPath": str(unit.home.state / "launchd.log"),
    }
    text = plistlib.dumps(entries).decode("utf-8")
    return (FileWiring(_path(unit), "whole", (Edit((), text),), ours=True),)


def starting(unit: Unit) -> tuple[Command, ...]:
    return (*ending(unit), Command(("launchctl", "bootstrap", _domain(), str(_path(unit)))))


def ending(unit: Unit) -> tuple[Command, ...]:
    return (Command(("launchctl", "bootout", f"{_domain()}/{_label(unit)}"), may_fail=True),)


def asking(unit: Unit) -> Command:
    return Command(("launchctl", "print", f"{_domain()}/{_label(unit)}"))


def _label(unit: Unit) -> str:
    return f"local.{unit.name}"


def _path(unit: Unit) -> Path:
    return unit.home.path / "Library" / "LaunchAgents" / f"{_label(unit)}.plist"


def _domain() -> str:
    return f"gui/{os.getuid() if hasattr(os, 'getuid') else 0}"
