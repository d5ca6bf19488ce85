"""The daemon at login: one module a way of doing it, one literal table.

Each module has `files(unit)`, the files to write; `starting(unit)` and `ending(unit)`, the commands that make
the system take them in and let them go; `asking(unit)`, the command whose exit code says whether it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shilu_setup.folders import Home
from shilu_setup.programs import which
from shilu_setup.services import cron, launchd, systemd, windows
from shilu_setup.services.units import Command, Unit
from shilu_setup.wiring import FileWiring


@dataclass(frozen=True)
class Kind:
    """One way to have a program started at login."""

    name: str
    needs: str  # the program that it is done with
    platforms: tuple[str, ...]  # beginnings of sys.platform; empty for every one
    files: Callable[[Unit], tuple[FileWiring, ...]]
    starting: Callable[[Unit], tuple[Command, ...]]
    ending: Callable[[Unit], tuple[Command, ...]]
    asking: Callable[[Unit], Command]


def _row(name: str, needs: str, platforms: tuple[str, ...], module: object) -> Kind:
    functions = {part: getattr(module, part) for part in ("files", "starting", "ending", "asking")}
    return Kind(name, needs, platforms, **functions)


KINDS: dict[str, Kind] = {
    "systemd": _row("systemd", "systemctl", ("linux",), systemd),
    "launchd": _row("launchd", "launchctl", ("darwin",), launchd),
    "windows": _row("windows", "schtasks", ("win32",), windows),
    "cron": _row("cron", "crontab", ("linux", "darwin", "freebsd"), cron),
}


def usable(home: Home) -> list[Kind]:
    """The kinds that this platform knows and whose program is here, the best first."""
    return [kind for kind in KINDS.values() if home.platform.startswith(kind.platforms) and which(home, kind.needs)]
