"""The stdio loop: reads lines as they come, writes messages as the client takes them, ends when input closes.

Reading and writing are two threads, so that a client which is slow to read never stops the server from
reading.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator

from shilu_core.platforms import WINDOWS

from shilu_host.rpc import messages
from shilu_host.rpc.messages import Message
from shilu_host.rpc.server import Server

CHUNK_BYTES = 1 << 16
DRAIN_SECONDS = 3.0  # for a client that closed its side and may still read: below the protocol's 4 seconds


def serve(make_server: Callable[[Callable[[Message], None]], Server]) -> int:
    """Serves standard input and output until input closes; returns the exit status."""
    output = _own_stdout()
    outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    writer = threading.Thread(target=_write_all, args=(output, outgoing), daemon=True)
    writer.start()
    server = make_server(lambda message: outgoing.put(messages.write(message)))
    for line in _lines(sys.stdin.fileno()):
        server.receive(line)
    server.close()
    outgoing.put(None)
    writer.join(DRAIN_SECONDS)
    return 0


def _own_stdout() -> int:
    """Standard output for messages alone: from here on a stray print goes to standard error."""
    sys.stdout.flush()
    output = os.dup(1)
    os.dup2(2, 1)
    if WINDOWS:
        import msvcrt

        for descriptor in (sys.stdin.fileno(), output):
            msvcrt.setmode(descriptor, os.O_BINARY)  # type: ignore[attr-defined,unused-ignore]
    return output


def _lines(descriptor: int) -> Iterator[bytes]:
    """Non-blank lines without their end, the last one even where its newline is missing."""
    parts: list[bytes] = []
    while chunk := os.read(descriptor, CHUNK_BYTES):
        first, *more = chunk.split(b"\n")
        parts.append(first)
        for piece in more:
            if line := b"".join(parts).strip():
                yield line
            parts = [piece]
    if line := b"".join(parts).strip():
        yield line


def _write_all(output: int, outgoing: queue.SimpleQueue[bytes | None]) -> None:
    while (data := outgoing.get()) is not None:
        try:
            while data:
                data = data[os.write(output, data) :]
        except OSError:
            return  # nobody reads any more; input will close, too
