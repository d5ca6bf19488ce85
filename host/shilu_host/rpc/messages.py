"""JSON-RPC 2.0 messages: one object a line, read strictly, written in ASCII so that no separator hides in a
text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
NO_METHOD = -32601
BAD_PARAMS = -32602
INTERNAL = -32603
DOMAIN = -32000

Id = str | int | float
Message = dict[str, Any]


class Refused(Exception):
    """A line or request that breaks the envelope: the standard code, what is wrong, and whose reply it is."""

    def __init__(self, code: int, message: str, request_id: Id | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.request_id = request_id


@dataclass(frozen=True)
class Request:
    id: Id
    method: str
    params: Mapping[str, Any]


@dataclass(frozen=True)
class Notification:
    method: str
    params: Mapping[str, Any]


@dataclass(frozen=True)
class Reply:
    """An answer to a request of ours; `result` is None for an error reply."""

    id: object
    result: Any


def read(line: bytes) -> Request | Notification | Reply:
    """The message of one line; raises Refused. Lone surrogates in `\\u` escapes pass."""
    message = _object(line)
    if "method" not in message:
        if "id" not in message:
            raise Refused(INVALID_REQUEST, "a message has a method, or is a reply with an id")
        return Reply(message["id"], None if "error" in message else message.get("result"))
    request_id = _id(message)
    if message.get("jsonrpc") != "2.0":
        raise Refused(INVALID_REQUEST, 'jsonrpc must be "2.0"', request_id)
    if not isinstance(message["method"], str):
        raise Refused(INVALID_REQUEST, "method must be a string", request_id)
    params = message.get("params", {})
    if not isinstance(params, dict):
        raise Refused(BAD_PARAMS, "params must be an object", request_id)
    return (
        Notification(message["method"], params)
        if request_id is None
        else Request(request_id, message["method"], params)
    )


def write(message: Message) -> bytes:
    """The line of a message."""
    return json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode("ascii") + b"\n"


def result(request_id: Id, value: Any) -> Message:
    return {"id": request_id, "result": value}


def failure(request_id: Id | None, code: int, text: str, data: Mapping[str, Any] | None = None) -> Message:
    error: Message = {"code": code, "message": text}
    if data is not None:
        error["data"] = data
    return {"id": request_id, "error": error}


def _object(line: bytes) -> Message:
    try:
        message = json.loads(line.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Refused(PARSE_ERROR, f"the line is no JSON: {error}") from error
    if not isinstance(message, dict):
        raise Refused(INVALID_REQUEST, "a message is one JSON object; batches are not served")
    return message


def _id(message: Message) -> Id | None:
    """The id of a request; None for a notification."""
    if "id" not in message:
        return None
    request_id = message["id"]
    if isinstance(request_id, bool) or not isinstance(request_id, str | int | float):
        raise Refused(INVALID_REQUEST, "an id is a string or a number")
    return request_id


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")
