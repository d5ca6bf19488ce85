"""A line channel to a provider: its process, or anything else that takes and gives lines."""

from __future__ import annotations

import queue
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Protocol

EXIT_SECONDS = 4.0  # the surface's own bound for the end after input closed


class Silent(Exception):
    """No line came within the limit, or the provider ended."""


class Channel(Protocol):
    """What a client needs: lines out, lines in."""

    def send(self, line: bytes) -> None: ...

    def receive(self, seconds: float) -> bytes:
        """The next line with its end; raises Silent."""
        ...


class Process:
    """A provider's process. Its standard error goes nowhere unless `stderr` says so."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=None if environment is None else dict(environment),
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def send(self, line: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except OSError as error:
            raise Silent("the provider does not take input any more") from error

    def receive(self, seconds: float) -> bytes:
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise Silent(f"the provider said nothing for {seconds:g} s") from None
        if not line:
            raise Silent("the provider ended")
        return line

    def close(self) -> int | None:
        """Closes the input and waits; the exit status, or None where the provider had to be killed."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            status: int | None = self._process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            status = None
            self._process.kill()
            self._process.wait()
        self._reader.join(EXIT_SECONDS)
        self._process.stdout.close()
        return status

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")
