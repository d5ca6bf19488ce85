"""The optional tools for agents: reads are direct, a write is a submission."""

from datetime import datetime
from pathlib import Path

import jsonschema
import pytest
from shilu_core.vault import recognise
from shilu_host.mm import MmError
from shilu_host.mm.tools import DEFINITIONS, call
from shilu_inbox.drops import drop
from shilu_inbox.submissions import Header

from tests.fixtures import old_vault


@pytest.fixture
def memory(ensure):
    memory = ensure()
    memory.write("deploy", "部署区域在北京", summary="Where")
    return memory.load()


def refuse(facts: object, topic: str) -> str:
    raise AssertionError("nothing may be submitted")


def test_every_tool_has_a_definition_with_a_valid_schema(memory) -> None:
    arguments = {"mem_search": {"query": "部署"}, "mem_write": {"topic": "a", "content": "x"}}
    for tool in DEFINITIONS:
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        given = arguments.get(tool["name"], {})
        jsonschema.validate(given, tool["inputSchema"])
        assert isinstance(call(tool["name"], given, memory, lambda facts, topic: "inbox"), dict)
    assert [tool["name"] for tool in DEFINITIONS if not tool["annotations"]["readOnlyHint"]] == ["mem_write"]


def test_read_gives_the_index_all_notes_or_one(memory) -> None:
    assert [entry["topic"] for entry in call("mem_read", {}, memory, refuse)["entries"]] == ["deploy"]
    assert call("mem_read", {"topic": "all"}, memory, refuse)["notes"][0]["body"] == "部署区域在北京"
    note = call("mem_read", {"topic": "deploy"}, memory, refuse)
    assert (note["kind"], note["found"], note["summary"]) == ("note", True, "Where")
    assert call("mem_read", {"topic": "none"}, memory, refuse)["found"] is False


def test_a_write_becomes_a_submission_and_changes_no_mm_file(memory, root: Path, tmp_path: Path) -> None:
    vault = recognise(old_vault.write(tmp_path / "vault"))
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}

    def submit(facts, topic: str) -> str:
        header = Header(agent="codex", tags=(topic,))
        return drop(vault, facts, header, now=datetime(2026, 11, 30, 12, 0), vault_state=tmp_path / "state").name

    content = "- 备份在上海\n\n  * 值班到周五\nplain\n"
    value = call("mem_write", {"topic": "backup", "content": content}, memory, submit)
    assert (value["ok"], value["action"], value["uri"]) == (True, "submitted", "mm://local/backup")
    text = (vault.inbox / value["where"]).read_text(encoding="utf-8")
    assert text.endswith("- 备份在上海\n- 值班到周五\n- plain\n") and "backup" in text
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def test_a_write_over_its_budget_is_a_value_and_submits_nothing(memory) -> None:
    value = call("mem_write", {"topic": "a", "content": "12345", "budget": 4}, memory, refuse)
    assert (value["ok"], value["code"], value["usage"]["overflow"]) == (False, "E_WRITE_BUDGET_EXCEEDED", 1)


def test_a_digest_reads_no_file_of_the_agents_choice(memory, tmp_path: Path) -> None:
    (tmp_path / "f.md").write_text("MEMO: secret", encoding="utf-8")
    value = call("mem_digest", {"file": str(tmp_path / "f.md"), "text": "MEMO: x"}, memory, refuse)
    assert [candidate["body"] for candidate in value["candidates"]] == ["x"]


def test_an_unknown_tool_is_invalid(memory) -> None:
    with pytest.raises(MmError, match="no tool"):
        call("mem_forget", {}, memory, refuse)
