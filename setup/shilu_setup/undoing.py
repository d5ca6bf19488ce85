"""Rolling a run back: the former bytes where nobody wrote since, else our entries alone, by key."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

from shilu_setup import targets
from shilu_setup.applying import take_back
from shilu_setup.diffs import file_diff
from shilu_setup.errors import Foreign, SetupError
from shilu_setup.folders import Home
from shilu_setup.formats import FORMATS
from shilu_setup.formats.edits import same
from shilu_setup.journal import CommandRecord, FileRecord, Journal, Run


def roll_back(home: Home, name: str | None) -> Run:
    """Takes the named run (or the newest that stands) back, under the lock of the home.

    First everything is tried in memory; where one value is no longer ours, nothing is changed and the error
    shows the difference. Killed midway, a second call goes on where it stopped.
    """
    journal = Journal(home)
    run = journal.find(name)
    if not run.standing:
        raise SetupError(f"{run.id}: does not stand ({run.status}); there is nothing to roll back")
    run = _bequeathed(journal, run)
    wanted = _formers(journal, run)
    for command in run.commands:
        _require_ours(command)
    for record, data in wanted:
        _require_possible(home, record, data)
    for command in run.commands:
        run = _take_back(home, journal, run, command)
    for record, data in wanted:
        _write(record, data, run.id)
        run = _marked(journal, run, record)
    finished = replace(run, status="rolled-back")
    journal.save(finished)
    return finished


def _bequeathed(journal: Journal, run: Run) -> Run:
    """The run without those files of ours that a later run's entries still name; they become that run's."""
    others = [other for other in journal.runs() if other.standing and other.id != run.id]
    for record in run.files:
        heirs = [other for other in others if _names(other, record.path)]
        if heirs and record.ours and not record.before and not record.undone:
            heir = replace(heirs[0], files=(record, *heirs[0].files))
            others = [heir if other.id == heir.id else other for other in others]
            journal.save(heir)
            run = replace(run, files=tuple(kept for kept in run.files if kept != record))
            journal.save(run)
    return run


def _names(run: Run, path: str) -> bool:
    """Whether an entry of the run that still stands names the file."""
    return any(path in str(change.edit.value) for file in run.files if not file.undone for change in file.changes)


def _formers(journal: Journal, run: Run) -> list[tuple[FileRecord, bytes | None]]:
    """Every file's bytes without our entries, newest record first.

    A second record of the same file starts from what the first one left.
    """
    reached: dict[str, bytes | None] = {}
    wanted = []
    for record in reversed(run.files):
        if not record.undone:
            now = reached[record.path] if record.path in reached else targets.read(Path(record.path)).data
            reached[record.path] = _former(journal, record, now)
            wanted.append((record, reached[record.path]))
    return wanted


def _former(journal: Journal, record: FileRecord, now: bytes | None) -> bytes | None:
    """The file's bytes without our entries; None where the file should not exist. Raises `Foreign`."""
    found = targets.digest(now)
    if found == record.before:
        return now
    if found == record.after:
        return _backed_up(journal, record)
    if now is None:
        return None
    text = _without(record, targets.Snapshot(Path(record.path), now, record.mode).text)
    if not record.before and not text.strip("\ufeff \t\r\n"):
        return None
    return text.encode("utf-8")


def _without(record: FileRecord, text: str) -> str:
    for change in reversed(record.changes):
        try:
            text = FORMATS[record.format].take(text, change.edit, change.trace)
        except Foreign as error:
            shown = file_diff(error.ours + "\n", error.theirs + "\n", "ours, now theirs")
            raise Foreign(
                f"{record.path}: {error}; nothing was rolled back. What we wrote, and what stands there:\n{shown}",
                ours=error.ours,
                theirs=error.theirs,
            ) from None
        except SetupError as error:
            raise SetupError(f"{record.path}: {error}; nothing was rolled back") from None
    return text


def _backed_up(journal: Journal, record: FileRecord) -> bytes | None:
    if not record.before:
        return None
    data = targets.read(journal.backup(record.backup)).data
    if targets.digest(data) != record.before:
        raise SetupError(f"{journal.backup(record.backup)}: the backup is damaged; nothing was rolled back")
    return data


def _require_possible(home: Home, record: FileRecord, data: bytes | None) -> None:
    snapshot = targets.read(Path(record.path))
    if snapshot.data != data:
        targets.require_writable(home, Path(record.path), snapshot)


def _require_ours(command: CommandRecord) -> None:
    if command.undone or _already_back(command):
        return
    value = targets.json_value(Path(command.path), command.edit.path)
    if value is not None and not same(value, command.edit.value):
        place = command.edit.place
        raise Foreign(
            f"{command.path}: {place} was changed since; nothing was rolled back",
            ours=str(command.edit.value),
            theirs=str(value),
        )


def _already_back(command: CommandRecord) -> bool:
    """Whether the entry is as it was before the run (a rollback was killed behind the command)."""
    return same(targets.json_value(Path(command.path), command.edit.path), command.before)


def _take_back(home: Home, journal: Journal, run: Run, command: CommandRecord) -> Run:
    if not command.undone and not _already_back(command):
        take_back(home, command)
    commands = tuple(replace(entry, undone=True) if entry == command else entry for entry in run.commands)
    run = replace(run, commands=commands)
    journal.save(run)
    return run


def _write(record: FileRecord, data: bytes | None, mark: str) -> None:
    """Puts the former bytes in place, or takes away a file that we had made, with its folders."""
    snapshot = targets.read(Path(record.path))
    if data is None:
        with contextlib.suppress(FileNotFoundError):
            snapshot.path.unlink()
        for folder in reversed(record.folders):
            with contextlib.suppress(OSError):
                Path(folder).rmdir()
    elif snapshot.data != data:
        targets.write(snapshot.path, data, snapshot.mode, mark)


def _marked(journal: Journal, run: Run, record: FileRecord) -> Run:
    files = tuple(replace(entry, undone=True) if entry is record else entry for entry in run.files)
    run = replace(run, files=files)
    journal.save(run)
    return run
