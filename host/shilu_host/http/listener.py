"""The uvicorn server on the unix socket and on loopback, with bounds that uvicorn has none of."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0  # for a request's head to arrive, against slow lorises
TCP_CONNECTIONS = 64  # at once; the unix socket of the hooks is not bounded by what comes over TCP
_STOP_SECONDS = 1
TICK_SECONDS = 0.3

_open_tcp: set[int] = set()


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 that ends connections which say nothing, and takes no more of them than it can bear."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._idle: asyncio.TimerHandle | None = None
        if self.client is not None:
            _open_tcp.add(id(self))
            if len(_open_tcp) > TCP_CONNECTIONS:
                transport.abort()
                return
        self._idle = self.loop.call_later(HEAD_SECONDS, self._end_if_silent)

    def connection_lost(self, exc: Exception | None) -> None:
        _open_tcp.discard(id(self))
        if self._idle is not None:
            self._idle.cancel()
        super().connection_lost(exc)

    def _end_if_silent(self) -> None:
        """Ends a connection that has no request in hand; asked again as long as it lives."""
        waiting = self.cycle is None or self.cycle.response_complete
        if waiting and not self.transport.is_closing():
            self.transport.close()
            return
        self._idle = self.loop.call_later(HEAD_SECONDS, self._end_if_silent)


class Server(uvicorn.Server):
    """A server that leaves signals to the daemon, which has more to end than connections, and sleeps while idle."""

    async def main_loop(self) -> None:
        """Looks whether it is to end; uvicorn's own does so ten times a second, which is half of an idle daemon's CPU."""
        while not self.should_exit:
            await asyncio.sleep(TICK_SECONDS)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def listen_unix(path: Path) -> socket.socket:
    """A private unix socket at `path`; one that a dead daemon left is replaced."""
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    finally:
        os.umask(before)
    os.chmod(path, 0o600)
    listener.listen(128)
    listener.setblocking(False)
    return listener


def listen_loopback(port: int) -> socket.socket:
    """A listener on 127.0.0.1, always; port 0 takes any. Raises OSError where the port is taken."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name != "nt":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError:
        listener.close()
        raise
    listener.listen(64)
    listener.setblocking(False)
    return listener


def server(app: Any) -> Server:
    config = uvicorn.Config(
        app,
        http=BoundedProtocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_STOP_SECONDS,
        h11_max_incomplete_event_size=64 * 1024,
    )
    return Server(config)
