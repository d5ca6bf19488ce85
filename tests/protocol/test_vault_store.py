"""The vault's own ledger as a store: configured, closed to clients, ruled by a person."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from shilu_host.conformance.channel import Process
from shilu_host.conformance.client import Client
from shilu_host.conformance.speaker import Speaker, by, session

SHILU = [sys.executable, "-m", "shilu_host"]
V1 = "dsh-memory-protocol/v1"
SECRET = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment with a vault of its own; `config` may be written before a command runs."""
    vault = tmp_path / "知识库"
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "SHILU_CONFIG": str(tmp_path / "config.toml"),
        "SHILU_STATE_DIR": str(tmp_path / "state"),
        "SHILU_CACHE_DIR": str(tmp_path / "cache"),
        "SHILU_VAULT": str(vault),
    }
    subprocess.run([*SHILU, "init", str(vault)], env=environment, check=True, capture_output=True)
    return environment


@pytest.fixture
def serve(home):
    processes: list[Process] = []

    def serve(config: str = "", **given) -> Speaker:
        Path(home["SHILU_CONFIG"]).write_text(config, encoding="utf-8")
        process = Process([*SHILU, "protocol", "serve", "--stdio"], home)
        processes.append(process)
        speaker = Speaker(Client(process))
        speaker.greeting = speaker.client.call("initialize", {"protocol": V1, **given})
        return speaker

    yield serve
    for process in processes:
        process.close()


def shilu(home, *given, code=0) -> str:
    done = subprocess.run([*SHILU, *given], env=home, capture_output=True, timeout=60)
    assert done.returncode == code, done.stderr.decode()
    return (done.stdout if code == 0 else done.stderr).decode()


def test_a_client_may_say_protocol_and_known_events_only(serve, failing, store):
    assert serve(knownSessionEvents=["memory/added"]).greeting["protocol"] == V1
    for given in ({"approval": True}, {"budgets": {}}, {"writePolicy": "auto"}, {"defaultQueryLimit": 5}, {"x": 1}):
        assert failing(lambda given=given: serve(**given)).code == "INVALID_INPUT"


def test_an_ask_goes_to_the_review_list_and_ends_unavailable(serve, home, failing):
    speaker = serve()
    failure = failing(lambda: speaker.add("偏好：用 uv 管理依赖", write=by(session("s1", cwd="/w", preset="p"))))
    assert (failure.code, failure.details) == ("WRITE_DENIED", {"outcome": "unavailable"})
    failing(lambda: speaker.add("偏好：用 uv 管理依赖", write=by(session("s1", cwd="/w", preset="p"))))
    assert speaker.entries() == [] and speaker.actions() == ["add-denied", "add-denied"]
    (row,) = json.loads(shilu(home, "protocol", "pending", "--json"))
    assert row["text"] == "[dsh-memento] add user/user-global [source:shilu]\n偏好：用 uv 管理依赖"
    assert (row["kind"], row["sessionId"]) == ("write", "s1")


def test_a_person_allows_a_waiting_write_and_it_is_stored_under_its_writers_keys(serve, home, failing):
    speaker = serve()
    failing(lambda: speaker.add("fact", "agent", "workspace", by(session("s1", cwd="/w", preset="p"))))
    (row,) = json.loads(shilu(home, "protocol", "pending", "--json"))
    assert shilu(home, "protocol", "allow", row["id"][:6]).startswith(f"allowed: {row['id']}")
    (entry,) = speaker.entries()
    assert (entry["text"], entry["workspaceKey"], entry["agentKey"], entry["sessionId"]) == ("fact", "/w", "p", "s1")
    assert speaker.actions() == ["add-denied", "add"]
    assert json.loads(shilu(home, "protocol", "pending", "--json")) == []
    assert "nothing waits" in shilu(home, "protocol", "allow", row["id"], code=2)


def test_a_refused_write_waits_no_longer_and_changes_nothing(serve, home, failing):
    speaker = serve()
    failing(lambda: speaker.add("fact"))
    (row,) = json.loads(shilu(home, "protocol", "pending", "--json"))
    assert shilu(home, "protocol", "refuse", row["id"]) == f"refused: {row['id']}\n"
    assert speaker.entries() == [] and shilu(home, "protocol", "pending") == "0 waiting\n"


def test_a_waiting_write_that_can_not_be_done_any_more_stays_and_says_why(serve, home, failing):
    speaker = serve('[protocol.writePolicies]\n"source:tool" = "auto"\n')
    speaker.add("fact", source="tool")
    call = {"track": "user", "scope": "user-global", "match": "fact", "text": "new"}
    failing(lambda: speaker.client.call("replace", {"input": call, "write": by()}))
    speaker.remove("fact")
    (row,) = json.loads(shilu(home, "protocol", "pending", "--json"))
    assert "no visible entry" in shilu(home, "protocol", "allow", row["id"], code=1)
    assert len(json.loads(shilu(home, "protocol", "pending", "--json"))) == 1


