"""Dropping a submission: whole or not at all, under a name that was never used before."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from shilu_core import secrets
from shilu_core.errors import SecretRefused
from shilu_core.files import append_line, create_exclusive, remove
from shilu_core.vault import Vault

from shilu_inbox.submissions import FENCE, Header, SubmissionRefused, check_agent, check_bounds, digest_of, read, render

DROPS = "drops"  # names and digests of the files that we wrote, which need not stand still first
_DROPS_LIMIT = 1 << 18
_BULLET = re.compile(r"^[-*•][ \t]+")


def quarantine_folder(vault_state: Path) -> Path:
    """The private folder of dropped files that held a secret, below the vault's state folder."""
    return vault_state / "quarantine"


def drop(vault: Vault, facts: Sequence[str], header: Header, *, now: datetime, vault_state: Path) -> Path:
    """Writes one submission and returns its path.

    Raises SecretRefused (kind and line, never the value) or SubmissionRefused (the figure) before
    anything is written. Safe for any number of processes in the same second.
    """
    check_agent(header.agent)
    cleaned = [fact for fact in map(_plain, facts) if fact]
    refuse_secrets(cleaned, header)
    data = render(cleaned, header)
    check_bounds(cleaned, len(data))
    if not read("the submission", data):  # read as the review will, so that nothing is refused only there
        raise SubmissionRefused("nothing to submit: give at least one fact that is not empty")
    for name in _names(header.agent, now):
        if _create(vault, name, data, vault_state):
            append_line(vault.own / DROPS, f"{digest_of(data)} {name}", limit=_DROPS_LIMIT)
            return vault.inbox / name
    raise SubmissionRefused("no free name is left for this second; try again")  # pragma: no cover


def _plain(fact: str) -> str:
    """A fact as it is given on a command line, without its bullet, fence lines and bytes that are no text."""
    text = fact.encode("utf-8", "backslashreplace").decode().replace("\r\n", "\n").replace("\r", "\n")
    lines = [line for line in text.split("\n") if not FENCE.match(line)]
    return _BULLET.sub("", "\n".join(lines).strip()).strip()


def refuse_secrets(facts: Sequence[str], header: Header) -> None:
    """Raises SecretRefused where a fact or a header field holds a plaintext secret."""
    fields = [header.session, header.workspace, " ".join(header.tags), header.target, header.fact]
    for number, text in [*enumerate(facts, 1), (0, "\n".join(facts)), (0, "\n".join(fields))]:
        found = secrets.find(text)
        if found:
            where = f"fact {number}, line {found[0].line}" if number else f"line {found[0].line}"
            raise SecretRefused(
                f"refused: {where} holds a plaintext secret ({found[0].kind}); nothing was written. "
                "Submit where it is kept instead, never the value"
            )


def dropped_by_us(vault: Vault) -> frozenset[tuple[str, str]]:
    """Name and digest of every file that `drop` wrote lately."""
    try:
        lines = (vault.own / DROPS).read_text(encoding="utf-8").splitlines()
    except OSError:
        return frozenset()
    return frozenset((name, digest) for digest, _, name in (line.partition(" ") for line in lines))


def free_name(folder: Path, name: str, taken: Collection[str] = ()) -> Path:
    """`folder/name`, or the first of `name-2`, `name-3`, ... that neither stands there nor is among `taken`."""
    stem, dot, suffix = name.rpartition(".")
    candidates = (
        folder / (name if n == 1 else f"{stem or suffix}-{n}{dot}{suffix if stem else ''}") for n in range(1, 1 << 30)
    )
    return next(path for path in candidates if path.name not in taken and not path.exists())


def _names(agent: str, now: datetime) -> Iterator[str]:
    stamp = now.strftime("%Y%m%d-%H%M%S")
    return (f"{agent}-{stamp}-{number:02d}.md" for number in range(1, 100_000))


def _create(vault: Vault, name: str, data: bytes, vault_state: Path) -> bool:
    elsewhere = (vault.processed / name, quarantine_folder(vault_state) / name)
    path = vault.inbox / name
    if path.exists() or any(other.exists() for other in elsewhere):
        return False
    try:
        create_exclusive(path, data)
    except FileExistsError:
        return False
    if any(other.exists() for other in elsewhere):  # moved there between the look and the creation
        remove(path)
        return False
    return True
