"""The routes: hooks, tools, the JSON API and MCP, for the daemon's one server."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from shilu_core.errors import ShiluError
from shilu_core.recall import Hit, block
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shilu_host.daemon.service import Service
from shilu_host.daemon.tools import Tools
from shilu_host.http.mcp_route import McpRoute
from shilu_host.http.rpc_route import RpcRoute
from shilu_host.http.tokens import Bearer
from shilu_host.turns import dialects

Result = TypeVar("Result")
TURN_MS = 1500  # where a client tells no deadline
LONGEST_MS = 60_000


class Api:
    """Handlers over one service; `memory` is the thread that owns engine and sessions."""

    def __init__(
        self,
        service: Service,
        memory: ThreadPoolExecutor,
        keep: Callable[[Any], None],
        stop: Callable[[], None],
    ) -> None:
        self._service, self._memory, self._keep, self._stop = service, memory, keep, stop
        self._tools = Tools(service, self._on_memory_thread)

    async def _recall(self, action: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._memory, action)

    def _on_memory_thread(self, action: Callable[[], Result]) -> Result:
        return self._memory.submit(action).result()

    async def hook(self, request: Request) -> Response:
        began = time.monotonic()
        name = request.path_params["harness"]
        if name not in dialects.DIALECTS:
            return failure(404, f"no harness {name!r}; there are {', '.join(dialects.DIALECTS)}")
        if wrong := self._other_vault(request):
            return wrong
        turn = dialects.read(name, request.state.body)
        environment, flags = _forwarded(request)
        settings = self._service.settings(environment, flags, turn.plugin)
        given = request.headers.get("x-shilu-deadline-ms", "")
        allowed = min(int(given), LONGEST_MS) if given.isdigit() else min(TURN_MS, settings.number("recallTimeoutMs"))
        deadline = began + allowed / 1000
        if opening := self._service.opening(turn):
            reply, ticket = opening, ""
        else:
            reply, ticket = await self._recall(partial(self._service.turn, turn, settings, deadline))
        body = dialects.DIALECTS[name].write(turn, reply)
        if ticket and not given:
            self._settle(ticket)  # a harness that posts by itself says nothing afterwards
        headers = {"x-shilu-reason": reply.reason.replace(" ", "-"), "cache-control": "no-store"}
        if ticket and given:
            headers["x-shilu-ticket"] = ticket
        if not body:
            return (
                Response(status_code=204, headers=headers)
                if given
                else Response(b"{}", media_type="application/json", headers=headers)
            )
        return Response(body, media_type="application/json", headers=headers)

    def _other_vault(self, request: Request) -> Response | None:
        """The refusal for a client at the wrong daemon; one that came by port knows where it went."""
        self._service.last_asked = time.monotonic()
        if not request.state.local:
            return None
        named = unquoted(request.headers.get("x-shilu-vault", ""))
        if named and not self._service.is_vault(named):
            return failure(409, f"this daemon serves another vault than {named}")
        if not named and not self._service.is_default():
            return failure(409, "this daemon's vault is no longer the configured one")
        return None

    async def shown(self, request: Request) -> Response:
        self._settle(request.path_params["ticket"])
        return Response(status_code=204)

    def _settle(self, ticket: str) -> None:
        if (shown := self._service.settle(ticket)) is not None:
            self._keep(shown)

    async def alive(self, request: Request) -> Response:
        return answer({"ok": True, "ready": self._service.ready})

    async def stop(self, request: Request) -> Response:
        if not request.state.local and request.state.bearer.scope != "full":
            return failure(403, "this token may not do that")
        self._stop()
        return answer({"ok": True})

    async def status(self, request: Request) -> Response:
        def told() -> dict[str, Any]:
            return self._service.status(self._service.settings())

        if self._service.ready or self._service.broken:
            return answer(await self._recall(told))
        return answer(await run_in_threadpool(told))  # the other thread may build an index for a while

    async def search(self, request: Request) -> Response:
        given = _given(request)
        query = str(given.get("query") or given.get("q") or "")
        if not query.strip():
            return failure(400, "query is missing")
        try:
            limit = min(max(int(given.get("limit") or 5), 1), 50)
        except (TypeError, ValueError):
            return failure(400, "limit is no number")
        history = given.get("history") in (True, "true", "1")
        found = await self._recall(partial(self._service.search, clean(query), limit=limit, history=history))
        language = self._service.vault.layout.language
        text = block.render(found, max_chars=20_000, language=language) if found.hits else ""
        hits = [shown_hit(hit) for hit in found.hits]
        return answer(
            {
                "block": text,
                "hits": hits,
                "answered": round(found.answered, 4),
                "left_out": list(found.left_out),
            }
        )

    async def show(self, request: Request) -> Response:
        if wrong := self._other_vault(request):
            return wrong
        name = clean(str(_given(request).get("doc") or ""))
        try:
            return answer({"text": await self._recall(partial(self._service.show, name))})
        except (LookupError, ShiluError) as error:
            return failure(404, str(error.args[0] if error.args else error))

    async def notes(self, request: Request) -> Response:
        if wrong := self._other_vault(request):
            return wrong
        return answer({"notes": await self._recall(self._service.notes)})

    async def tool(self, request: Request) -> Response:
        if wrong := self._other_vault(request):
            return wrong
        arguments = _given(request)
        bearer: Bearer = request.state.bearer
        call = partial(self._tools.call, request.path_params["name"], arguments, agent=bearer.agent)
        text, is_error = await run_in_threadpool(call)
        return answer({"text": text, "error": text if is_error else ""}, 400 if is_error else 200)

    async def submit(self, request: Request) -> Response:
        return await self._by_tool("memory_submit", request)

    async def preview(self, request: Request) -> Response:
        return await self._by_tool("memory_preview", request)

    async def pending(self, request: Request) -> Response:
        return answer(await run_in_threadpool(self._tools.pending))

    async def _by_tool(self, name: str, request: Request) -> Response:
        bearer: Bearer = request.state.bearer
        text, is_error = await run_in_threadpool(partial(self._tools.call, name, _given(request), agent=bearer.agent))
        return answer({"error": text} if is_error else {"text": text}, 400 if is_error else 200)

    def app(self) -> Starlette:
        mcp, rpc = McpRoute(self._tools), RpcRoute(self._service)
        get, post = ["GET"], ["POST"]
        routes = [
            Route("/hook/{harness}", self.hook, methods=post),
            Route("/shown/{ticket}", self.shown, methods=post),
            Route("/alive", self.alive, methods=get),
            Route("/stop", self.stop, methods=post),
            Route("/status", self.status, methods=get),
            Route("/search", self.search, methods=["GET", "POST"]),
            Route("/show", self.show, methods=["GET", "POST"]),
            Route("/notes", self.notes, methods=get),
            Route("/submit", self.submit, methods=post),
            Route("/preview", self.preview, methods=get),
            Route("/pending", self.pending, methods=get),
            Route("/tool/{name}", self.tool, methods=post),
            Route("/rpc", rpc.handle, methods=post),
            Route("/rulings", rpc.rulings, methods=get),
            Route("/rulings/{item}", rpc.rule, methods=post),
            Route("/pending/{item}", rpc.rule, methods=post),
            Route("/mcp", mcp.handle, methods=["POST", "GET", "DELETE"]),
        ]
        return Starlette(routes=routes, exception_handlers={Exception: _bug, 404: _missing, 405: _missing})


def answer(value: Any, status: int = 200) -> Response:
    body = json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "replace")
    return Response(body, status, {"cache-control": "no-store"}, "application/json")


def failure(status: int, reason: str) -> Response:
    return answer({"error": reason}, status)


def clean(text: str) -> str:
    """Text without lone surrogates, which no file and no database takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def shown_hit(hit: Hit) -> dict[str, Any]:
    fact = hit.fact
    return {
        "id": fact.id,
        "text": block.neutral(fact.text),
        "note": fact.note,
        "line": fact.line,
        "written": fact.written.isoformat() if fact.written else None,
        "superseded": fact.superseded,
        "score": round(hit.score, 6),
        "streams": {name: {"rank": rank.rank, "score": round(rank.score, 6)} for name, rank in hit.streams.items()},
        "contradicts": [block.neutral(other.text) for other in hit.contradicts],
    }


def unquoted(text: str) -> str:
    from urllib.parse import unquote

    return unquote(text, errors="surrogateescape")


def _given(request: Request) -> dict[str, Any]:
    """The arguments: a JSON object in the body, or the query string."""
    if request.method == "GET":
        return dict(request.query_params)
    try:
        found = json.loads(request.state.body.decode("utf-8"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _forwarded(request: Request) -> tuple[dict[str, str], dict[str, str]]:
    """Environment and flags of the client's process that stand over the daemon's."""
    environment, flags = {}, {}
    for name, value in request.headers.items():
        if name.startswith("x-shilu-env-"):
            environment[name.removeprefix("x-shilu-env-").replace("-", "_").upper()] = unquoted(value)
        elif name.startswith("x-shilu-flag-"):
            flags[name.removeprefix("x-shilu-flag-")] = unquoted(value)
    return environment, flags


async def _missing(request: Request, error: Exception) -> Response:
    status = int(getattr(error, "status_code", 404))
    return failure(status, "no such route" if status == 404 else "this method is not served here")


async def _bug(request: Request, error: Exception) -> Response:
    return failure(500, f"{type(error).__name__}; see the daemon's log")
