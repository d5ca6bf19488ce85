"""One deployer at a time in a home: a lock that the system lets go when its holder dies."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from shilu_setup.errors import SetupError
from shilu_setup.folders import Home

WAIT_SECONDS = 5.0
"""How long another deployer is waited for; an apply takes well under a second, without commands."""


@contextmanager
def only_one(home: Home, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Holds the home's lock. Raises `SetupError` naming the holder when it stays taken."""
    path = home.state / "setup" / "lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = open(path, "a+b")  # noqa: SIM115 - closed below, the lock lives as long as it
    except OSError as error:
        raise SetupError(f"{path}: cannot be opened ({error.strerror}); nothing was changed") from None
    with file:
        _take(file, path, time.monotonic() + wait)
        with suppress(OSError):  # a full disk must not keep anyone from rolling back
            os.ftruncate(file.fileno(), 0)
            os.write(file.fileno(), str(os.getpid()).encode())
        yield


def _take(file: IO[bytes], path: Path, until: float) -> None:
    while not _locked(file):
        if time.monotonic() > until:
            holder = path.read_bytes().decode("ascii", "replace").strip() or "unknown"
            raise SetupError(f"another deployer (process {holder}) holds {path}; nothing was changed, try again later")
        time.sleep(0.05)


def _locked(file: IO[bytes]) -> bool:
    """One try. On Windows a byte far behind the text is locked, so that the holder's id stays readable."""
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(1 << 20)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
