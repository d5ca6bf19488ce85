"""Where the daemon's files stand, and what it says about itself there."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from shilu_core.files import make_folder, remove, replace_whole

SOCKET_BYTES = 100  # sun_path holds 108 bytes on Linux, 104 on macOS, the closing zero included


@dataclass(frozen=True)
class Pointer:
    """What a client needs to reach the daemon; `socket` is empty where there are none, `port` 0 where HTTP
    is off."""

    socket: str
    port: int
    token: str  # hook-only
    limit_ms: int
    pid: int
    vault: str
    folder: str = ""  # the vault's state folder, where the full token stands for who may read it

    def to_text(self) -> str:
        rows = {
            "socket": self.socket,
            "port": self.port,
            "token": self.token,
            "limit-ms": self.limit_ms,
            "pid": self.pid,
            "vault": self.vault,
            "folder": self.folder,
        }
        return "".join(f"{name} {value}\n" for name, value in rows.items())


@dataclass(frozen=True)
class Places:
    """The daemon's files for one vault: below `state`, which all vaults share, and `vault_state`."""

    state: Path
    vault_state: Path

    @property
    def pointer(self) -> Path:
        return self.vault_state / "daemon"

    @property
    def default_pointer(self) -> Path:
        """The same for clients that name no vault; belongs to the daemon of the configured vault."""
        return self.state / "daemon"

    @property
    def lock(self) -> Path:
        return self.vault_state / "daemon.lock"

    @property
    def tokens(self) -> Path:
        return self.vault_state / "tokens.json"

    @property
    def port(self) -> Path:
        """The port that was free last time, so that a configured URL stays true."""
        return self.vault_state / "port"


def socket_path(places: Places) -> Path | None:
    """Where to listen: beside the ledger or, where that path is too long, in a private folder of this user's.

    None where there is no such place; clients come by HTTP then.
    """
    if sys.platform == "win32":
        return None
    near = places.vault_state / "daemon.sock"
    if _fits(near):
        return near
    name = f"{places.vault_state.name[:16]}.sock"
    own = f"shilu-{os.getuid()}"
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folders = [Path(runtime) / "shilu"] if runtime else []
    folders += [Path(tempfile.gettempdir()) / own, Path("/tmp") / own]
    return next((folder / name for folder in folders if _fits(folder / name) and _is_private(folder)), None)


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) <= SOCKET_BYTES


def _is_private(folder: Path) -> bool:
    """Whether the folder is this user's alone; it is made where it is missing."""
    try:
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def forget(places: Places, vault: str) -> None:
    """Removes what a daemon of this vault left that was killed: its process number may be another program's by now."""
    remove(places.pointer)
    found = read_pointer(places.default_pointer)
    if found is not None and found.vault == vault:
        remove(places.default_pointer)


def announce(places: Places, pointer: Pointer, *, is_default: bool) -> None:
    """Tells clients where this daemon listens."""
    make_folder(places.vault_state, private=True)
    replace_whole(places.pointer, pointer.to_text().encode("utf-8", "surrogateescape"), private=True)
    if is_default:
        replace_whole(places.default_pointer, pointer.to_text().encode("utf-8", "surrogateescape"), private=True)


def withdraw(places: Places, pid: int) -> None:
    """Removes what `announce` wrote, where it is still of this process."""
    for path in (places.pointer, places.default_pointer):
        found = read_pointer(path)
        if found is not None and found.pid == pid:
            remove(path)


def read_pointer(path: Path) -> Pointer | None:
    """What a daemon wrote there; None where nothing readable stands."""
    try:
        lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        rows = dict(line.split(" ", 1) for line in lines)
        return Pointer(
            rows["socket"],
            int(rows["port"]),
            rows["token"],
            int(rows["limit-ms"]),
            int(rows["pid"]),
            rows["vault"],
            rows.get("folder", ""),
        )
    except (OSError, ValueError, KeyError):
        return None
