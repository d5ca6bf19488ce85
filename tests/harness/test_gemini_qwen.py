"""Gemini CLI and Qwen Code: command hooks with limits in milliseconds; both escape the block's angle brackets."""

from __future__ import annotations

import json
from typing import Any

import pytest

QUESTION = "表单错误写在哪里，用不用弹窗？"
FACT = "表单错误写在输入框下面，不用弹窗"
ENGLISH = "What corner radius did we agree on for our interfaces?"
ENGLISH_FACT = "Corners have a radius of 6 px; shadows are not used."
BOTH = pytest.mark.parametrize(("question", "fact"), [(QUESTION, FACT), (ENGLISH, ENGLISH_FACT)])


def hooks(stage: Any, harness: str, event: str) -> dict[str, Any]:
    command = stage.hook_command(harness) + " --recall always"
    entry = {"name": "shilu", "type": "command", "command": command, "timeout": 10000}
    return {event: [{"matcher": "*", "hooks": [entry]}]}


def server(stage: Any) -> dict[str, Any]:
    arguments = ["-S", "-E", stage.mcp, "--vault", str(stage.vault)]
    return {"shilu": {"command": stage.python, "args": arguments, "trust": True}}


def gemini(stage: Any, task: str, *, tools: bool = True) -> str:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "hooks": hooks(stage, "gemini", "BeforeAgent"),
        "mcpServers": server(stage) if tools else {},
    }
    stage.write(".gemini/settings.json", settings)
    done = stage.run("gemini", "--skip-trust", "-p", task)
    assert done.returncode == 0, done.stderr
    return json.dumps([body for body in stage.requests() if "contents" in body], ensure_ascii=False)


def qwen(stage: Any, task: str) -> str:
    settings = {
        "security": {"auth": {"selectedType": "openai"}},
        "hooks": hooks(stage, "qwen", "UserPromptSubmit"),
        "mcpServers": server(stage),
    }
    stage.write(".qwen/settings.json", settings)
    done = stage.run("qwen", "-p", task)
    assert done.returncode == 0, done.stderr
    return json.dumps([body for body in stage.requests() if "messages" in body], ensure_ascii=False)


@pytest.mark.needs("gemini")
@pytest.mark.usefixtures("program")
@BOTH
def test_gemini_gets_the_fact_of_the_turn(stage: Any, question: str, fact: str) -> None:
    stage.start_daemon()
    sent = gemini(stage, question)
    assert fact in sent
    assert "&lt;memory-data&gt;" in sent


@pytest.mark.needs("gemini")
@pytest.mark.usefixtures("program")
def test_gemini_calls_a_tool(stage: Any) -> None:
    stage.start_daemon()
    assert "#1C211A" in gemini(stage, 'CALL_TOOL mcp_shilu_memory_search {"query": "深色模式背景"}')


@pytest.mark.needs("qwen")
@pytest.mark.usefixtures("program")
@BOTH
def test_qwen_gets_the_fact_of_the_turn(stage: Any, question: str, fact: str) -> None:
    stage.start_daemon()
    assert fact in qwen(stage, question)


@pytest.mark.needs("gemini")
@pytest.mark.usefixtures("program")
def test_gemini_s_first_turn_starts_the_daemon_and_gets_its_fact(stage: Any) -> None:
    sent = gemini(stage, QUESTION, tools=False)
    assert QUESTION in sent and FACT in sent
