"""One writer at a time: our own file lock, and the old tool's `.lock` while we hold it."""

from __future__ import annotations

import os
import secrets as random
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from shilu_core.errors import LockBusy
from shilu_core.files import create_exclusive, make_folder, remove
from shilu_core.platforms import process_is_alive
from shilu_core.vault import Vault

WAIT_SECONDS = 30.0  # as long as dsh-unified-agent-memory 0.5.2 waits
STALE_SECONDS = 600.0  # age at which an unreadable `.lock` is nobody's, as there
_POLL_SECONDS = 0.05


@contextmanager
def vault_lock(vault: Vault, purpose: str, *, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Holds the vault for writing; raises LockBusy, naming the holder, after `wait` seconds.

    While held, `<vault>/.lock` stands in the format of dsh-unified-agent-memory (`pid=… token=…`), and
    a live one of that tool is waited for, so that both tools exclude each other.
    """
    make_folder(vault.own)
    deadline = time.monotonic() + wait
    lock = FileLock(vault.own / "lock")
    old = vault.folder / ".lock"
    try:
        lock.acquire(timeout=wait, poll_interval=_POLL_SECONDS)
    except Timeout:
        raise LockBusy(_busy_message(vault, old, wait)) from None
    content = f"pid={os.getpid()} token={random.token_hex(16)} for={purpose.replace(' ', '_')}\n"
    try:
        _take_old_lock(vault, old, content, deadline, wait)
        try:
            yield
        finally:
            if _read(old) == content:  # a person may have removed ours, and the old tool taken it
                remove(old)
    finally:
        lock.release()


def _take_old_lock(vault: Vault, old: Path, content: str, deadline: float, wait: float) -> None:
    while True:
        try:
            create_exclusive(old, content.encode())
            return
        except FileExistsError:
            pass
        if _drop_if_stale(old):
            continue
        if time.monotonic() >= deadline:
            raise LockBusy(_busy_message(vault, old, wait))
        time.sleep(_POLL_SECONDS)


def _drop_if_stale(old: Path) -> bool:
    """Removes a `.lock` whose owner is dead; True where the caller should try again at once.

    It is renamed first and looked at again, so that a lock taken meanwhile is put back and never lost.
    """
    seen = _read(old)
    if seen is None:
        return not os.path.lexists(old)
    if not _is_stale(old, seen):
        return False
    aside = old.with_name(f".lock.{random.token_hex(6)}")
    try:
        os.rename(old, aside)
    except OSError:
        return True
    if _read(aside) != seen:
        with suppress(OSError):
            os.link(aside, old)
    remove(aside)
    return True


def left_behind(vault: Vault) -> str:
    """What a `.lock` whose owner is dead says of it, `""` where none stands or its owner lives."""
    old = vault.folder / ".lock"
    seen = _read(old)
    if seen is None:
        return ""
    pid = _fields(seen).get("pid", "")
    alive = pid.isascii() and pid.isdigit() and process_is_alive(int(pid))
    return "" if alive or not (pid or _is_stale(old, seen)) else seen.strip() or "?"


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def _is_stale(path: Path, content: str) -> bool:
    fields = _fields(content)
    if "for" in fields:  # one of ours: whoever wrote it held the file lock that we hold now, so it was killed
        return True
    pid = fields.get("pid", "")
    if pid.isascii() and pid.isdigit():
        return not process_is_alive(int(pid))
    try:
        return time.time() - path.stat().st_mtime > STALE_SECONDS
    except OSError:
        return False


def _fields(content: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in content.split() if "=" in part)


def _busy_message(vault: Vault, old: Path, wait: float) -> str:
    fields = _fields(_read(old) or "")
    holder = f"process {fields['pid']}" if "pid" in fields else "another process"
    purpose = f" ({fields['for'].replace('_', ' ')})" if "for" in fields else ""
    return (
        f"the vault {vault.folder} is being written by {holder}{purpose}; waited {wait:g} s. "
        f"Try again when it is done; if no such process runs, remove {old}"
    )
