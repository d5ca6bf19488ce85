"""`service install|remove|status`: files through plan and journal, the rest through the system."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import datetime

from shilu_setup import applying, plan, undoing
from shilu_setup.errors import SetupError
from shilu_setup.folders import Home, Parts
from shilu_setup.guard import only_one
from shilu_setup.journal import Journal
from shilu_setup.programs import which
from shilu_setup.services import KINDS, Kind, cron, usable
from shilu_setup.services.units import Command, Unit

ANSWER_SECONDS = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `service`; `--vault` is the caller's."""
    parser.add_argument("verb", choices=list(VERBS), help="install, remove, or tell what is there; show prints it only")
    parser.add_argument("--kind", choices=list(KINDS), help="how (else the first that this system has)")
    parser.add_argument("--home", metavar="DIR", help="another home folder than your own")
    parser.add_argument("--json", action="store_true", help="status as JSON")


def main(arguments: Sequence[str] | None = None) -> int:
    """The stand-alone entry."""
    parser = argparse.ArgumentParser(prog="service", description="start the daemon at login")
    add_arguments(parser)
    parser.add_argument("--vault", metavar="PATH", default="", help="the vault (else the configured one)")
    return run(parser.parse_args(arguments))


def run(parsed: argparse.Namespace) -> int:
    """Runs one verb; errors become one line and their exit code."""
    try:
        home = Home.of(parsed.home, os.environ)
        parts = Parts.find(vault=parsed.vault or "")
        return VERBS[parsed.verb](Unit(home, parts.python, parts.vault), _kind(home, parsed.kind), parsed)
    except SetupError as error:
        print(f"service: {error}", file=sys.stderr)
        return error.exit_code


def install(unit: Unit, kind: Kind) -> str:
    """Installs and starts; the word to say. A failure of the system takes the files back."""
    if kind.name == "cron":
        return _write_table(unit, cron.with_lines)
    with only_one(unit.home):
        applying.recover(unit.home)
        planned = plan.of_files(unit.home, kind.files(unit))
        done = applying.apply(unit.home, planned, datetime.now())
        try:
            for command in kind.starting(unit):
                _execute(unit.home, command)
        except SetupError as error:
            if done is not None:
                undoing.roll_back(unit.home, done.id)
            other = "" if kind.name == "windows" else "; without it use: service install --kind cron"
            raise SetupError(f"{error}; nothing was installed{other}") from None
    return f"installed with {kind.name}: {kind.files(unit)[0].path}"


def remove(unit: Unit, kind: Kind) -> str:
    """Stops it and takes away what was written; the word to say."""
    if kind.name == "cron":
        return _write_table(unit, cron.without_lines)
    with only_one(unit.home):
        for command in kind.ending(unit):
            _execute(unit.home, command)
        paths = {str(file.path) for file in kind.files(unit)}
        runs = [run for run in Journal(unit.home).runs() if run.standing and {file.path for file in run.files} <= paths]
        for run in reversed(runs):
            undoing.roll_back(unit.home, run.id)
    return f"removed from {kind.name}" if runs else f"nothing of ours was in {kind.name}"


def installed(unit: Unit, kind: Kind) -> bool:
    """Whether what we would write is there."""
    if kind.name == "cron":
        return all(line in _table(unit).splitlines() for line in cron.lines(unit))
    return plan.of_files(unit.home, kind.files(unit)).empty


def running(unit: Unit, kind: Kind) -> bool | None:
    """Whether the system says that it runs; None for cron, which does not know."""
    if kind.name == "cron":
        return None
    try:
        _execute(unit.home, kind.asking(unit))
    except SetupError:
        return False
    return True


def _install(unit: Unit, kind: Kind, parsed: argparse.Namespace) -> int:
    print(install(unit, kind))
    return 0


def _remove(unit: Unit, kind: Kind, parsed: argparse.Namespace) -> int:
    print(remove(unit, kind))
    return 0


def _status(unit: Unit, kind: Kind, parsed: argparse.Namespace) -> int:
    there, runs = installed(unit, kind), running(unit, kind)
    if parsed.json:
        print(json.dumps({"kind": kind.name, "name": unit.name, "installed": there, "running": runs}))
    else:
        state = "" if runs is None or not there else ", running" if runs else ", not running"
        print(f"{kind.name}: {'installed' if there else 'not installed'}{state}")
    return 0


def _show(unit: Unit, kind: Kind, parsed: argparse.Namespace) -> int:
    """What would be written, for a system we cannot write to."""
    for file in kind.files(unit):
        print(f"# {file.path}\n{file.edits[0].value}")
    if kind.name == "cron":
        print("\n".join(cron.lines(unit)))
    return 0


def _kind(home: Home, name: str | None) -> Kind:
    if name is not None:
        return KINDS[name]
    found = usable(home)
    if not found:
        raise SetupError(
            "neither systemd, launchd, the Task Scheduler nor cron is here; run `shilu daemon start` yourself"
        )
    return found[0]


def _table(unit: Unit) -> str:
    """The user's crontab; a user without one has an empty one."""
    done = _run(unit.home, Command(("crontab", "-l")))
    if done.returncode and b"no crontab" not in done.stderr:
        raise SetupError(f"crontab -l: failed: {_last(done)}")
    return done.stdout.decode("utf-8", "surrogateescape") if not done.returncode else ""


def _write_table(unit: Unit, changed: Callable[[str, Unit], str]) -> str:
    before = _table(unit)
    after = changed(before, unit)
    if after != before:
        _execute(unit.home, Command(("crontab", "-"), input=after))
        if _table(unit) != after:
            raise SetupError("crontab: the table reads otherwise than it was written; look with: crontab -l")
    return "the crontab has our two lines" if cron.mark(unit) in after else "the crontab has no line of ours"


def _execute(home: Home, command: Command) -> None:
    done = _run(home, command)
    if done.returncode and not command.may_fail:
        raise SetupError(f"{' '.join(command.argv[:3])}: failed: {_last(done)}")


def _run(home: Home, command: Command) -> subprocess.CompletedProcess[bytes]:
    program = which(home, command.argv[0])
    if program is None:
        raise SetupError(f"{command.argv[0]} is not on the search path")
    data = None if command.input is None else command.input.encode("utf-8", "surrogateescape")
    environment = {**home.environment, "HOME": str(home.path)}
    try:
        return subprocess.run(
            [program, *command.argv[1:]], env=environment, input=data, timeout=ANSWER_SECONDS,
            capture_output=True, check=False, stdin=subprocess.DEVNULL if data is None else None,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupError(f"{command.argv[0]}: cannot be run ({error})") from None


def _last(done: subprocess.CompletedProcess[bytes]) -> str:
    said = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
    return said[-1] if said else f"exit code {done.returncode}"


VERBS: dict[str, Callable[[Unit, Kind, argparse.Namespace], int]] = {
    "install": _install,
    "remove": _remove,
    "status": _status,
    "show": _show,
}
