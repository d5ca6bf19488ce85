"""JSON-RPC in one POST: each body is one request, each answer its reply; the vault's own store, nothing else.

`initialize` opens a session whose id the answer names; without one a request runs in the session that all callers
of the token share. Nobody waits in a POST, so that an `ask` always goes to the list of what waits for a person.
"""

from __future__ import annotations

import secrets as random
import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from shilu_host.rpc import messages
from shilu_host.rpc.further import MmMethods
from shilu_host.rpc.messages import Message
from shilu_host.rpc.opening import V1, Opener
from shilu_host.rpc.server import INITIALIZE, Server

SESSIONS_LIMIT = 32  # sessions kept; the one used longest ago is closed first
SHARED = ""  # the session of requests that name none


@dataclass
class _Line:
    """A server and the messages it has said since it was last listened to."""

    said: list[Message] = field(default_factory=list)
    server: Server | None = None


class PostedRpc:
    """Serves posted requests, one at a time. `opener` must not be one that opens standalone stores."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._lines: OrderedDict[str, _Line] = OrderedDict()
        self._lock = threading.Lock()

    def answer(self, body: bytes, session: str = SHARED) -> tuple[bytes, str]:
        """The reply to one request, as a line, and the session it ran in; b"" where there is nothing to say."""
        with self._lock:
            named = self._new_session() if _is_initialize(body) else session
            line = self._line(named)
            if line is None:
                refused = messages.failure(_id(body), messages.INVALID_REQUEST, "no such session; initialize again")
                return messages.write(refused), session
            assert line.server is not None
            line.said.clear()
            line.server.receive(body)
            replies = [message for message in line.said if "method" not in message]
            return (messages.write(replies[-1]) if replies else b""), named

    def close(self) -> None:
        with self._lock:
            for line in self._lines.values():
                assert line.server is not None
                line.server.close()
            self._lines.clear()

    def _new_session(self) -> str:
        named = random.token_hex(8)
        self._lines[named] = self._started()
        while len(self._lines) > SESSIONS_LIMIT:
            _, oldest = self._lines.popitem(last=False)
            assert oldest.server is not None
            oldest.server.close()
        return named

    def _line(self, named: str) -> _Line | None:
        if named == SHARED and SHARED not in self._lines:
            line = self._started()
            assert line.server is not None
            line.server.receive(messages.write({"id": 0, "method": INITIALIZE, "params": {"protocol": V1}}))
            if "error" in line.said[-1]:
                line.server.close()
                return line  # it says so to every request, and is tried again with the next one
            self._lines[SHARED] = line
        if named in self._lines:
            self._lines.move_to_end(named)
        return self._lines.get(named)

    def _started(self) -> _Line:
        line = _Line()
        line.server = Server(line.said.append, self._opener, MmMethods())
        return line


def _is_initialize(body: bytes) -> bool:
    try:
        message = messages.read(body)
    except messages.Refused:
        return False
    return isinstance(message, messages.Request) and message.method == INITIALIZE


def _id(body: bytes) -> messages.Id | None:
    try:
        message = messages.read(body)
    except messages.Refused as refused:
        return refused.request_id
    return message.id if isinstance(message, messages.Request) else None