def test_a_proposal_waits_in_the_same_list(serve, home):
    speaker = serve()
    made = speaker.propose("candidate", session("s1", cwd="/w"))
    (row,) = json.loads(shilu(home, "protocol", "pending", "--json"))
    assert (row["id"], row["kind"]) == (made["id"], "proposal")
    shilu(home, "protocol", "allow", made["id"])
    assert [(entry["text"], entry["source"]) for entry in speaker.entries()] == [("candidate", "proposal")]


def test_policies_budgets_limits_and_retention_come_from_the_configuration(serve, failing):
    speaker = serve(
        '[protocol]\nwritePolicy = "auto"\ndefaultQueryLimit = 1\n[protocol.budgets.user]\nuserGlobal = 10\n'
    )
    speaker.add("12345")
    speaker.add("abcde")
    assert failing(lambda: speaker.add("x")).details["limit"] == 10
    assert len(speaker.query()["entries"]) == 1


def test_a_wrong_configuration_is_named(home):
    Path(home["SHILU_CONFIG"]).write_text('[protocol]\nwritePolicy = "maybe"\n', encoding="utf-8")
    assert "[protocol] of the configuration" in shilu(home, "export", code=2)
    Path(home["SHILU_CONFIG"]).write_text("[protocol]\nwritePolcy = 1\n", encoding="utf-8")
    assert "writePolcy" in shilu(home, "export", code=2)


def test_a_secret_never_reaches_the_vaults_ledger(serve, home, failing):
    speaker = serve('[protocol]\nwritePolicy = "auto"\n')
    for action in (
        lambda: speaker.add(f"token {SECRET}"),
        lambda: speaker.seed([{"track": "user", "scope": "user-global", "text": SECRET}]),
        lambda: speaker.propose(f"token {SECRET}"),
    ):
        failure = failing(action)
        assert failure.code == "INVALID_INPUT" and SECRET not in str(failure)
    speaker.query({"text": SECRET}, sessionId="s")
    files = [path for path in Path(home["HOME"]).rglob("*") if path.is_file()]
    assert len(files) > 3 and all(SECRET.encode() not in path.read_bytes() for path in files)


def test_export_and_import_by_a_person_are_a_round_trip(serve, home, tmp_path):
    speaker = serve('[protocol]\nwritePolicy = "auto"\n')
    speaker.add("one 一", tags=["t"], source="tool")
    speaker.add("two", "agent", "workspace", by(session(cwd="/w", preset="p")))
    file = tmp_path / "export.json"
    shilu(home, "export", "--output", str(file))
    assert "exists already" in shilu(home, "export", "--output", str(file), code=2)
    for text in ("one", "two"):
        pot = ("user", "user-global") if text == "one" else ("agent", "workspace")
        speaker.remove(text, *pot, by(session(cwd="/w", preset="p")))
    assert shilu(home, "import", "--dry-run", str(file)).endswith("2 entries; nothing was stored\n")
    assert shilu(home, "import", str(file)) == "2 entries stored\n"
    kept = ("track", "scope", "text", "tags", "source", "workspaceKey", "agentKey")
    exported = [{name: entry[name] for name in kept} for entry in json.loads(file.read_text("utf-8"))["entries"]]
    assert [{name: entry[name] for name in kept} for entry in speaker.entries()] == exported


@pytest.mark.parametrize("adapter", ["hermes-memory-md", "claude-code-memory-md"])
def test_a_markdown_memory_is_imported_and_exported_by_its_adapter(serve, home, tmp_path, adapter):
    file = tmp_path / "memory.md"
    file.write_bytes("\ufeff## 工具\r\n- 用 uv\r\n- 用 ruff\r\n".encode())
    assert shilu(home, "import", "--adapter", adapter, str(file)) == "2 entries stored\n"
    assert shilu(home, "export", "--adapter", adapter) == "## user/user-global\n- 用 uv\n- 用 ruff\n"
    assert [entry["tags"] for entry in serve().entries()] == [["工具"], ["工具"]]


def test_mem0_facts_go_there_and_back(home, tmp_path):
    file = tmp_path / "facts.json"
    file.write_text(json.dumps([{"memory": "likes tea", "metadata": {"category": "taste"}}]), encoding="utf-8")
    shilu(home, "import", "--adapter", "mem0", str(file))
    fact = json.loads(shilu(home, "export", "--adapter", "mem0"))["facts"][0]
    assert (fact["memory"], fact["metadata"]["tags"]) == ("likes tea", ["taste"])


def test_what_can_not_be_imported_is_named(home, tmp_path):
    file = tmp_path / "notes.md"
    file.write_text("- one\nprose\n", encoding="utf-8")
    assert "--adapter" in shilu(home, "import", str(file), code=2)
    assert "line 2" in shilu(home, "import", "--adapter", "hermes-memory-md", str(file), code=1)
    assert "nope" in shilu(home, "import", "--adapter", "nope", str(file), code=1)
    assert "missing.json" in shilu(home, "import", str(tmp_path / "missing.json"), code=2)


