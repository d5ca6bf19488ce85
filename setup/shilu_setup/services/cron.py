"""The fallback: two lines of the user's crontab (crontab(5)), the daemon at boot and the daily run.

Other lines stay as they are. A `%` ends a command in a crontab and is escaped.
"""

from __future__ import annotations

import shlex

from shilu_setup.services.units import Command, Unit
from shilu_setup.wiring import FileWiring

HOUR = 9
"""When the daily run is made: in working hours, since a machine at home sleeps at night."""


def files(unit: Unit) -> tuple[FileWiring, ...]:
    return ()


def starting(unit: Unit) -> tuple[Command, ...]:
    """Installed through `with_lines` over the present table; see `installing`."""
    return ()


def ending(unit: Unit) -> tuple[Command, ...]:
    return ()


def asking(unit: Unit) -> Command:
    return Command(("crontab", "-l"))


def lines(unit: Unit) -> list[str]:
    """Our lines, known again by the comment at their end."""
    daemon, daily = (_escaped(shlex.join(argv)) for argv in (unit.argv, unit.daily))
    return [f"@reboot {daemon} {mark(unit)}", f"0 {HOUR} * * * {daily} {mark(unit)}"]


def mark(unit: Unit) -> str:
    return f"# {unit.name}"


def with_lines(table: str, unit: Unit) -> str:
    """The table with our lines, once, at its end."""
    kept = without_lines(table, unit)
    return kept + ("\n" if kept and not kept.endswith("\n") else "") + "".join(line + "\n" for line in lines(unit))


def without_lines(table: str, unit: Unit) -> str:
    """The table without our lines; every other byte stays."""
    return "".join(line for line in table.splitlines(keepends=True) if not line.rstrip("\r\n").endswith(mark(unit)))


def _escaped(command: str) -> str:
    return command.replace("%", "\\%")
