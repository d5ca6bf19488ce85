"""MCP's streamable HTTP: one POST, one JSON answer, no sessions and no streams of our own.

https://modelcontextprotocol.io/specification: a server without notifications may answer GET with 405, and one
without sessions gives no `Mcp-Session-Id`. 2026-07-28 repeats version, method and name in headers, which
must agree.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from shilu_host.daemon.tools import Tools, ToolsOf
from shilu_host.mcp import protocol

_STATUS = {
    protocol.PARSE_ERROR: 400,
    protocol.INVALID_REQUEST: 400,
    protocol.INVALID_PARAMS: 400,
    protocol.HEADER_MISMATCH: 400,
    protocol.UNSUPPORTED_VERSION: 400,
    protocol.METHOD_NOT_FOUND: 404,
}
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class McpRoute:
    """The route `/mcp`."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def handle(self, request: Request) -> Response:
        if request.method != "POST":
            return Response(status_code=405, headers={"allow": "POST"})
        peer = protocol.Peer(ToolsOf(self._tools, request.state.bearer.agent))
        try:
            message: Any = json.loads(request.state.body.decode("utf-8"))
        except (ValueError, RecursionError):
            return _answered(protocol.failure(None, protocol.PARSE_ERROR, "the body is no JSON"), modern=True)
        params = message.get("params") if isinstance(message, dict) else None
        modern = isinstance(params, dict) and protocol.is_modern(params)
        if refused := _headers_differ(request, message, modern):
            return _answered(refused, modern=True)
        reply = await run_in_threadpool(peer.handle, message)
        return Response(status_code=202) if reply is None else _answered(reply, modern=modern)


def _answered(reply: dict[str, Any], *, modern: bool) -> Response:
    code = reply.get("error", {}).get("code")
    status = _STATUS.get(code, 200) if modern or reply.get("id") is None else 200
    return Response(json.dumps(reply).encode(), status, {"cache-control": "no-store"}, "application/json")


def _headers_differ(request: Request, message: Any, modern: bool) -> dict[str, Any] | None:
    """The error for headers that don't repeat what the body says; None if they do."""
    version = request.headers.get("mcp-protocol-version")
    known = (*protocol.HANDSHAKE_VERSIONS, *protocol.MODERN_VERSIONS)
    identity = message.get("id") if isinstance(message, dict) else None
    if not modern:
        if version is not None and version not in known:
            data = {"supported": list(known), "requested": version[:80]}
            return protocol.failure(identity, protocol.UNSUPPORTED_VERSION, "this protocol version is not served", data)
        return None
    params, method = message["params"], message.get("method")
    name = params.get(_NAMED.get(str(method), ""))
    agree = (
        version == params["_meta"][protocol.META + "protocolVersion"]
        and request.headers.get("mcp-method") == method
        and (name is None or _decoded(request.headers.get("mcp-name")) == name)
    )
    if agree:
        return None
    return protocol.failure(identity, protocol.HEADER_MISMATCH, "the MCP headers differ from the body")


def _decoded(value: str | None) -> str | None:
    """A header value; `=?base64?...?=` stands for text that a header can't hold."""
    if value is None or not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None
