"""`POST /rpc`: the memory protocols over the daemon."""

from __future__ import annotations

import json
import subprocess
import sys
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


def test_a_person_rules_over_http(running: Any) -> None:
    add = {**ADD, "input": {**ADD["input"], "text": "偏好：先写文档"}}
    rpc(running, "add", add)
    before = running.get("/status")[1]["waiting"]["count"]
    (item,) = [item for item in running.get("/rulings")[1] if "文档" in item["text"]]
    assert running.get(f"/rulings/{item['id']}", {"ruling": "maybe"})[0] == 400
    assert running.get("/rulings/unknown", {"ruling": "allow"})[0] == 404
    status, done = running.get(f"/rulings/{item['id']}", {"ruling": "allow"})
    assert (status, done["entry"]["text"]) == (200, "偏好：先写文档")
    assert [entry["text"] for entry in rpc(running, "listEntries", {})["result"]] == ["偏好：先写文档"]
    assert running.get("/status")[1]["waiting"]["count"] == before - 1
    assert running.get(f"/pending/{item['id']}", {"ruling": "refuse"})[0] == 404


def test_a_store_of_the_clients_own_is_refused_over_http(running: Any) -> None:
    params = {"protocol": "dsh-memory-protocol/v1", "dbPath": str(running.home / "own.db")}
    assert rpc(running, "initialize", params)["error"]["data"]["code"] == "INVALID_INPUT"
    assert not (running.home / "own.db").exists()


def test_an_entry_is_recalled_in_a_turn_and_one_of_another_folder_is_not(world: Any) -> None:
    entries = [
        {"track": "agent", "scope": "user-global", "text": "生产数据库的备份保存在 backup-7 主机"},
        {"track": "agent", "scope": "workspace", "text": "生产数据库的备份口令在保险柜", "workspaceKey": "/elsewhere"},
    ]
    file = world.home / "entries.json"
    envelope = {"plugin": "dsh-memento", "schema": "memory-export-v1", "entries": entries}
    file.write_text(json.dumps(envelope), encoding="utf-8")
    shilu = [sys.executable, "-m", "shilu_host", "import", str(file)]
    subprocess.run(shilu, env=world.environment, check=True, capture_output=True)
    world.start()
    answer = world.hook({**world.prompt("生产数据库的备份保存在哪台主机？"), "cwd": "/w"})
    text = answer["hookSpecificOutput"]["additionalContext"]
    assert "backup-7" in text and "保险柜" not in text
