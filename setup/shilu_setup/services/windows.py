"""A task of the Windows Task Scheduler (schema 1.2), at logon.

The file is plain ASCII with character references, since `schtasks` is particular about encodings.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from xml.sax.saxutils import escape

from shilu_setup.formats import Edit
from shilu_setup.services.units import Command, Unit
from shilu_setup.wiring import FileWiring

_TEXT = """\
<?xml version="1.0"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>Shilu, shared memory for agents</Description></RegistrationInfo>
  <Triggers><LogonTrigger><Enabled>true</Enabled></LogonTrigger></Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure><Interval>PT1M</Interval><Count>3</Count></RestartOnFailure>
  </Settings>
  <Actions><Exec><Command>{command}</Command><Arguments>{arguments}</Arguments></Exec></Actions>
</Task>
"""


def files(unit: Unit) -> tuple[FileWiring, ...]:
    command, *arguments = unit.argv
    shown = {"command": escape(_windowless(command)), "arguments": escape(subprocess.list2cmdline(arguments))}
    text = _TEXT.format(**shown).encode("ascii", "xmlcharrefreplace").decode("ascii")
    return (FileWiring(_path(unit), "whole", (Edit((), text),), ours=True),)


def starting(unit: Unit) -> tuple[Command, ...]:
    return (
        Command(("schtasks", "/Create", "/TN", unit.name, "/XML", str(_path(unit)), "/F")),
        Command(("schtasks", "/Run", "/TN", unit.name)),
    )


def ending(unit: Unit) -> tuple[Command, ...]:
    return (
        Command(("schtasks", "/End", "/TN", unit.name), may_fail=True),
        Command(("schtasks", "/Delete", "/TN", unit.name, "/F"), may_fail=True),
    )


def asking(unit: Unit) -> Command:
    return Command(("schtasks", "/Query", "/TN", unit.name))


def _path(unit: Unit) -> Path:
    return unit.home.data / f"{unit.name}-task.xml"


def _windowless(python: str) -> str:
    """The interpreter that opens no console window."""
    return python[: -len("python.exe")] + "pythonw.exe" if python.lower().endswith("python.exe") else python
