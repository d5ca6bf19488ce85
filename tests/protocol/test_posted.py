"""JSON-RPC in one POST: the vault's own store, sessions by name, and the daemon's route."""

from __future__ import annotations

import json

import pytest
from shilu_core import settings as configuration
from shilu_core.ledger import Ledger
from shilu_host.conformance.speaker import by, session
from shilu_host.rpc.opening import Opener
from shilu_host.rpc.post import SESSIONS_LIMIT, PostedRpc
from shilu_host.rpc.vault_store import open_vault_store

V1 = "dsh-memory-protocol/v1"
ADD = {"input": {"track": "user", "scope": "user-global", "text": "fact"}, "write": by()}


@pytest.fixture
def posted(store):
    table = {"writePolicies": {"source:trusted": "auto"}}
    given = configuration.Settings({}, {"protocol": table})
    posted = PostedRpc(Opener(lambda: open_vault_store(given, store), standalone=False))
    yield posted
    posted.close()


def call(posted, method, params, named=""):
    body = json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).encode()
    reply, used = posted.answer(body, named)
    message = json.loads(reply)
    assert message["id"] == 7
    return message.get("result", message.get("error")), used


def test_a_request_without_a_session_runs_in_the_shared_one(posted):
    rows, used = call(posted, "budgets", {})
    assert len(rows) == 4 and used == ""
    entry, _ = call(posted, "add", {**ADD, "input": {**ADD["input"], "source": "trusted"}})
    assert call(posted, "listEntries", {})[0] == [entry["entry"]]


def test_initialize_names_a_session_of_its_own(posted):
    greeting, named = call(posted, "initialize", {"protocol": V1})
    assert greeting["protocol"] == V1 and named
    assert call(posted, "budgets", {}, named) == (call(posted, "budgets", {})[0], named)
    assert call(posted, "initialize", {"protocol": V1}, named)[1] != named
    assert "no such session" in call(posted, "budgets", {}, "unknown")[0]["message"]


def test_a_client_can_bring_no_store_and_no_configuration(posted, tmp_path):
    for given in ({"dbPath": str(tmp_path / "own.db")}, {"writePolicy": "auto"}, {"approval": True}):
        error, _ = call(posted, "initialize", {"protocol": V1, **given})
        assert error["data"]["code"] == "INVALID_INPUT"
    assert not (tmp_path / "own.db").exists()


def test_an_ask_waits_for_a_person_and_the_reply_comes_at_once(posted, store):
    from shilu_host.rpc.rulings import waiting

    error, _ = call(posted, "add", ADD)
    assert error["data"] == {"code": "WRITE_DENIED", "details": {"outcome": "unavailable"}}
    with Ledger.open(store) as ledger:
        assert [(item.method, item.params) for item in waiting(ledger)] == [("add", ADD)]


def test_sessions_are_bounded_and_the_oldest_is_closed(posted):
    first = call(posted, "initialize", {"protocol": V1})[1]
    for _ in range(SESSIONS_LIMIT):
        call(posted, "initialize", {"protocol": V1})
    assert "no such session" in call(posted, "budgets", {}, first)[0]["message"]


def test_broken_bodies_are_answered(posted):
    assert json.loads(posted.answer(b"{")[0])["error"]["code"] == -32700
    assert json.loads(posted.answer(b"[]")[0])["error"]["code"] == -32600
    assert posted.answer(b'{"jsonrpc":"2.0","method":"$/cancel","params":{"id":1}}')[0] == b""
    snapshot = {"session": session("s")}
    assert call(posted, "snapshot", snapshot)[0] == {"text": ""}
