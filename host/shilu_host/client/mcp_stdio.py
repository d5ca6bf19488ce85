"""The MCP server on standard input and output: `python -S -E mcp_stdio.py [--vault V]`.

Answers the handshake and the lists by itself, so that it is there in milliseconds; asks the daemon for the
rest,
and starts it where it is absent. A message that is malformed, huge or no Unicode gets an error, and the
server lives on; it ends when its input ends.
"""

from __future__ import annotations

import os
import sys

if not __package__:  # run as a file
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import json

from shilu_host.client import call as daemon
from shilu_host.client import hook
from shilu_host.mcp import protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

CALL_SECONDS = 25.0  # the limit that the old plug-in gave a call
_CHUNK = 1 << 16


class Remote:
    """The daemon as a peer's backend."""

    def __init__(self, call: hook.Call) -> None:
        self._call = call

    def call(self, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        try:
            status, body = self._ask("POST", f"/tool/{name}", json.dumps(arguments).encode())
        except daemon.NoDaemon as error:
            return str(error), True
        answer = decoded(body)
        return str(answer.get("text") or answer.get("error") or f"the daemon said {status}"), status != 200

    def notes(self) -> list[dict[str, str]]:
        try:
            status, body = self._ask("GET", "/notes")
        except daemon.NoDaemon as error:
            raise protocol.Refused(protocol.INTERNAL_ERROR, str(error)) from None
        return list(decoded(body)["notes"]) if status == 200 else []

    def read(self, note: str) -> str:
        try:
            status, body = self._ask("POST", "/show", json.dumps({"doc": note}).encode())
        except daemon.NoDaemon as error:
            raise protocol.Refused(protocol.INTERNAL_ERROR, str(error)) from None
        answer = decoded(body)
        if status != 200:
            raise protocol.Refused(protocol.INVALID_PARAMS, str(answer.get("error", f"the daemon said {status}")))
        return str(answer["text"])

    def _ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        return daemon.request(self._call, method, path, body, wait=CALL_SECONDS)


def decoded(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def messages(descriptor: int) -> Iterator[bytes | None]:
    """Lines of a stream, without line ends; None for a line past the limit, which is read over."""
    kept: list[bytes] = []
    size = 0
    while chunk := os.read(descriptor, _CHUNK):
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            fits = size + len(part) <= protocol.MESSAGE_BYTES
            yield b"".join([*kept, part]) if fits else None
            kept, size = [], 0
        size += len(rest)
        if size > protocol.MESSAGE_BYTES:
            kept = []
        elif rest:
            kept.append(rest)
    if kept:
        yield b"".join(kept)


def write(descriptor: int, message: dict[str, Any]) -> None:
    data = json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"
    while data:
        data = data[os.write(descriptor, data) :]


def serve(call: hook.Call) -> None:
    """Answers messages until the input ends or the reader of our output has gone."""
    peer = protocol.Peer(Remote(call))
    for line in messages(0):
        if line is None:
            limit = f"the message is longer than {protocol.MESSAGE_BYTES} bytes"
            answer: dict[str, Any] | None = protocol.failure(None, protocol.INVALID_REQUEST, limit)
        elif not line.strip():
            continue
        else:
            answer = peer.handle_bytes(line)
        if answer is not None:
            try:
                write(1, answer)
            except BrokenPipeError:
                return


def main(arguments: list[str]) -> None:
    try:  # noqa: SIM105 - contextlib would be one import more
        serve(hook.Call(arguments))
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main(sys.argv[1:])
