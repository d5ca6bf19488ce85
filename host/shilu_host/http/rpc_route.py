"""`/rpc` and `/rulings`: the memory protocols on the vault's own store, for the holder of the daemon's full token.

`POST /rpc` takes one JSON-RPC request. `GET /rulings` tells what its clients asked for and a person has to rule on,
`POST /rulings/ID` (or `/pending/ID`) with `{"ruling": "allow"}` or `"refuse"` rules.
"""

from __future__ import annotations

import json
from typing import Any

from shilu_core.errors import ShiluError
from shilu_core.hidden import visible
from shilu_core.ledger import Ledger, ledger_path
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from shilu_host.daemon.service import Service
from shilu_host.rpc import rulings
from shilu_host.rpc.opening import Opener
from shilu_host.rpc.post import PostedRpc
from shilu_host.rpc.vault_store import configured, open_vault_store

SESSION = "x-shilu-rpc-session"  # header: named by the answer to `initialize`, given with the requests after it


class RpcRoute:
    """The routes. What the configuration says is read when a session opens, and for each ruling."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._path = ledger_path(service.vault, service.wiring.state)
        opener = Opener(lambda: open_vault_store(service.settings(), self._path), standalone=False)
        self._posted = PostedRpc(opener)

    async def handle(self, request: Request) -> Response:
        given = request.headers.get(SESSION, "")
        reply, session = await run_in_threadpool(self._posted.answer, request.state.body, given)
        headers = {"cache-control": "no-store", **({SESSION: session} if session else {})}
        if not reply:
            return Response(status_code=202, headers=headers)
        return Response(reply, headers=headers, media_type="application/json")

    async def rulings(self, request: Request) -> Response:
        return _answer(await run_in_threadpool(self._waiting))

    async def rule(self, request: Request) -> Response:
        if request.state.bearer.scope != "full":  # an agent's token reaches /pending, and must not rule on its own asks
            return _answer({"error": "a ruling needs the daemon's full token"}, 403)
        try:
            ruling = json.loads(request.state.body).get("ruling")
        except (ValueError, AttributeError, RecursionError):
            ruling = None
        if ruling not in ("allow", "refuse"):
            return _answer({"error": 'give {"ruling": "allow"} or {"ruling": "refuse"}'}, 400)
        try:
            done = await run_in_threadpool(self._rule, request.path_params["item"], ruling)
        except ShiluError as error:
            return _answer({"error": str(error)}, 409)
        return _answer(*done)

    def _waiting(self) -> list[dict[str, Any]]:
        with Ledger.open(self._path) as ledger:
            found = rulings.waiting(ledger)
        return [
            {"id": one.id, "kind": one.kind, "text": visible(one.text), "sessionId": one.session_id, "since": one.since}
            for one in found
        ]

    def _rule(self, item_id: str, ruling: str) -> tuple[dict[str, Any], int]:
        with Ledger.open(self._path) as ledger:
            item = rulings.find(ledger, item_id)
            if item is None:
                return {"error": f"nothing waits under {item_id!r}; GET /rulings tells what does"}, 404
            if ruling == "refuse":
                rulings.refuse(item, ledger)
                return {"refused": item.id}, 200
            return {"allowed": item.id, **rulings.allow(item, ledger, configured(self._service.settings()))}, 200


def _answer(value: Any, status: int = 200) -> Response:
    return Response(json.dumps(value), status, {"cache-control": "no-store"}, "application/json")
