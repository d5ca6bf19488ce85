"""The server: handles one message at a time, in arrival order, and parks each write that waits for its
approval.

A parked write is a suspended generator: it holds no lock and no transaction, so that reads, other writes and
cancellations go on meanwhile (transport rule 5).
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from shilu_core.errors import ShiluError

from shilu_host.protocol.approvals import CANCELLED, UNAVAILABLE, Ask, read_outcome
from shilu_host.protocol.pipeline import Steps
from shilu_host.protocol.provider import READS, WRITES
from shilu_host.rpc import messages, opening
from shilu_host.rpc.messages import Id, Message, Notification, Refused, Reply, Request

INITIALIZE = "initialize"
CANCEL = "$/cancel"


class Methods(Protocol):
    """Further methods that one connection serves (mm's); `close` ends what they hold."""

    @property
    def table(self) -> Mapping[str, Callable[[Mapping[str, Any]], Any]]: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Parked:
    """A write that waits: whose it is, and how it goes on."""

    request_id: Id
    steps: Steps


class Server:
    """One connection. `send` takes each outgoing message; `receive` is called with each line."""

    def __init__(self, send: Callable[[Message], None], opener: opening.Opener, methods: Methods) -> None:
        self._send = send
        self._opener = opener
        self._methods = methods
        self._session: opening.Session | None = None
        self._parked: dict[str, Parked] = {}
        self._asked = 0

    def receive(self, line: bytes) -> None:
        """Handles one line; whatever it holds, the server lives on."""
        try:
            message = messages.read(line)
        except Refused as refused:
            self._send(messages.failure(refused.request_id, refused.code, str(refused)))
            return
        if isinstance(message, Request):
            self._answer(message)
        elif isinstance(message, Reply):
            self._resume(message.id, read_outcome(_outcome(message.result)))
        else:
            self._heed(message)

    def close(self) -> None:
        """Ends every waiting write, since nobody can answer any more, and closes the store."""
        for asked in list(self._parked):
            self._resume(asked, UNAVAILABLE)
        self._methods.close()
        if self._session is not None:
            self._session.close()

    def _answer(self, request: Request) -> None:
        try:
            self._serve(request)
        except Exception as error:
            self._send(self._failure(request.id, error))

    def _serve(self, request: Request) -> None:
        if request.method == INITIALIZE:
            self._send(messages.result(request.id, self._initialize(request)))
        elif request.method not in self._served():
            known = self._session is not None or request.method in self._all_methods()
            text = "initialize first" if self._session is None and known else f"no method {request.method!r} is served"
            code = messages.INVALID_REQUEST if self._session is None and known else messages.NO_METHOD
            raise Refused(code, text, request.id)
        elif request.method in WRITES:
            self._write(request)
        else:
            self._send(messages.result(request.id, self._read(request)))

    def _initialize(self, request: Request) -> Message:
        if self._session is not None:
            raise Refused(messages.INVALID_REQUEST, "this connection is initialized already", request.id)
        self._session = self._opener.open(request.params, self._tell)
        return {**self._session.greeting, "methods": self._served()}

    def _served(self) -> list[str]:
        if self._session is None:
            return []
        table = list(self._methods.table)
        return [INITIALIZE, *table] if self._session.provider is None else [INITIALIZE, CANCEL, *WRITES, *READS, *table]

    def _all_methods(self) -> list[str]:
        return [*WRITES, *READS, *self._methods.table]

    def _read(self, request: Request) -> Any:
        provider = self._session.provider if self._session else None
        if provider is not None and request.method in READS:
            return READS[request.method](provider, request.params)
        if request.method == CANCEL:
            raise Refused(messages.INVALID_REQUEST, "$/cancel is a notification", request.id)
        return self._methods.table[request.method](request.params)

    def _write(self, request: Request) -> None:
        if any(_same(parked.request_id, request.id) for parked in self._parked.values()):
            raise Refused(messages.INVALID_REQUEST, "a write with this id waits already", request.id)
        assert self._session is not None and self._session.provider is not None
        self._go_on(request.id, self._session.provider.begin(request.method, request.params), None, request)

    def _go_on(self, request_id: Id, steps: Steps, outcome: str | None, request: Request | None = None) -> None:
        """Runs a write to its next ask, which parks it, or to its end, which is its reply."""
        try:
            ask = next(steps) if outcome is None else steps.send(outcome)
        except StopIteration as stop:
            self._send(messages.result(request_id, opening.change(stop.value)))
        except Exception as error:
            self._send(self._failure(request_id, error))
        else:
            self._park(request_id, steps, ask, request)

    def _park(self, request_id: Id, steps: Steps, ask: Ask, request: Request | None) -> None:
        assert self._session is not None
        if self._session.file_ask is not None and request is not None:
            self._session.file_ask(request.method, request.params, ask)
            self._go_on(request_id, steps, UNAVAILABLE)
            return
        self._asked += 1
        asked = f"s{self._asked}"
        self._parked[asked] = Parked(request_id, steps)
        params = {"forRequest": request_id, "via": ask.via, **ask.payload(), "reason": ask.reason}
        self._send({"id": asked, "method": "approval/ask", "params": params})

    def _resume(self, asked: object, outcome: str) -> None:
        """Takes the answer to one of our asks; one that comes late finds nothing and is ignored."""
        parked = self._parked.pop(asked, None) if isinstance(asked, str) else None
        if parked is not None:
            self._go_on(parked.request_id, parked.steps, outcome)

    def _heed(self, notification: Notification) -> None:
        if notification.method != CANCEL:
            return
        wanted = notification.params.get("id")
        for asked, parked in list(self._parked.items()):
            if _same(parked.request_id, wanted):
                self._resume(asked, CANCELLED)

    def _tell(self, session_id: str, kind: str, data: Message) -> None:
        self._send({"method": "session/event", "params": {"type": kind, "sessionId": session_id, "data": data}})

    def _failure(self, request_id: Id, error: Exception) -> Message:
        if isinstance(error, Refused):
            return messages.failure(request_id, error.code, str(error))
        named = self._session.named(error) if self._session else error
        code = getattr(named, "code", None)
        if isinstance(named, ShiluError) and isinstance(code, str):
            details = getattr(named, "details", {})
            return messages.failure(request_id, messages.DOMAIN, str(named), {"code": code, "details": details})
        traceback.print_exception(error, file=sys.stderr)
        return messages.failure(request_id, messages.INTERNAL, f"internal error ({type(error).__name__})")


def _outcome(answer: object) -> object:
    return answer.get("outcome") if isinstance(answer, dict) else None


def _same(first: object, second: object) -> bool:
    return first == second and isinstance(first, str) == isinstance(second, str) and not isinstance(second, bool)
