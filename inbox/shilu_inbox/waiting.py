"""What waits in the inbox: which files can be taken, which hold a secret, which must be refused whole."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from shilu_core import secrets
from shilu_core.files import make_folder, move_exclusive
from shilu_core.layout import Language
from shilu_core.vault import SYNC_COPY, Vault

from shilu_inbox.drops import dropped_by_us, free_name, quarantine_folder
from shilu_inbox.submissions import SubmissionRefused, digest_of, read
from shilu_inbox.verdicts import Submitted

STILL_SECONDS = 2.0  # a file that we did not write may still be in the making
SUFFIXES = (".md", ".markdown", ".txt")


@dataclass(frozen=True)
class Arrival:
    """One file of the inbox; `facts` is empty where it was refused whole, with the reason in `refused`."""

    name: str
    digest: str
    size: int
    modified: float  # POSIX time
    facts: tuple[Submitted, ...] = ()
    refused: str = ""
    secret: str = ""  # kind and line of a plaintext secret; such a file goes to the quarantine


@dataclass(frozen=True)
class Waiting:
    """Everything that stands in the inbox: what can be judged now, and what can't, by name."""

    arrivals: tuple[Arrival, ...] = ()
    unsettled: tuple[str, ...] = ()  # changed less than 2 seconds ago: looked at next time
    ignored: tuple[str, ...] = field(default=())  # sync copies and other kinds of file, named in status


def look(vault: Vault, *, clock: Callable[[], float] = time.time) -> Waiting:
    """Reads every file of the inbox; changes nothing."""
    ours = dropped_by_us(vault)
    arrivals, unsettled, ignored = [], [], []
    for path in inbox_files(vault):
        if path.suffix.lower() not in SUFFIXES or SYNC_COPY.search(path.name) or not _is_text(path.name):
            ignored.append(path.name)
            continue
        try:
            modified = path.stat().st_mtime
            data = path.read_bytes()
        except OSError:
            unsettled.append(path.name)
            continue
        if (path.name, digest_of(data)) not in ours and abs(clock() - modified) < STILL_SECONDS:
            unsettled.append(path.name)
            continue
        arrivals.append(_arrival(path.name, data, modified, vault.layout.language))
    arrivals.sort(
        key=lambda arrival: (arrival.modified, arrival.name)
    )  # as they came, so that later ones can supersede
    return Waiting(tuple(arrivals), tuple(unsettled), tuple(ignored))


def inbox_files(vault: Vault) -> list[Path]:
    """Files directly in the inbox, by name; READMEs, hidden files and links that lead out are no submissions."""
    try:
        entries = sorted(vault.inbox.iterdir())
    except OSError:
        return []
    return [
        path
        for path in entries
        if not path.name.startswith(".") and path.name != "README.md" and path.is_file() and not path.is_symlink()
    ]


def quarantine(vault: Vault, arrival: Arrival, vault_state: Path) -> Path | None:
    """Moves a file that holds a secret to the private quarantine; None where it is gone or changed since."""
    source = vault.inbox / arrival.name
    folder = quarantine_folder(vault_state)
    make_folder(folder, private=True)
    try:
        if digest_of(source.read_bytes()) != arrival.digest:
            return None
        target = free_name(folder, arrival.name)
        move_exclusive(source, target)
    except FileNotFoundError:
        return None
    target.chmod(0o600)
    return target


def _is_text(name: str) -> bool:
    """Whether a file's name is UTF-8: any other could not be named in a stamp or the ledger."""
    return name.isprintable() and not any("\ud800" <= character <= "\udfff" for character in name)


def _arrival(name: str, data: bytes, modified: float, language: Language) -> Arrival:
    digest = digest_of(data)
    found = secrets.find(data.decode("utf-8", "replace"))
    if not found and data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        found = secrets.find(data.decode("utf-16", "replace"))
    if found:
        return Arrival(name, digest, len(data), modified, secret=f"{found[0].kind}, line {found[0].line}")
    try:
        facts = read(name, data)
    except SubmissionRefused as error:
        return Arrival(name, digest, len(data), modified, refused=error.told(language))
    flat = secrets.find("\n".join(fact.text for fact in facts))
    if flat:
        return Arrival(name, digest, len(data), modified, secret=f"{flat[0].kind}, line {flat[0].line}")
    empty = "其中没有任何事实" if language == "zh" else "it holds no fact"
    return Arrival(name, digest, len(data), modified, facts, "" if facts else empty)
