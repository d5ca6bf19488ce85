"""One file that an agent program reads and we add to: how it is read, what may be touched, how it is
replaced."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from shilu_setup.errors import Malformed, SetupError, SetupUsageError
from shilu_setup.folders import Home
from shilu_setup.formats import jsonspans

LARGEST = 8 * 1024 * 1024
"""Bytes of a configuration file that is still read; the largest seen in real homes is under 1 MB."""


@dataclass(frozen=True)
class Snapshot:
    """A file as read once: its real place, its bytes (None where it does not exist) and its permission
    bits."""

    path: Path
    data: bytes | None
    mode: int

    @property
    def text(self) -> str:
        """The content without newline translation. Raises `Malformed` where it is not UTF-8."""
        try:
            return (self.data or b"").decode("utf-8")
        except UnicodeDecodeError as error:
            raise Malformed(f"{self.path}: not UTF-8 at byte {error.start}; it is left alone") from None


def digest(data: bytes | None) -> str:
    """sha256 in hex; empty for a file that does not exist."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


def read(path: Path) -> Snapshot:
    """The file behind the path, links followed. Raises `SetupError` for what is no plain readable file."""
    real = resolve(path)
    try:
        status = real.stat()
        if not stat.S_ISREG(status.st_mode):
            raise SetupError(f"{path}: is no plain file; it is left alone")
        if status.st_size > LARGEST:
            raise SetupError(f"{path}: has {status.st_size} bytes, more than {LARGEST}; it is left alone")
        return Snapshot(real, real.read_bytes(), stat.S_IMODE(status.st_mode))
    except FileNotFoundError:
        return Snapshot(real, None, 0o600)
    except OSError as error:
        raise SetupError(f"{path}: cannot be read ({error.strerror})") from None


def resolve(path: Path) -> Path:
    """The path with links followed. Raises `SetupError` for a loop."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        raise SetupError(f"{path}: its links lead in a circle") from None


def require_writable(home: Home, path: Path, snapshot: Snapshot) -> None:
    """Raises `SetupError` where the file must not or cannot be written; looks only."""
    if not home.holds(path):
        where = f" (a link to {snapshot.path})" if snapshot.path != path else ""
        raise SetupUsageError(f"{path}{where}: lies outside the home {home.path}; it is left alone")
    if snapshot.data is not None and not snapshot.mode & stat.S_IWUSR:
        raise SetupError(f"{path}: is read-only; make it writable (chmod u+w) and run again")
    folder = _nearest(snapshot.path.parent)
    if not folder.is_dir():
        raise SetupError(f"{path}: {folder} is no folder")
    if not folder.stat().st_mode & stat.S_IWUSR or not os.access(folder, os.W_OK):
        raise SetupError(f"{path}: the folder {folder} is read-only; make it writable and run again")


def missing_folders(folder: Path) -> list[Path]:
    """The folders that would have to be made, outermost first."""
    missing: list[Path] = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    return missing[::-1]


def sibling_of(path: Path, mark: str) -> Path:
    """The temporary file beside the path; a run's mark in it tells whose it is."""
    return path.with_name(f".{path.name}.shilu-{mark}.tmp")


def prepare(path: Path, data: bytes, mode: int, mark: str) -> Path:
    """The new content in a sibling file, on the disk. Raises `SetupError`; leaves nothing behind then."""
    sibling = sibling_of(path, mark)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(sibling, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(sibling, mode)
        _keep_owner(sibling, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            sibling.unlink()
        raise SetupError(f"{path}: {_why(error)}; nothing was changed") from None
    return sibling


def _keep_owner(sibling: Path, path: Path) -> None:
    """The file's owner for its new content, too: an administrator who wires another home must not take it over."""
    owner = _nearest(path).stat()
    if hasattr(os, "chown") and (owner.st_uid, owner.st_gid) != (sibling.stat().st_uid, sibling.stat().st_gid):
        with contextlib.suppress(PermissionError):
            os.chown(sibling, owner.st_uid, owner.st_gid)


def replace(sibling: Path, path: Path) -> None:
    """The prepared content in the file's place, in one step."""
    try:
        os.replace(sibling, path)
    except OSError as error:
        raise SetupError(f"{path}: cannot be replaced ({error.strerror})") from None
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Makes a rename last; where the system cannot, the rename is atomic all the same."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write(path: Path, data: bytes, mode: int, mark: str) -> None:
    """The file replaced whole."""
    replace(prepare(path, data, mode, mark), path)


def write_private(path: Path, data: bytes, mark: str) -> None:
    """One of our own files (journal, backup), readable by its owner only, replaced whole."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise SetupError(f"{path}: {_why(error)}; nothing was changed") from None
    write(path, data, 0o600, mark)


def json_value(path: Path, keys: tuple[str, ...]) -> object:
    """The value at that place of a JSON file; None where it is missing."""
    snapshot = read(path)
    value: object = jsonspans.read(snapshot.text).value if snapshot.text.strip() else None
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _nearest(folder: Path) -> Path:
    while not folder.exists():
        folder = folder.parent
    return folder


def _why(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full"
    return f"cannot be written ({error.strerror})"
