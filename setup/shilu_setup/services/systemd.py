"""A user unit of systemd (systemd.service(5)); `%` and `$` are special in it and doubled."""

from __future__ import annotations

from shilu_setup.formats import Edit
from shilu_setup.services.units import Command, Unit
from shilu_setup.wiring import FileWiring

_TEXT = """\
[Unit]
Description=Shilu, shared memory for agents: {what}

[Service]
ExecStart={command}
Restart=on-failure
RestartSec=10
Nice=5

[Install]
WantedBy=default.target
"""


def files(unit: Unit) -> tuple[FileWiring, ...]:
    folder = unit.home.folder("XDG_CONFIG_HOME", ".config") / "systemd" / "user"
    text = _TEXT.format(what=_plain(unit.vault or "the configured vault"), command=" ".join(map(quoted, unit.argv)))
    return (FileWiring(folder / f"{unit.name}.service", "whole", (Edit((), text),), ours=True),)


def starting(unit: Unit) -> tuple[Command, ...]:
    systemctl = ("systemctl", "--user")
    return (
        Command((*systemctl, "daemon-reload")),
        Command((*systemctl, "enable", "--now", f"{unit.name}.service")),
    )


def ending(unit: Unit) -> tuple[Command, ...]:
    return (Command(("systemctl", "--user", "disable", "--now", f"{unit.name}.service"), may_fail=True),)


def asking(unit: Unit) -> Command:
    return Command(("systemctl", "--user", "is-active", "--quiet", f"{unit.name}.service"))


def quoted(word: str) -> str:
    """One argument of `ExecStart`: in double quotes, with the characters doubled that systemd expands."""
    inner = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{inner}"'


def _plain(text: str) -> str:
    return text.replace("%", "%%")
