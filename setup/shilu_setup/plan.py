"""The plan: for every file its text after, and for every program the commands; nothing is touched here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shilu_setup.errors import Malformed, Occupied, SetupError, SetupUsageError
from shilu_setup.folders import Home
from shilu_setup.formats import FORMATS, Edit, Trace
from shilu_setup.harnesses import HARNESSES, Harness
from shilu_setup.programs import which
from shilu_setup.targets import Snapshot, json_value, missing_folders, read, require_writable, resolve
from shilu_setup.wiring import CommandWiring, FileWiring, Setting, Wiring


@dataclass(frozen=True)
class Change:
    """One entry, and what undoing it needs."""

    edit: Edit
    trace: Trace


@dataclass(frozen=True)
class FilePlan:
    """One file: as it is, as it will be, and the entries that make the difference."""

    path: Path
    format: str
    ours: bool
    snapshot: Snapshot
    text: str
    changes: tuple[Change, ...]

    @property
    def folders(self) -> list[Path]:
        """The folders that writing it makes."""
        return missing_folders(self.snapshot.path.parent)


@dataclass(frozen=True)
class CommandPlan:
    """One command of a program, with the program's place."""

    program: Path
    wiring: CommandWiring
    before: Any = None  # an older entry of ours, which has to be taken out first


@dataclass(frozen=True)
class Plan:
    """All of it; `refusals` are the reasons why it may not be carried out as it stands."""

    files: tuple[FilePlan, ...]
    commands: tuple[CommandPlan, ...]
    refusals: tuple[SetupError, ...]
    after: tuple[str, ...]

    @property
    def empty(self) -> bool:
        return not self.files and not self.commands


def make(setting: Setting, targets: Sequence[str], *, create: bool) -> Plan:
    """The plan for the named harnesses and files; for all harnesses that are here when none is named."""
    files: dict[Path, FilePlan] = {}
    commands: list[CommandPlan] = []
    refusals: list[SetupError] = []
    after: list[str] = []
    for harness, only in chosen(setting, targets):
        wiring = harness.wiring(setting)
        for wired in wiring.files if only is None else _restricted(wiring, only):
            _add(setting.home, files, wired, refusals, create=create)
        after += wiring.after
        if only is None:
            found, words = _commands(setting, wiring.commands)
            commands += found
            after += words
    touched = tuple(plan for plan in files.values() if plan.changes)
    return Plan(touched, tuple(commands), tuple(refusals), tuple(dict.fromkeys(after)))


def of_files(home: Home, wired: Sequence[FileWiring]) -> Plan:
    """The plan for files of ours alone."""
    files: dict[Path, FilePlan] = {}
    refusals: list[SetupError] = []
    for file in wired:
        _add(home, files, file, refusals, create=False)
    return Plan(tuple(plan for plan in files.values() if plan.changes), (), tuple(refusals), ())


def chosen(setting: Setting, targets: Sequence[str]) -> list[tuple[Harness, set[Path] | None]]:
    """The harnesses that are meant, each with the files it is restricted to (None: all of them)."""
    if not targets:
        return [(row, None) for name, row in HARNESSES.items() if name != "mcp" and row.find(setting.home).here]
    named = [(HARNESSES[target], None) for target in targets if target in HARNESSES]
    by_file: dict[str, set[Path]] = {}
    for target in targets:
        if target not in HARNESSES:
            owner, path = _owner(setting, target)
            by_file.setdefault(owner.name, set()).add(path)
    return named + [(HARNESSES[name], paths) for name, paths in by_file.items()]


def _restricted(wiring: Wiring, only: set[Path]) -> list[FileWiring]:
    """The named files, and our own ones where an entry in them names one: a hook its client, a row its bundle."""
    named = [wired for wired in wiring.files if resolve(wired.path) in only]
    texts = [str(edit.value) for wired in named for edit in wired.edits]
    needed = any(wired.ours and str(wired.path) in text for wired in wiring.files for text in texts)
    return [wired for wired in wiring.files if wired in named or (wired.ours and needed)]


def _owner(setting: Setting, target: str) -> tuple[Harness, Path]:
    """The harness whose allow-listed file that is."""
    path = resolve(Path(target).expanduser().absolute())
    for harness in HARNESSES.values():
        for wired in harness.wiring(setting).files:
            if resolve(wired.path) == path:
                return harness, path
    names = " ".join(HARNESSES)
    raise SetupUsageError(
        f"{target}: is neither a harness ({names}) nor a file on the allow list; `shilu deploy detect` shows both"
    )


def _add(
    home: Home,
    files: dict[Path, FilePlan],
    wired: FileWiring,
    refusals: list[SetupError],
    *,
    create: bool,
) -> None:
    """Adds one file's entries to the plan, on top of what other harnesses plan for the same file."""
    try:
        key = resolve(wired.path)
        plan = files.get(key) or _unchanged(wired)
        if plan.snapshot.data is None and not (create or wired.ours):
            raise SetupError(f"{wired.path}: does not exist; add --create to have it made")
        for edit in wired.edits:
            plan = _with(plan, edit)
        if plan.changes:
            require_writable(home, wired.path, plan.snapshot)
        files[key] = plan
    except SetupError as error:
        refusals.append(error)


def _unchanged(wired: FileWiring) -> FilePlan:
    snapshot = read(wired.path)
    return FilePlan(wired.path, wired.format, wired.ours, snapshot, snapshot.text, ())


def _with(plan: FilePlan, edit: Edit) -> FilePlan:
    """The plan with one more entry. An entry that is there already, just so, changes nothing."""
    try:
        written = FORMATS[plan.format].put(plan.text, edit)
    except (Malformed, Occupied) as error:
        raise type(error)(f"{plan.path}: {error}") from None
    if written.trace is None:
        return plan
    return replace(plan, text=written.text, changes=(*plan.changes, Change(edit, written.trace)))


def _commands(setting: Setting, wirings: Sequence[CommandWiring]) -> tuple[list[CommandPlan], list[str]]:
    """The commands still to run, and words about those that cannot be."""
    plans, words = [], []
    for wiring in wirings:
        state = FORMATS["json"].find(read(wiring.path).text, wiring.edit)
        if state == "ours":
            continue
        program = which(setting.home, wiring.program)
        if program is None:
            shown = " ".join((wiring.program, *wiring.forth[:-1], f"'{wiring.forth[-1]}'"))
            words.append(f"{wiring.program} is not on the search path; for its tools run: {shown}")
        else:
            plans.append(CommandPlan(program, wiring, json_value(wiring.path, wiring.edit.path)))
    return plans, words
