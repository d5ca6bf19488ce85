"""What differs between operating systems, behind one set of names."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import lru_cache
from pathlib import Path

WINDOWS = sys.platform == "win32"
_RENAME_EXCHANGE = 2  # the same number in Linux's renameat2(2) and in macOS's renamex_np(2)
_AT_FDCWD = -100


def exchange(first: Path, second: Path) -> bool:
    """Swaps the names of two files in one step; False where the system or the file system can't."""
    call = _exchange_call()
    return bool(call and call(os.fsencode(first), os.fsencode(second)))


@lru_cache(maxsize=1)
def _exchange_call():  # type: ignore[no-untyped-def]  # a ctypes function, by platform
    if WINDOWS:
        return None
    library = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin" and hasattr(library, "renamex_np"):
        return lambda a, b: library.renamex_np(a, b, _RENAME_EXCHANGE) == 0
    if hasattr(library, "renameat2"):
        return lambda a, b: library.renameat2(_AT_FDCWD, a, _AT_FDCWD, b, _RENAME_EXCHANGE) == 0
    return None


def file_identity(path: Path) -> tuple[int, int]:
    """Device and inode: another pair once another file stands at `path`, zeros where none does."""
    try:
        status = path.stat()
    except OSError:
        return (0, 0)
    return (status.st_dev, status.st_ino)


def sync_folder(folder: Path) -> None:
    """Makes renames in `folder` durable; nothing to do on Windows."""
    if WINDOWS:
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # some file systems can't sync a folder; the rename itself stays atomic
    finally:
        os.close(descriptor)


def process_is_alive(pid: int) -> bool:
    """Whether a process with this id runs; in doubt True, since a live owner must never be robbed."""
    if pid <= 0:
        return False
    if WINDOWS:
        return _windows_process_is_alive(pid)
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):  # no system has process ids that large
        return False
    except OSError:
        return True
    return True


def _windows_process_is_alive(pid: int) -> bool:
    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore]
    handle = kernel.OpenProcess(0x1000, False, pid)  # PROCESS_QUERY_LIMITED_INFORMATION
    if not handle:
        return bool(kernel.GetLastError() == 5)  # ERROR_ACCESS_DENIED: it runs, as somebody else
    code = ctypes.c_ulong()
    kernel.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel.CloseHandle(handle)
    return code.value == 259  # STILL_ACTIVE
