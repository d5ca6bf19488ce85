"""`POST /rpc`: the memory protocols over the daemon."""

from __future__ import annotations

from typing import Any

from shilu_core.ledger import SCHEMA_VERSION

ADD = {
    "input": {"track": "user", "scope": "user-global", "text": "偏好：先写测试"},
    "write": {"agent": {"session": {"id": "s1", "header": {}}}},
}


def rpc(world: Any, method: str, params: dict[str, Any]) -> dict[str, Any]:
    status, message = world.get("/rpc", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    assert status == 200
    return message


def test_the_daemon_serves_the_vaults_own_store(running: Any) -> None:
    assert (
        rpc(running, "initialize", {"protocol": "dsh-memory-protocol/v1"})["result"]["storeSchemaVersion"]
        == SCHEMA_VERSION
    )
    assert [row["limit"] for row in rpc(running, "budgets", {})["result"]] == [2000, 2000, 4000, 4000]


def test_an_ask_over_http_waits_for_a_person(running: Any) -> None:
    error = rpc(running, "add", ADD)["error"]["data"]
    assert error == {"code": "WRITE_DENIED", "details": {"outcome": "unavailable"}}
    assert rpc(running, "listEntries", {})["result"] == []


def test_a_store_of_the_clients_own_is_refused_over_http(running: Any) -> None:
    params = {"protocol": "dsh-memory-protocol/v1", "dbPath": str(running.home / "own.db")}
    assert rpc(running, "initialize", params)["error"]["data"]["code"] == "INVALID_INPUT"
    assert not (running.home / "own.db").exists()
