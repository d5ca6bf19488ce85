"""The checkup: what a vault holds that recall or the next apply would stumble over; looks and changes nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml
from shilu_core.entities import Wikilink, wikilinks
from shilu_core.files import TEMPORARY
from shilu_core.folding import fold
from shilu_core.lock import left_behind
from shilu_core.notes import split_lines
from shilu_core.platforms import process_is_alive
from shilu_core.vault import SYNC_COPY

from shilu_inbox.desk import Desk
from shilu_inbox.verify import verify
from shilu_inbox.waiting import look


@dataclass(frozen=True)
class Finding:
    """One thing worth telling: its kind (the text for a person stands with the command), where, and what exactly.

    A fault needs a hand; everything else is said so that nobody is surprised by it.
    """

    kind: str
    place: str
    detail: str = ""
    is_fault: bool = False


def checkup(desk: Desk) -> list[Finding]:
    """Everything that the checks of the table find, in the table's order."""
    return [finding for check in CHECKS for finding in check(desk)]


def _links(desk: Desk) -> Iterator[Finding]:
    """Links that lead out of the vault, nowhere, or in a circle: what stands behind them is not read."""
    for path in _files(desk.vault.root):
        if not path.is_symlink():
            continue
        place, target = _below(path, desk), os.readlink(path)
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError):
            yield Finding("link-nowhere", place, target)
            continue
        if not real.is_relative_to(desk.vault.folder):
            yield Finding("link-out", place, target)
        elif real.is_dir() and path.parent.resolve().is_relative_to(real):
            yield Finding("link-loop", place, target)


def _front_matter(desk: Desk) -> Iterator[Finding]:
    """Front matter that is no YAML mapping: the note is read, its fields are not."""
    for note in desk.vault.note_ids():
        data = desk.vault.read(note)
        try:
            lines = split_lines(data.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            yield Finding("not-utf-8", note, str(error.start))
            continue
        if not lines or lines[0].strip() != "---":
            continue
        front = sum(line.kind == "front" for line in desk.vault.parse(note).lines)
        reason = _yaml_fault("".join(lines[1 : front - 1])) if front else "it is never closed"
        if reason:
            yield Finding("front-matter", note, reason)


def _yaml_fault(text: str) -> str:
    """Why `text` is no YAML mapping, `""` where it is one."""
    try:
        found = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = f" (line {error.problem_mark.line + 2})" if error.problem_mark else ""
        return f"{error.problem or 'no YAML'}{line}"
    except (yaml.YAMLError, ValueError, RecursionError):
        return "no YAML"
    return "" if found is None or isinstance(found, dict) else "no fields"


def _wikilinks(desk: Desk) -> Iterator[Finding]:
    """Links between notes that name no note, or one of several of the same name: they are bound to none."""
    known: dict[str, list[str]] = {}
    for path in _files(desk.vault.folder):
        if path.suffix.lower() == ".md":
            known.setdefault(fold(path.stem), []).append(fold(path.relative_to(desk.vault.folder).with_suffix("").as_posix()))
    for note in desk.vault.note_ids():
        for number, line in enumerate(desk.vault.parse(note).lines, 1):
            for link in wikilinks(line.text) if line.kind not in ("code", "front") else ():
                if kind := _unbound(link, known):
                    yield Finding(kind, f"{note}:{number}", f"[[{link.target}]]")


def _unbound(link: Wikilink, known: dict[str, list[str]]) -> str:
    """Why a link is bound to no note, `""` where it is bound, or names another kind of file."""
    target = fold(link.target.removesuffix(".md"))
    if Path(link.target).suffix.lower() not in ("", ".md") and link.embedded:
        return ""
    paths = known.get(target.rsplit("/", 1)[-1], [])
    fitting = [path for path in paths if path == target or path.endswith("/" + target)]
    if len(fitting) > 1 and target not in fitting:
        return "wikilink-several"
    return "" if fitting else "wikilink-none"


def _copies(desk: Desk) -> Iterator[Finding]:
    """What a sync program or an editor left beside a note: left out of recall, for a person to merge or delete."""
    for path in _files(desk.vault.root):
        if SYNC_COPY.search(path.name) and not path.name.startswith(TEMPORARY):
            yield Finding("sync-copy", _below(path, desk))


def _temporaries(desk: Desk) -> Iterator[Finding]:
    """Half-written files whose writer was killed; the next write beside them removes them."""
    for path in _files(desk.vault.folder, hidden=True):
        pid = path.name.removeprefix(TEMPORARY).partition("-")[0]
        if path.name.startswith(TEMPORARY) and not (pid.isdigit() and process_is_alive(int(pid))):
            yield Finding("temporary", str(path.relative_to(desk.vault.folder)))


def _locks(desk: Desk) -> Iterator[Finding]:
    """A `.lock` whose owner is dead; the next write takes it over."""
    if owner := left_behind(desk.vault):
        yield Finding("lock", ".lock", owner)


def _inbox(desk: Desk) -> Iterator[Finding]:
    """Files in the inbox that no review will ever take."""
    for name in look(desk.vault).ignored:
        yield Finding("inbox-ignored", f"{desk.vault.layout.inbox}/{name}")


def _ledger(desk: Desk) -> Iterator[Finding]:
    """The ledger against the notes: what a person changed by hand, and what does not add up."""
    for row in desk.ledger.rows("SELECT id, at FROM plans WHERE state != 'done'"):
        yield Finding("interrupted", row["id"], row["at"], is_fault=True)
    for difference in verify(desk.vault, desk.ledger):
        if difference.broken:
            yield Finding("ledger-broken", difference.note, difference.broken, is_fault=True)
        else:
            yield Finding("by-hand", difference.note, str(len(difference.hunks)))


CHECKS: tuple[Callable[[Desk], Iterator[Finding]], ...] = (
    _links,
    _front_matter,
    _wikilinks,
    _copies,
    _temporaries,
    _locks,
    _inbox,
    _ledger,
)


def _files(folder: Path, *, hidden: bool = False) -> Iterator[Path]:
    """Every file and link below a folder, sorted, links to folders not followed; hidden ones only where asked for."""
    for root, folders, files in os.walk(folder):
        linked = [name for name in folders if os.path.islink(os.path.join(root, name))]
        folders[:] = sorted(name for name in folders if name not in linked and (hidden or not name.startswith(".")))
        yield from (Path(root, name) for name in sorted([*files, *linked]) if hidden or not name.startswith(".") or name.startswith(".~"))


def _below(path: Path, desk: Desk) -> str:
    return path.relative_to(desk.vault.root).as_posix()
