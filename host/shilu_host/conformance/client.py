"""A client of the JSON-RPC surface: calls, parked writes, approvals, events; strict about what it is sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from shilu_host.conformance.channel import Channel

REPLY_SECONDS = 20.0
ALLOWED = "allowed-once"

Json = dict[str, Any]
Approver = Callable[[Json], str | None]


class Failure(Exception):
    """An error reply: `code` is the protocol's code, or the number of a standard one."""

    def __init__(self, error: Json) -> None:
        data = error.get("data") or {}
        self.code = data.get("code", error.get("code"))
        self.details = data.get("details", {})
        super().__init__(f"{self.code}: {error.get('message')}")


class Violation(Exception):
    """The provider broke the transport's rules."""


def allow(ask: Json) -> str:
    return ALLOWED


def park(ask: Json) -> None:
    """Leaves the ask unanswered; the test answers it later."""
    return None


class Client:
    """One connection. `approver` answers asks as they come; None from it leaves the write waiting."""

    def __init__(self, channel: Channel, approver: Approver = allow) -> None:
        self._channel = channel
        self._next = 0
        self._replies: dict[int, Json] = {}
        self._open: set[int] = set()
        self.approver = approver
        self.asks: list[Json] = []
        self.events: list[Json] = []

    def call(self, method: str, params: Json) -> Any:
        """Sends a request and waits for its result; raises Failure for an error reply."""
        return self.wait(self.start(method, params))

    def start(self, method: str, params: Json) -> int:
        """Sends a request and returns its id at once."""
        self._next += 1
        self._open.add(self._next)
        self._send({"id": self._next, "method": method, "params": params})
        return self._next

    def wait(self, request_id: int) -> Any:
        while request_id not in self._replies:
            self._take()
        reply = self._replies.pop(request_id)
        if "error" in reply:
            raise Failure(reply["error"])
        return reply["result"]

    def is_answered(self, request_id: int) -> bool:
        return request_id in self._replies

    def ask_for(self, request_id: int) -> Json:
        """The approval request of a write, waited for."""
        while True:
            for ask in self.asks:
                if ask["params"]["forRequest"] == request_id:
                    return ask
            if request_id in self._replies:
                raise Violation(f"request {request_id} was answered without being asked about")
            self._take()

    def answer(self, ask: Json, outcome: str) -> None:
        self._send({"id": ask["id"], "result": {"outcome": outcome}})

    def answer_raw(self, ask: Json, reply: Json) -> None:
        self._send({"id": ask["id"], **reply})

    def cancel(self, request_id: int) -> None:
        self._send({"method": "$/cancel", "params": {"id": request_id}})

    def raw(self, line: bytes) -> Json:
        """Sends a line as it is and returns the next message."""
        self._channel.send(line + b"\n")
        return self._message()

    def _send(self, message: Json) -> None:
        self._channel.send(json.dumps({"jsonrpc": "2.0", **message}).encode("ascii") + b"\n")

    def _take(self) -> None:
        message = self._message()
        if "method" not in message:
            self._take_reply(message)
        elif message["method"] == "approval/ask":
            self.asks.append(message)
            outcome = self.approver(message["params"])
            if outcome is not None:
                self.answer(message, outcome)
        elif message["method"] == "session/event":
            self.events.append(message["params"])
        else:
            raise Violation(f"unexpected message {message['method']!r}")

    def _take_reply(self, message: Json) -> None:
        request_id = message.get("id")
        if request_id not in self._open or ("error" in message) == ("result" in message):
            raise Violation(f"not a reply to an open request: {str(message)[:200]}")
        self._open.remove(request_id)
        self._replies[request_id] = message

    def _message(self) -> Json:
        line = self._channel.receive(REPLY_SECONDS)
        if not line.endswith(b"\n") or line.endswith(b"\r\n") or line.startswith(b"\xef\xbb\xbf"):
            raise Violation(f"a line must end in LF alone and have no byte-order mark: {line[:80]!r}")
        try:
            message = json.loads(line.decode("utf-8"))
        except ValueError as error:
            raise Violation(f"standard output carries something else than messages: {line[:80]!r}") from error
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            raise Violation(f"not a JSON-RPC 2.0 message: {line[:80]!r}")
        return message
