"""Killing a process at its nth step: a real fork, a real end of process, no clean-up of any kind.

A step is a call that changes a file (link, rename, exchange, unlink, sync, creation) or a statement that changes
the ledger. A torn death at a sync first cuts the file that is being synced to half its length.
"""

from __future__ import annotations

import builtins
import os
import sqlite3
from collections.abc import Callable
from typing import Any

import shilu_core.files as files
import shilu_core.ledger.store as store

KILLED = 137
FAILED = 9
_CALLS = ("link", "replace", "rename", "unlink", "fsync", "chmod")
_READING = ("SELECT", "PRAGMA", "--")


class _Steps:
    """Counts steps and ends the process before step `last` (0: never)."""

    def __init__(self, last: int, torn: bool) -> None:
        self.count, self.last, self.torn = 0, last, torn

    def step(self, descriptor: int | None = None) -> None:
        self.count += 1
        if self.count == self.last:
            if self.torn and descriptor is not None:
                os.ftruncate(descriptor, os.fstat(descriptor).st_size // 2)
            os._exit(KILLED)


def run(action: Callable[[], object], *, last: int = 0, torn: bool = False) -> tuple[int, int]:
    """Runs `action` in a child that dies before step `last`; returns its exit code and the steps it took."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        code = FAILED
        try:
            steps = _Steps(last, torn)
            _watch(steps)
            action()
            os.write(writer, str(steps.count).encode())
            code = 0
        except BaseException as error:  # the child must never come back into pytest
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        told = stream.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code, int(told or 0)


def _watch(steps: _Steps) -> None:
    for name in _CALLS:
        _watch_call(steps, name)
    exchange, opened, os_open = files.exchange, builtins.open, os.open

    def watched_exchange(*arguments: Any) -> Any:
        steps.step()
        return exchange(*arguments)

    def watched_os_open(path: Any, flags: int, *arguments: Any, **named: Any) -> int:
        if flags & os.O_CREAT:
            steps.step()
        return os_open(path, flags, *arguments, **named)

    def watched_open(file: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        if any(letter in mode for letter in "wax+") and not isinstance(file, int):
            steps.step()
        return opened(file, mode, *arguments, **named)

    files.exchange = watched_exchange
    os.open = watched_os_open  # type: ignore[assignment]
    builtins.open = watched_open  # type: ignore[assignment]
    _watch_ledger(steps)


def _watch_call(steps: _Steps, name: str) -> None:
    call = getattr(os, name)

    def watched(*arguments: Any, **named: Any) -> Any:
        steps.step(arguments[0] if name == "fsync" else None)
        return call(*arguments, **named)

    setattr(os, name, watched)


def _watch_ledger(steps: _Steps) -> None:
    begin = store.Ledger.__init__

    def watched(self: store.Ledger, path: Any, connection: sqlite3.Connection) -> None:
        begin(self, path, connection)
        connection.set_trace_callback(
            lambda statement: None if statement.lstrip().startswith(_READING) else steps.step()
        )

    store.Ledger.__init__ = watched  # type: ignore[method-assign]
