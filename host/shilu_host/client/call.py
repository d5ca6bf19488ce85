"""One request to the daemon from a process that may wait for it to start; standard library only."""

from __future__ import annotations

import os
import sys
import time

sys.path[:0] = [] if __package__ else [os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))]

from shilu_host.client import hook  # noqa: E402

START_SECONDS = 20.0  # a cold start with an embedder and a large index, on a busy machine
_POLL_SECONDS = 0.05


class NoDaemon(Exception):
    """Nobody answered in time; the message says what to do."""


def request(
    call: hook.Call, method: str, path: str, body: bytes = b"", *, wait: float = START_SECONDS
) -> tuple[int, bytes]:
    """Status and body of the daemon's answer; starts it where it is absent and waits up to `wait` seconds."""
    deadline = time.monotonic() + wait
    while True:
        pointer = hook.pointer_of(call)
        try:
            if pointer:
                status, answer = _once(call, pointer, method, path, body, deadline)
                if status != 409:  # the daemon of another vault, since the configuration changed
                    return status, answer
        except (OSError, hook.Quiet) as error:
            if isinstance(error, TimeoutError):
                raise NoDaemon(
                    f"the memory daemon did not answer within {wait:.0f} s; see: shilu daemon status"
                ) from None
        if time.monotonic() >= deadline:
            raise NoDaemon(f"the memory daemon did not start within {wait:.0f} s; see: shilu daemon status")
        hook.start_daemon(call)
        time.sleep(_POLL_SECONDS)


def ask_running(call: hook.Call, method: str, path: str, body: bytes = b"", *, wait: float) -> tuple[int, bytes]:
    """As `request`, for a daemon that runs already: starts none; raises NoDaemon."""
    pointer = hook.pointer_of(call)
    try:
        if pointer:
            return _once(call, pointer, method, path, body, time.monotonic() + wait)
    except (OSError, hook.Quiet) as error:
        raise NoDaemon(f"the memory daemon does not answer ({error}); see: shilu daemon status") from None
    raise NoDaemon("no memory daemon runs; start it: shilu daemon start")


def _once(
    call: hook.Call, pointer: dict[str, str], method: str, path: str, body: bytes, deadline: float
) -> tuple[int, bytes]:
    connection, opening = hook.connect(pointer)
    if opening:  # by HTTP: the pointer's own token is for hooks alone
        opening = f"Authorization: Bearer {_full_token(pointer)}\r\n"
    try:
        connection.settimeout(max(0.1, deadline - time.monotonic()))
        lines = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        lines += f"Connection: close\r\n{opening}"
        if call.vault:
            lines += hook.header("X-Shilu-Vault", os.path.abspath(os.path.expanduser(call.vault)))
        connection.sendall(f"{lines}Content-Length: {len(body)}\r\n\r\n".encode("latin-1") + body)
        status, _, answer = hook.read_answer(connection)
        return status, answer
    finally:
        connection.close()


def _full_token(pointer: dict[str, str]) -> str:
    with open(os.path.join(pointer.get("folder", ""), "token"), encoding="ascii") as stream:
        return stream.read(1000).strip()
