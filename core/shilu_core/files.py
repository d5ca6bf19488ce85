"""Writing files: the only module of core, inbox and host that does.

Every write is whole or not at all: a temporary sibling, synced, then linked or renamed into place.
"""

from __future__ import annotations

import os
import secrets as random
from collections.abc import Iterable
from pathlib import Path

from shilu_core.platforms import WINDOWS, exchange, process_is_alive, sync_folder

TEMPORARY = ".shilu-tmp-"  # begins the name of every temporary sibling; the writer's process id follows


def make_folder(path: Path, *, private: bool = False) -> None:
    """Makes `path` and its parents; a private folder is for its owner alone (0700)."""
    if path.is_dir():
        return
    path.mkdir(parents=True, exist_ok=True)
    if private:
        os.chmod(path, 0o700)


def create_exclusive(path: Path, data: bytes, *, private: bool = False) -> None:
    """Creates `path` with all of `data`; raises FileExistsError and writes nothing where it stands already."""
    make_folder(path.parent)
    temporary = _write_temporary(path.parent, data, private=private)
    try:
        _publish(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def _publish(temporary: Path, path: Path) -> None:
    if WINDOWS:
        os.rename(temporary, path)  # fails where the target exists
        return
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links: exclusive, though not whole under a power cut
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(temporary.read_bytes())
            stream.flush()
            os.fsync(stream.fileno())


def replace_whole(path: Path, data: bytes, *, private: bool = False) -> None:
    """Puts `data` in the place of `path`, whoever wrote it; readers see the old or the new bytes."""
    make_folder(path.parent)
    temporary = _write_temporary(path.parent, data, private=private)
    try:
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def replace_parts(path: Path, parts: Iterable[bytes | memoryview], *, sync: bool = True) -> None:
    """As `replace_whole` for what is too large to be one bytes object; without `sync` a power cut may lose it."""
    temporary = path.with_name(f"{TEMPORARY}{os.getpid()}-{random.token_hex(8)}")
    try:
        with open(temporary, "wb") as stream:
            for part in parts:
                stream.write(part)
            if sync:
                stream.flush()
                os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def swap(path: Path, data: bytes, kept: Path) -> None:
    """Puts `data` in the place of `path` and keeps the replaced file, the same inode, as `kept`.

    The exchange is one step where the system can, so that `kept` holds whatever stood there at that very
    moment, an editor's newest save included; the caller compares it with what it planned on. Elsewhere the
    old file is linked first. `kept` is on the same file system; raises FileNotFoundError where `path` is gone.
    """
    path = path.resolve()
    make_folder(kept.parent, private=True)
    mode = path.stat().st_mode & 0o7777
    write_whole(kept, data)
    os.chmod(kept, mode)
    if exchange(kept, path):
        sync_folder(path.parent)
        return
    kept.unlink()
    os.link(path, kept)
    replace_whole(path, data)
    os.chmod(path, mode)


def write_whole(path: Path, data: bytes) -> None:
    """Writes and syncs a file that nobody reads yet."""
    with open(path, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def append_line(path: Path, line: str, *, limit: int) -> None:
    """Appends one line to a private log; past `limit` bytes the older half is dropped."""
    make_folder(path.parent, private=True)
    descriptor = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "ab") as stream:
        stream.write(line.rstrip("\n").encode("utf-8", "backslashreplace") + b"\n")
        size = stream.tell()
    if size > limit:
        lines = path.read_bytes().splitlines(keepends=True)
        replace_whole(path, b"".join(lines[len(lines) // 2 :]), private=True)


def remove(path: Path) -> None:
    """Removes a file of our own; one that is gone already is no error."""
    path.unlink(missing_ok=True)


def move_exclusive(source: Path, target: Path) -> None:
    """Moves a file; raises FileExistsError and moves nothing where `target` stands already."""
    make_folder(target.parent)
    if WINDOWS:
        os.rename(source, target)
        return
    try:
        os.link(source, target)
    except FileExistsError:
        if os.path.samefile(source, target):  # a move that was stopped between its two steps
            source.unlink()
            return
        raise
    except OSError:
        create_exclusive(target, source.read_bytes())
    source.unlink()
    sync_folder(target.parent)


def sweep_temporaries(folder: Path) -> None:
    """Removes temporary siblings in `folder` whose writer was killed; those of living processes stay."""
    for path in folder.glob(TEMPORARY + "*"):
        pid = path.name.removeprefix(TEMPORARY).partition("-")[0]
        if not pid.isdigit() or not process_is_alive(int(pid)):
            path.unlink(missing_ok=True)


def _write_temporary(folder: Path, data: bytes, *, private: bool) -> Path:
    path = folder / f"{TEMPORARY}{os.getpid()}-{random.token_hex(8)}"
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if private else 0o644)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path
