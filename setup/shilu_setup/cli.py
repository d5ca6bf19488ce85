"""`deploy`: detect, preview, apply, rollback, selfcheck, runs, uninstall, instructions."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from datetime import datetime

from shilu_setup import applying, detecting, diffs, plan, undoing
from shilu_setup.errors import SetupError
from shilu_setup.folders import Home, Parts
from shilu_setup.guard import only_one
from shilu_setup.harnesses import HARNESSES
from shilu_setup.instructions import TEXTS
from shilu_setup.journal import Journal
from shilu_setup.wiring import Setting


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `deploy`; `--vault` is the caller's."""
    parser.add_argument(
        "verb", choices=list(VERBS), help="what to do; apply, rollback and uninstall are the ones that write"
    )
    parser.add_argument("--home", metavar="DIR", help="another home folder than your own")
    names = " ".join(HARNESSES)
    parser.add_argument(
        "--target",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME|FILE",
        help=f"one of: {names}; or a file on the allow list",
    )
    parser.add_argument("--create", action="store_true", help="make files that do not exist yet")
    parser.add_argument("--run", metavar="ID", help="rollback: the run to take back (else the newest)")
    parser.add_argument("--lang", choices=list(TEXTS), default=None, help="language of the instruction section (default: en)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def main(arguments: Sequence[str] | None = None) -> int:
    """The stand-alone entry: `python -m shilu_setup` and `setup/deploy.py`."""
    parser = argparse.ArgumentParser(
        prog="deploy", description="wire agent programs to the shared memory, and take it out again"
    )
    add_arguments(parser)
    parser.add_argument(
        "--vault",
        metavar="PATH",
        default="",
        help="name this vault in the wiring (else the configured one is used)",
    )
    return run(parser.parse_args(arguments))


def run(parsed: argparse.Namespace) -> int:
    """Runs one verb; errors become one line and their exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        home = Home.of(parsed.home, os.environ)
        parsed.lang = parsed.lang or "en"
        setting = Setting(home, Parts.find(vault=parsed.vault or ""), parsed.lang)
        return VERBS[parsed.verb](setting, parsed)
    except SetupError as error:
        print(f"deploy: {error}", file=sys.stderr)
        return error.exit_code


def _detect(setting: Setting, parsed: argparse.Namespace) -> int:
    found = detecting.detect(setting, parsed.target)
    if parsed.json:
        print(json.dumps([row.as_json() for row in found], ensure_ascii=False, indent=2))
        return 0
    for row in found:
        if not row.presence.here:
            print(f"{row.harness.title}: not here")
            continue
        named = " ".join(filter(None, (row.harness.title, row.presence.version)))
        print(f"{named}: {'wired' if row.wired else 'not wired'}")
        for file in row.files:
            print(f"    {file.state:<10} {file.path}" + (f" (by {file.by})" if file.by else ""))
        for finding in row.findings:
            print(f"    note: {finding}")
    return 0


def _preview(setting: Setting, parsed: argparse.Namespace) -> int:
    planned = plan.make(setting, parsed.target, create=parsed.create)
    if parsed.json:
        print(json.dumps(diffs.as_json(planned), ensure_ascii=False, indent=2))
    else:
        print(diffs.show(planned) or _nothing_to_do(setting, parsed))
        _tell_after(planned)
    for error in planned.refusals:
        print(f"deploy: {error}", file=sys.stderr)
    return planned.refusals[0].exit_code if planned.refusals else 0


def _apply(setting: Setting, parsed: argparse.Namespace) -> int:
    _preflight(setting, parsed)
    with only_one(setting.home):
        _tell_recovered(setting.home)
        planned = plan.make(setting, parsed.target, create=parsed.create)
        done = applying.apply(setting.home, planned, datetime.now())
    if parsed.json:
        print(json.dumps({"run": done.id if done else None, **diffs.as_json(planned)}, ensure_ascii=False, indent=2))
        return 0
    if done is None:
        print(_nothing_to_do(setting, parsed))
    else:
        for file in done.files:
            print(f"wrote {file.path}")
        for command in planned.commands:
            print(f"ran {command.program.name} {' '.join(command.wiring.forth[:5])}")
        print(f"run {done.id} is done; take it back with: shilu deploy rollback --run {done.id}")
    _tell_after(planned)
    return 0


def _nothing_to_do(setting: Setting, parsed: argparse.Namespace) -> str:
    """Why there is nothing to do, and what would change that."""
    found = detecting.detect(setting, parsed.target)
    if not any(row.presence.here for row in found):
        return "nothing to do: no agent program is here (shilu deploy detect tells what was looked for)"
    if not parsed.create and not plan.make(setting, parsed.target, create=True).empty:
        return "nothing to do with files that exist; --create makes those that are missing"
    return "nothing to do: everything is wired as it should be"


def _rollback(setting: Setting, parsed: argparse.Namespace) -> int:
    with only_one(setting.home):
        _tell_recovered(setting.home)
        done = undoing.roll_back(setting.home, parsed.run)
    print(json.dumps({"run": done.id}) if parsed.json else f"run {done.id} is taken back")
    return 0


def _selfcheck(setting: Setting, parsed: argparse.Namespace) -> int:
    from shilu_setup.selfcheck import selfcheck

    checks = selfcheck(setting, parsed.target)
    if parsed.json:
        print(json.dumps([check.as_json() for check in checks], ensure_ascii=False, indent=2))
    for check in checks if not parsed.json else []:
        print(f"{'ok  ' if check.ok else 'FAIL'}  {check.harness:<9} {check.name}: {check.words}")
    return 0 if all(check.ok for check in checks) else 1


def _uninstall(setting: Setting, parsed: argparse.Namespace) -> int:
    from shilu_setup import uninstalling

    with only_one(setting.home):
        _tell_recovered(setting.home)
        done = uninstalling.uninstall(setting.home)
    uninstalling.sweep(setting.home)
    print(
        json.dumps({"runs": done})
        if parsed.json
        else f"{len(done)} runs are taken back; nothing of ours is left in {setting.home.path}"
    )
    return 0


def _runs(setting: Setting, parsed: argparse.Namespace) -> int:
    runs = Journal(setting.home).runs()
    if parsed.json:
        rows = [{"run": run.id, "status": run.status, "files": [file.path for file in run.files]} for run in runs]
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    for run in runs if not parsed.json else []:
        print(f"{run.id}  {run.status:<11}  {', '.join(file.path for file in run.files)}")
    return 0


def _instructions(setting: Setting, parsed: argparse.Namespace) -> int:
    print(TEXTS[parsed.lang])
    return 0


def _preflight(setting: Setting, parsed: argparse.Namespace) -> None:
    """Refuses before anything, our lock file included, is written."""
    planned = plan.make(setting, parsed.target, create=parsed.create)
    if planned.refusals:
        raise planned.refusals[0]


def _tell_recovered(home: Home) -> None:
    for mended in applying.recover(home):
        print(f"run {mended.id} was interrupted; it now counts as {mended.status}", file=sys.stderr)


def _tell_after(planned: plan.Plan) -> None:
    for word in planned.after:
        print(f"next: {word}")


VERBS: dict[str, Callable[[Setting, argparse.Namespace], int]] = {
    "detect": _detect,
    "preview": _preview,
    "apply": _apply,
    "rollback": _rollback,
    "selfcheck": _selfcheck,
    "runs": _runs,
    "uninstall": _uninstall,
    "instructions": _instructions,
}
