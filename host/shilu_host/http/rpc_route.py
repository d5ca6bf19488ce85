"""`POST /rpc`: the memory protocols on the vault's own store, for the holder of the daemon's full token."""

from __future__ import annotations

from shilu_core.ledger import ledger_path
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from shilu_host.daemon.service import Service
from shilu_host.rpc.opening import Opener
from shilu_host.rpc.post import PostedRpc
from shilu_host.rpc.vault_store import open_vault_store

SESSION = "x-shilu-rpc-session"  # header: named by the answer to `initialize`, given with the requests after it


class RpcRoute:
    """The route `/rpc`. What the configuration says is read when a session opens."""

    def __init__(self, service: Service) -> None:
        path = ledger_path(service.vault, service.wiring.state)
        self._posted = PostedRpc(Opener(lambda: open_vault_store(service.settings(), path), standalone=False))

    async def handle(self, request: Request) -> Response:
        given = request.headers.get(SESSION, "")
        reply, session = await run_in_threadpool(self._posted.answer, request.state.body, given)
        headers = {"cache-control": "no-store", **({SESSION: session} if session else {})}
        if not reply:
            return Response(status_code=202, headers=headers)
        return Response(reply, headers=headers, media_type="application/json")
