"""The deployer's record of what it did: one small JSON file a run, rewritten whole whenever its state
changes.

States: `begun` (planned and backed up, perhaps half written), `applied`, `rolled-back`, `abandoned`
(nothing of it
stands). A run that was killed stays `begun`; the next run looks at the files and sets the record right.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from shilu_setup.errors import SetupError
from shilu_setup.folders import Home
from shilu_setup.formats import Edit, Trace
from shilu_setup.plan import Change, CommandPlan, FilePlan
from shilu_setup.targets import digest, write_private

VERSION = 1


@dataclass(frozen=True)
class FileRecord:
    """One file: digests before and after, where its former bytes are kept, and our entries in it."""

    path: str
    format: str
    ours: bool
    before: str
    after: str
    mode: int
    backup: str  # file name in the backups folder; empty where the file did not exist
    folders: tuple[str, ...]
    changes: tuple[Change, ...]
    undone: bool = False


@dataclass(frozen=True)
class CommandRecord:
    """One command of a program: how to take its effect back, the entry as the program wrote it, and the older
    entry of ours that it replaced (None for none)."""

    program: str
    add: tuple[str, ...]
    back: tuple[str, ...]
    path: str
    edit: Edit
    before: Any = None
    undone: bool = False


@dataclass(frozen=True)
class Run:
    """One apply."""

    id: str
    status: str
    files: tuple[FileRecord, ...]
    commands: tuple[CommandRecord, ...]

    @property
    def standing(self) -> bool:
        return self.status in ("begun", "applied")


class Journal:
    """The runs of one home, oldest first."""

    def __init__(self, home: Home) -> None:
        self.folder = home.state / "setup"

    def runs(self) -> list[Run]:
        files = sorted((self.folder / "journal").glob("*.json")) if self.folder.is_dir() else []
        return [_read(file) for file in files]

    def new_id(self, now: datetime) -> str:
        """The time, and a number that is free in that second."""
        stamp = now.strftime("%Y%m%d-%H%M%S")
        taken = {file.stem for file in (self.folder / "journal").glob(f"{stamp}-*.json")}
        number = next(number for number in range(1, 10_000) if f"{stamp}-{number:02d}" not in taken)
        return f"{stamp}-{number:02d}"

    def save(self, run: Run) -> None:
        data = json.dumps({"version": VERSION, **asdict(run)}, ensure_ascii=False, indent=1).encode(
            "utf-8", "surrogatepass"
        )
        write_private(self.folder / "journal" / f"{run.id}.json", data, run.id)

    def back_up(self, run: str, plans: Sequence[FilePlan]) -> dict[Path, str]:
        """Keeps the bytes of every existing file, readable by the owner only; returns the backups' names."""
        names: dict[Path, str] = {}
        for number, plan in enumerate(plans):
            if plan.snapshot.data is not None:
                names[plan.path] = f"{run}/{number:02d}-{plan.path.name}"
                write_private(self.backup(names[plan.path]), plan.snapshot.data, run)
        return names

    def backup(self, name: str) -> Path:
        return self.folder / "backups" / name

    def find(self, run: str | None) -> Run:
        """The named run, or the newest that stands."""
        runs = self.runs()
        standing = [found for found in runs if found.standing]
        if run is None:
            if not standing:
                raise SetupError("nothing to roll back: no run of `shilu deploy apply` stands in this home")
            return standing[-1]
        for found in runs:
            if found.id == run:
                return found
        names = ", ".join(found.id for found in standing) or "none"
        raise SetupError(f"{run}: there is no such run; those that stand: {names}")


def record_of(plan: FilePlan, backups: dict[Path, str]) -> FileRecord:
    """The record of one planned file."""
    return FileRecord(
        path=str(plan.path),
        format=plan.format,
        ours=plan.ours,
        before=digest(plan.snapshot.data),
        after=digest(plan.text.encode("utf-8")),
        mode=plan.snapshot.mode,
        backup=backups.get(plan.path, ""),
        folders=tuple(str(folder) for folder in plan.folders),
        changes=plan.changes,
    )


def command_record(command: CommandPlan) -> CommandRecord:
    """The record of one planned command."""
    wiring = command.wiring
    return CommandRecord(str(command.program), wiring.add, wiring.back, str(wiring.path), wiring.edit, command.before)


def with_observed(record: CommandRecord, value: Any) -> CommandRecord:
    """The record with the entry as it was found after the command."""
    return replace(record, edit=replace(record.edit, value=value))


def _read(file: Path) -> Run:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if data["version"] != VERSION:
            raise SetupError(f"{file}: is of another version ({data['version']}); update the program")
        files = tuple(_file_record(entry) for entry in data["files"])
        commands = tuple(_command_record(entry) for entry in data["commands"])
        return Run(data["id"], data["status"], files, commands)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SetupError(f"{file}: is damaged ({error}); its backups are in {file.parent.parent / 'backups'}") from None


def _file_record(entry: dict[str, Any]) -> FileRecord:
    changes = tuple(Change(_edit(change["edit"]), Trace(**change["trace"])) for change in entry["changes"])
    return FileRecord(**{**entry, "changes": changes, "folders": tuple(entry["folders"])})


def _command_record(entry: dict[str, Any]) -> CommandRecord:
    return CommandRecord(
        **{**entry, "edit": _edit(entry["edit"]), "add": tuple(entry["add"]), "back": tuple(entry["back"])}
    )


def _edit(entry: dict[str, Any]) -> Edit:
    return Edit(**{**entry, "path": tuple(entry["path"])})