def test_what_a_client_asked_for_stands_in_the_review_list_unticked_and_is_applied_when_ticked(serve, home, failing):
    speaker = serve()
    failing(lambda: speaker.add("偏好：用 uv\n而不是 pip", write=by(session("s1", preset="coder"))))
    speaker.propose("candidate", session("s2", cwd="/w"))
    items = json.loads(shilu(home, "review", "--json"))["items"]
    assert [(item["text"], item["place"], item["ticked"]) for item in items] == [
        ("add user/user-global [source:shilu]\n偏好：用 uv\n而不是 pip", "pending", False),
        ("[compaction-summary] add agent/workspace\ncandidate", "pending", False),
    ]
    assert items[0]["source"] == {"submission": "memory protocol", "line": 0, "agent": "coder"}
    shilu(home, "apply")
    assert speaker.entries() == []
    shilu(home, "decide", items[0]["id"], "accept")
    shilu(home, "decide", items[1]["id"], "reject")
    shilu(home, "apply")
    assert [(entry["text"], entry["agentKey"]) for entry in speaker.entries()] == [("偏好：用 uv\n而不是 pip", "coder")]
    assert speaker.client.call("proposals/list", {})[0]["status"] == "dismissed"
    assert json.loads(shilu(home, "review", "--json"))["items"] == []


def test_an_edited_text_in_the_list_is_held(serve, home, failing):
    speaker = serve()
    failing(lambda: speaker.add("fact"))
    (item,) = json.loads(shilu(home, "review", "--json"))["items"]
    shilu(home, "decide", item["id"], "edit", "another fact")
    assert "only be carried out as it was asked for" in shilu(home, "apply", code=1)
    assert speaker.entries() == [] and len(json.loads(shilu(home, "protocol", "pending", "--json"))) == 1


def test_verify_replays_the_audit_rows_and_tells_what_another_program_changed(serve, home):
    import sqlite3

    speaker = serve('[protocol]\nwritePolicy = "auto"\n')
    speaker.seed([{"track": "user", "scope": "user-global", "text": text} for text in ("one", "two", "three")])
    speaker.replace("one", "uno")
    speaker.consolidate(["two", "three"], "both")
    assert shilu(home, "protocol", "verify") == "the entries are what the audit rows say\n"
    (ledger,) = Path(home["SHILU_STATE_DIR"]).rglob("ledger.db")
    with sqlite3.connect(ledger) as other:
        other.execute("UPDATE entries SET text = 'changed' WHERE text = 'uno'")
    other.close()
    done = subprocess.run([*SHILU, "protocol", "verify"], env=home, capture_output=True, timeout=60)
    assert done.returncode == 1 and "by the audit uno; stored changed" in done.stdout.decode()


def test_a_person_rules_at_the_terminal(serve, home, failing):
    speaker = serve()
    failing(lambda: speaker.add("fact"))
    done = subprocess.run([*SHILU, "adjudicate"], env=home, input=b"a\n", capture_output=True, timeout=60)
    assert done.returncode == 0 and "add user/user-global" in done.stdout.decode()
    assert speaker.texts() == ["fact"]


def test_the_store_of_another_provider_is_imported_and_left_alone(serve, home, tmp_path):
    import sqlite3

    from shilu_core.ledger.entry_schema import PROTOCOL_STEPS

    other = tmp_path / "别处" / "memory.db"
    other.parent.mkdir()
    with sqlite3.connect(other) as connection:
        for step in PROTOCOL_STEPS[:3]:
            connection.executescript(step)
        connection.execute("INSERT INTO meta VALUES ('schema_version', '3')")
        connection.execute(
            "INSERT INTO entries (id, track, scope, workspace_key, text, source, created_at, updated_at, agent_key) "
            "VALUES ('x', 'agent', 'workspace', '/w', '旧事实', 'tool', 1, 2, 'p')"
        )
    connection.close()
    before = other.read_bytes()
    assert shilu(home, "import", "--store", str(other)) == "1 entries stored\n"
    assert other.read_bytes() == before and [path.name for path in other.parent.iterdir()] == ["memory.db"]
    (entry,) = serve().entries()
    kept = ("text", "source", "workspaceKey", "agentKey", "track", "scope", "version")
    assert [entry[name] for name in kept] == ["旧事实", "tool", "/w", "p", "agent", "workspace", 1]
    assert "no store" in shilu(home, "import", "--store", str(tmp_path / "none.db"), code=2)
    (tmp_path / "text.db").write_text("text", encoding="utf-8")
    assert "no store of the memory protocol" in shilu(home, "import", "--store", str(tmp_path / "text.db"), code=2)
