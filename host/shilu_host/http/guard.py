"""Who may ask: every request is checked for host, origin, token, type and size before a route sees it.

The listener binds loopback, yet a web page in the person's browser reaches it, by DNS rebinding with a host
name of its own and by plain forms: hence the host and origin checks beside the token
(https://owasp.org/www-community/attacks/DNS_Rebinding). The unix socket is private by its file mode.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from shilu_host.http.tokens import Bearer, Tokens

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

BODY_BYTES = 1_000_000
HOOK_BODY_BYTES = 8_000_000  # a prompt may hold a whole file
BODY_SECONDS = 10.0  # for all of a body to arrive
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

# What a token may do besides `full`, which may do all: path prefixes.
ALLOWED: dict[str, tuple[str, ...]] = {
    "hook": ("/hook/", "/shown/"),
    "read": ("/search",),
    "agent": ("/search", "/show", "/submit", "/status", "/preview", "/pending", "/tool/", "/notes", "/mcp"),
}


class Guard:
    """An ASGI layer that refuses what may not pass, and hands the rest on with its bearer and its whole
    body."""

    def __init__(self, app: App, tokens: Tokens, port: Callable[[], int]) -> None:
        self._app, self._tokens, self._port = app, tokens, port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        local = scope.get("client") is None  # came through the unix socket
        bearer = Bearer("full") if local else self._bearer(headers)
        refusal = self._refusal(scope, headers, bearer, local)
        if refusal or bearer is None:
            status, reason = refusal or (401, "a bearer token is needed")
            await _refuse(send, status, reason)
            return
        limit = HOOK_BODY_BYTES if scope["path"].startswith("/hook/") else BODY_BYTES
        try:
            body = await asyncio.wait_for(_body(receive, limit), BODY_SECONDS)
        except TimeoutError:
            await _refuse(send, 408, f"the body did not arrive within {BODY_SECONDS:.0f} s")
            return
        if body is None:
            await _refuse(send, 413, f"the body is longer than {limit} bytes")
            return
        scope["state"] = {**scope.get("state", {}), "bearer": bearer, "local": local, "body": body}
        await self._app(scope, _given(body, receive), send)

    def _bearer(self, headers: dict[str, str]) -> Bearer | None:
        kind, _, token = headers.get("authorization", "").partition(" ")
        return self._tokens.bearer(token.strip()) if kind.lower() == "bearer" else None

    def _refusal(
        self, scope: Scope, headers: dict[str, str], bearer: Bearer | None, local: bool
    ) -> tuple[int, str] | None:
        if not local and not self._is_own_host(headers.get("host", "")):
            return 421, "this host name is not served here"
        if "origin" in headers and not self._is_own_origin(headers["origin"]):
            return 403, "this origin may not ask"
        if bearer is None:
            return 401, "a bearer token is needed; see the file `token` in the state folder"
        if bearer.scope != "full" and not scope["path"].startswith(ALLOWED[bearer.scope]):
            return 403, "this token may not do that"
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if scope["method"] not in ("GET", "HEAD") and kind != "application/json":
            return 415, "the content type must be application/json"
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > HOOK_BODY_BYTES:
            return 413, f"the body is longer than {HOOK_BODY_BYTES} bytes"
        return None

    def _is_own_host(self, host: str) -> bool:
        name, port = _split_host(host)
        return name in LOOPBACK and port in ("", str(self._port()))

    def _is_own_origin(self, origin: str) -> bool:
        parts = urlsplit(origin)
        return parts.scheme == "http" and self._is_own_host(parts.netloc) and _split_host(parts.netloc)[1] != ""


def _split_host(host: str) -> tuple[str, str]:
    if host.startswith("["):
        name, _, port = host.partition("]")
        return name + "]", port.removeprefix(":")
    name, _, port = host.partition(":")
    return name.lower(), port


async def _body(receive: Receive, limit: int) -> bytes | None:
    """The whole body; None where it is longer than `limit`."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b""
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > limit:
            return None
        if not message.get("more_body"):
            return b"".join(parts)


def _given(body: bytes, receive: Receive) -> Receive:
    """A receive that gives the body once and then what comes behind it."""
    waiting = [body]

    async def once() -> MutableMapping[str, Any]:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return once


async def _refuse(send: Send, status: int, reason: str) -> None:
    body = json.dumps({"error": reason}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
