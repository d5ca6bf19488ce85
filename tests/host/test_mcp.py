"""The MCP server on standard input and output, spoken to in raw lines and by the official client."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest
from mcp import StdioServerParameters
from mcp.client import Client
from shilu_host.client import mcp_stdio
from shilu_host.mcp import protocol

TOOLS = ["memory_search", "memory_show", "memory_submit", "memory_status", "memory_preview", "memory_setup"]
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


def speak(world: Any, *lines: bytes) -> list[Any]:
    command = [sys.executable, "-S", "-E", mcp_stdio.__file__]
    done = subprocess.run(
        command, input=b"\n".join(lines) + b"\n", capture_output=True, env=world.environment, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return [json.loads(line) for line in done.stdout.splitlines()]


def request(number: int, method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


def call(number: int, name: str, **arguments: Any) -> bytes:
    return request(number, "tools/call", name=name, arguments=arguments)


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2025-11-25"),
        ("zzz", "2025-11-25"),
    ],
)
def test_the_handshake_negotiates_the_version(world: Any, asked: str, given: str) -> None:
    answer = speak(world, request(1, "initialize", **{**HELLO, "protocolVersion": asked}))[0]
    assert answer["result"]["protocolVersion"] == given
    assert not world.alive()  # nothing was started for a handshake


def test_six_tools_each_with_a_schema_and_all_annotations(world: Any) -> None:
    tools = speak(world, request(1, "tools/list"))[0]["result"]["tools"]
    assert [tool["name"] for tool in tools] == TOOLS
    for tool in tools:
        assert tool["inputSchema"]["type"] == "object"
        hints = {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
        assert hints <= set(tool["annotations"])
        assert "outputSchema" not in tool


def test_recalled_text_comes_back_as_wrapped_text_only(running: Any) -> None:
    result = speak(running, call(1, "memory_search", query=running.question))[0]["result"]
    assert set(result) == {"content", "isError"}
    text = result["content"][0]["text"]
    assert running.fact in text
    assert text.startswith("<memory-data>") and text.endswith("</memory-data>")


def test_malformed_huge_and_half_unicode_messages_get_errors_and_the_server_lives(running: Any) -> None:
    """F21."""
    huge = b'{"jsonrpc":"2.0","id":9,"method":"ping","params":{"x":"' + b"a" * protocol.MESSAGE_BYTES + b'"}}'
    answers = speak(
        running,
        b"no json",
        huge,
        b"[" * 100_000,
        b'\xff\xfe{"id": 1}',
        b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"\\udc8a"}}}',
        b'[{"jsonrpc":"2.0","id":4,"method":"ping"}]',
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        request(7, "no/such"),
        request(8, "ping"),
    )
    codes = [answer.get("error", {}).get("code") for answer in answers]
    assert codes == [-32700, -32600, -32700, -32700, -32602, -32600, -32600, -32601, None]
    assert answers[-1] == {"jsonrpc": "2.0", "id": 8, "result": {}}


@pytest.mark.parametrize(
    ("name", "arguments", "wrong"),
    [
        ("memory_search", {}, "argument 'query' is missing"),
        ("memory_search", {"query": " "}, "is empty"),
        ("memory_search", {"query": "x", "limit": 21}, "must be 1 to 20"),
        ("memory_search", {"query": "x", "limit": True}, "must be an integer"),
        ("memory_search", {"query": "x", "vaultPath": "/"}, "no argument 'vaultPath'"),
        ("memory_show", {"doc": "../../etc/passwd"}, "no note"),
        ("memory_show", {"doc": "nothing"}, "name one of index"),
        ("memory_submit", {"facts": "export PAYKEY=sk-" + "Ab3dE5gH1jK9mN7pQ2rS4tU6vW8x" * 2}, "secret"),
    ],
)
def test_wrong_calls_are_told_as_tool_errors(running: Any, name: str, arguments: Any, wrong: str) -> None:
    result = speak(running, call(1, name, **arguments))[0]["result"]
    assert result["isError"] is True
    assert wrong in result["content"][0]["text"]


def test_a_submission_goes_to_the_inbox_and_to_no_note(running: Any) -> None:
    before = (running.notes / "常用路径与环境.md").read_bytes()
    given = call(1, "memory_submit", facts="- 预发环境在 10.0.0.8\n- second", agent="codex")
    result = speak(running, given)[0]["result"]
    assert result["isError"] is False
    dropped = list((running.notes / "Agent提交区").glob("codex-*.md"))
    assert [path.read_text(encoding="utf-8") for path in dropped] == ["- 预发环境在 10.0.0.8\n- second\n"]
    assert (running.notes / "常用路径与环境.md").read_bytes() == before


def test_resources_are_the_notes_and_nothing_outside(running: Any) -> None:
    listed = speak(running, request(1, "resources/list"))[0]["result"]["resources"]
    uri = "shilu://note/%E5%B8%B8%E7%94%A8%E8%B7%AF%E5%BE%84%E4%B8%8E%E7%8E%AF%E5%A2%83.md"
    assert [resource["uri"] for resource in listed] == [uri]
    answers = speak(
        running,
        request(1, "resources/read", uri=uri),
        request(2, "resources/read", uri="shilu://note/env"),
        request(3, "resources/read", uri="shilu://note/%2E%2E/%2E%2E/etc/passwd"),
        request(4, "resources/read", uri="file:///etc/passwd"),
    )
    assert running.fact in answers[0]["result"]["contents"][0]["text"]
    assert running.fact in answers[1]["result"]["contents"][0]["text"]
    assert [answer["error"]["code"] for answer in answers[2:]] == [-32002, -32002]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_lists_calls_reads_and_prompts(running: Any, mode: str) -> None:
    answers = asyncio.run(_use(running, mode))
    version, names, text, note, prompt = answers
    assert version == ("2026-07-28" if mode == "auto" else "2025-11-25")
    assert names == TOOLS
    assert running.fact in text and running.fact in note
    assert "memory_search" in prompt


async def _use(world: Any, mode: Any) -> tuple[str, list[str], str, str, str]:
    server = StdioServerParameters(
        command=sys.executable, args=["-S", "-E", mcp_stdio.__file__], env=dict(world.environment)
    )
    async with Client(server, mode=mode) as client:
        tools = await client.list_tools()
        found = await client.call_tool("memory_search", {"query": world.question})
        notes = await client.list_resources()
        note = await client.read_resource(str(notes.resources[0].uri))
        prompt = await client.get_prompt("recall", {"question": world.question})
        version = str(client.protocol_version)
        text = getattr(found.content[0], "text", "")
        shown = getattr(note.contents[0], "text", "")
        asked = getattr(prompt.messages[0].content, "text", "")
        return version, [tool.name for tool in tools.tools], text, shown, asked


def test_a_recall_block_that_comes_back_is_no_submission(running: Any) -> None:
    """F13."""
    def files() -> set[str]:
        return {path.name for path in (running.notes / "Agent提交区").glob("*.md")}

    before = files()
    block = speak(running, call(1, "memory_search", query=running.question))[0]["result"]["content"][0]["text"]
    refused = speak(running, call(1, "memory_submit", facts=block))[0]["result"]
    assert refused["isError"] is True and "recall block" in refused["content"][0]["text"]
    assert files() == before
    mixed = speak(running, call(1, "memory_submit", facts=f"{block}\n- 新的事实一条", agent="mixed"))[0]["result"]
    assert mixed["isError"] is False
    (name,) = files() - before
    assert (running.notes / "Agent提交区" / name).read_text(encoding="utf-8") == "- 新的事实一条\n"


def test_preview_says_what_apply_would_do_and_setup_reports_and_neither_writes(world: Any) -> None:
    world.start()
    speak(world, call(1, "memory_submit", facts="预发数据库的备份在每天凌晨三点", agent="codex"))
    world.wait(lambda: "would write 1 facts" in _text(world, "memory_preview"))
    assert "预发数据库的备份在每天凌晨三点" in _text(world, "memory_preview")
    assert f"vault: {world.vault}" in _text(world, "memory_setup")
    notes = [
        path for path in world.notes.rglob("*.md") if "Agent提交区" not in str(path) and "情境信息" not in str(path)
    ]
    assert "备份" not in "".join(path.read_text(encoding="utf-8") for path in notes)


def _text(world: Any, name: str) -> str:
    return str(speak(world, call(1, name))[0]["result"]["content"][0]["text"])
