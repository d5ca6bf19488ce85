"""Carrying a plan out: back up, record, prepare everything, look again, replace, check, record."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

from shilu_setup import targets
from shilu_setup.errors import SetupError
from shilu_setup.folders import Home
from shilu_setup.formats import FORMATS
from shilu_setup.formats.edits import same
from shilu_setup.journal import (
    CommandRecord,
    FileRecord,
    Journal,
    Run,
    command_record,
    record_of,
    with_observed,
)
from shilu_setup.plan import CommandPlan, FilePlan, Plan
from shilu_setup.programs import run_program
from shilu_setup.wiring import adding


def apply(home: Home, plan: Plan, now: datetime) -> Run | None:
    """Carries the plan out, under the lock of the home; None where there is nothing to do.

    All or nothing: what can fail is tried before the first file is replaced, a late failure puts back what was.
    Killed at any step, every file is the old or the new one whole, and `recover` sets the journal right.
    """
    if plan.refusals:
        raise plan.refusals[0]
    if plan.empty:
        return None
    journal = Journal(home)
    run = _begin(journal, plan, now)
    siblings: list[tuple[FilePlan, Path]] = []
    done: list[FilePlan] = []
    ran: list[CommandRecord] = []
    try:
        for file in plan.files:
            sibling = targets.prepare(file.snapshot.path, file.text.encode("utf-8"), file.snapshot.mode, run.id)
            siblings.append((file, sibling))
        for command in plan.commands:
            ran.append(_execute(home, command))
        for file, sibling in siblings:
            _swap(file, sibling)
            done.append(file)
    except SetupError:
        _put_back(home, journal, run, siblings, done, ran)
        raise
    finished = replace(run, status="applied", commands=tuple(ran))
    journal.save(finished)
    return finished


def recover(home: Home) -> list[Run]:
    """Sets every run right that was killed midway; returns them as they stand now."""
    journal = Journal(home)
    mended = []
    for run in journal.runs():
        if run.status == "begun":
            mended.append(_mended(run))
            journal.save(mended[-1])
    return mended


def _begin(journal: Journal, plan: Plan, now: datetime) -> Run:
    number = journal.new_id(now)
    backups = journal.back_up(number, plan.files)
    files = tuple(record_of(file, backups) for file in plan.files)
    run = Run(number, "begun", files, tuple(command_record(command) for command in plan.commands))
    journal.save(run)
    return run


def _swap(file: FilePlan, sibling: Path) -> None:
    """Replaces one file, unless somebody wrote to it since it was read; reads it back."""
    path = file.snapshot.path
    if targets.read(path).data != file.snapshot.data:
        raise SetupError(f"{file.path}: was changed by another program just now; nothing was changed, run again")
    targets.replace(sibling, path)
    if targets.read(path).data != file.text.encode("utf-8"):
        raise SetupError(f"{file.path}: was changed by another program right after writing; run again")


def _execute(home: Home, command: CommandPlan) -> CommandRecord:
    """Lets the program change its own file, and records the entry as the program wrote it."""
    wiring, program = command.wiring, str(command.program)
    record = command_record(command)
    try:
        if command.before is not None:
            run_program(home, program, wiring.back)
        run_program(home, program, wiring.forth)
        value = targets.json_value(wiring.path, wiring.edit.path)
        if value is None:
            raise SetupError(f"{command.program.name} {' '.join(wiring.add[:2])}: it left no entry in {wiring.path}")
    except SetupError:
        _quietly(partial(take_back, home, record))
        raise
    return with_observed(record, value)


def take_back(home: Home, record: CommandRecord) -> None:
    """Undoes one command: our entry away, the older one again."""
    if targets.json_value(Path(record.path), record.edit.path) is not None:
        run_program(home, record.program, record.back)
    if record.before is not None:
        run_program(home, record.program, adding(record.add, record.before))


def _put_back(
    home: Home,
    journal: Journal,
    run: Run,
    siblings: list[tuple[FilePlan, Path]],
    done: list[FilePlan],
    ran: list[CommandRecord],
) -> None:
    """After a failure: the former bytes where ours still stand, the commands taken back, the run abandoned."""
    for file in reversed(done):
        if targets.read(file.snapshot.path).data == file.text.encode("utf-8"):
            _restore(file, run.id)
    for record in reversed(ran):
        _quietly(partial(take_back, home, record))
    for _, sibling in siblings:
        _quietly(partial(sibling.unlink, missing_ok=True))
    for entry in run.files:
        _remove_folders(entry.folders)
    _quietly(partial(journal.save, replace(run, status="abandoned")))


def _restore(file: FilePlan, mark: str) -> None:
    path, data = file.snapshot.path, file.snapshot.data
    if data is None:
        _quietly(path.unlink)
    else:
        _quietly(lambda: targets.write(path, data, file.snapshot.mode, mark))


def _quietly(action: Callable[[], object]) -> None:
    """Cleaning up after a failure must not hide the failure."""
    with suppress(OSError, SetupError):
        action()


def _remove_folders(folders: tuple[str, ...]) -> None:
    for folder in reversed(folders):
        _quietly(Path(folder).rmdir)


def _mended(run: Run) -> Run:
    """The run with only what really stands: files with our bytes or entries, commands with an effect."""
    files = tuple(record for record in run.files if _stands(record, run.id))
    commands = tuple(
        with_observed(record, value)
        for record in run.commands
        if (value := targets.json_value(Path(record.path), record.edit.path)) is not None
        and not same(value, record.before)
    )
    return replace(run, status="applied" if files or commands else "abandoned", files=files, commands=commands)


def _stands(record: FileRecord, run: str) -> bool:
    real = targets.resolve(Path(record.path))
    _quietly(partial(targets.sibling_of(real, run).unlink, missing_ok=True))
    snapshot = targets.read(real)
    found = targets.digest(snapshot.data)
    if found in (record.before, record.after):
        return found == record.after
    # Somebody else wrote since: ours are the entries that are there.
    return any(FORMATS[record.format].find(snapshot.text, change.edit) == "ours" for change in record.changes)
