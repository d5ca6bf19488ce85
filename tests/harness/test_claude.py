"""Claude Code: the command hook, the http hook, the MCP server."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytestmark = [pytest.mark.needs("claude"), pytest.mark.usefixtures("program")]

QUESTION = "表单错误写在哪里，用不用弹窗？"
FACT = "表单错误写在输入框下面，不用弹窗"
ENGLISH = "What corner radius did we agree on for our interfaces?"
ENGLISH_FACT = "Corners have a radius of 6 px; shadows are not used."


def settings(stage: Any, *prompt_hooks: Any) -> None:
    client = [
        stage.hook,
        "pre-step",
        "--harness",
        "claude",
        "--vault",
        str(stage.vault),
        "--recall",
        "always",
        "--limit-ms",
        "8000",
    ]
    command = {"type": "command", "command": stage.python, "args": ["-S", "-E", *client], "timeout": 10}
    start = [{"matcher": "startup|resume|clear|compact", "hooks": [command]}]
    hooks = {"UserPromptSubmit": [{"hooks": [*(prompt_hooks or (command,))]}], "SessionStart": start}
    stage.write(".claude/settings.json", {"hooks": hooks})


def ask(stage: Any, *arguments: str) -> str:
    done = stage.run("claude", "-p", *arguments, "--output-format", "json")
    assert done.returncode == 0, done.stderr
    return json.dumps([body for body in stage.requests() if "messages" in body], ensure_ascii=False)


@pytest.mark.parametrize(("question", "fact"), [(QUESTION, FACT), (ENGLISH, ENGLISH_FACT)])
def test_the_command_hook_puts_block_and_rules_into_the_request(stage: Any, question: str, fact: str) -> None:
    stage.start_daemon()
    settings(stage)
    sent = ask(stage, question)
    assert fact in sent
    assert sent.count("</memory-data>") == 1
    assert "memory_search" in sent  # the rules, from the start of the session


def test_the_http_hook_does_the_same_without_a_process(stage: Any) -> None:
    stage.start_daemon()
    token = next(stage.state.glob("*/hook-token")).read_text().strip()
    port = next(stage.state.glob("*/port")).read_text().strip()
    url = f"http://127.0.0.1:{port}/hook/claude"
    stage.write("../config.toml", "")
    settings(stage, {"type": "http", "url": url, "timeout": 5, "headers": {"Authorization": f"Bearer {token}"}})
    assert FACT in ask(stage, QUESTION)


def test_without_a_daemon_one_is_started_and_the_first_turn_gets_its_fact(stage: Any) -> None:
    settings(stage)
    sent = ask(stage, QUESTION)
    assert QUESTION in sent and FACT in sent
    stage.wait(stage.answers)


def test_a_resumed_session_is_not_told_the_same_fact_again(stage: Any) -> None:
    stage.start_daemon()
    settings(stage)
    ask(stage, QUESTION)
    before = len(stage.requests())
    assert stage.run("claude", "-p", "-c", f"{QUESTION} 再说一遍", "--output-format", "json").returncode == 0
    newest = json.dumps(stage.requests()[before:][-1]["messages"], ensure_ascii=False)
    assert newest.count(FACT) == 1


def test_the_tools_are_offered_and_called(stage: Any) -> None:
    stage.start_daemon()
    server = {
        "type": "stdio",
        "command": stage.python,
        "args": ["-S", "-E", stage.mcp, "--vault", str(stage.vault)],
        "alwaysLoad": True,
    }
    path = stage.write("mcp.json", {"mcpServers": {"shilu": server}})
    task = 'CALL_TOOL mcp__shilu__memory_search {"query": "深色模式背景"}'
    sent = ask(stage, task, "--mcp-config", str(path), "--allowedTools", "mcp__shilu__memory_search")
    assert "#1C211A" in sent
