"""Codex: a trusted hook recalls, an untrusted one is skipped and told by the setup; the MCP server."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.needs("codex"), pytest.mark.usefixtures("program")]

QUESTION = "表单错误写在哪里，用不用弹窗？"
FACT = "表单错误写在输入框下面，不用弹窗"


def wire(stage: Any) -> Path:
    command = stage.hook_command("codex") + " --recall always"
    entry = {"hooks": [{"type": "command", "command": command, "timeout": 10}]}
    return Path(stage.write(".codex/hooks.json", {"hooks": {"UserPromptSubmit": [entry]}}))


def ask(stage: Any, task: str) -> str:
    done = stage.run("codex", "exec", "--skip-git-repo-check", task)
    assert done.returncode == 0, done.stderr
    return json.dumps(stage.requests(), ensure_ascii=False)


class AppServer:
    """Codex's own JSON-RPC, which tells a hook's hash and records a person's trust."""

    def __init__(self, stage: Any) -> None:
        program = Path(os.environ["HARNESS_HOME"]) / "codex/node_modules/.bin/codex"
        environment = {**stage.environment, "MOCK_KEY": "dummy"}
        self._child = subprocess.Popen(
            [str(program), "app-server"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=stage.folder / "project",
        )
        self.call(1, "initialize", {"clientInfo": {"name": "t", "version": "1"}})

    def call(self, number: int, method: str, params: Any) -> Any:
        assert self._child.stdin is not None and self._child.stdout is not None
        self._child.stdin.write(json.dumps({"id": number, "method": method, "params": params}).encode() + b"\n")
        self._child.stdin.flush()
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and select.select([self._child.stdout], [], [], 30)[0]:
            answer = json.loads(self._child.stdout.readline())
            if answer.get("id") == number:
                return answer["result"]
        raise AssertionError(f"no answer to {method}")

    def end(self) -> None:
        self._child.kill()
        self._child.wait()


def trust(stage: Any) -> None:
    """What a person does with /hooks in Codex."""
    server = AppServer(stage)
    found = server.call(2, "hooks/list", {"cwds": [str(stage.folder / "project")]})
    hooks = [hook for entry in found["data"] for hook in entry["hooks"]]
    value = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in hooks}
    edits = [{"keyPath": "hooks.state", "value": value, "mergeStrategy": "upsert"}]
    server.call(3, "config/batchWrite", {"edits": edits, "reloadUserConfig": True})
    server.end()


def test_a_trusted_hook_puts_the_block_into_the_request(stage: Any) -> None:
    stage.start_daemon()
    wire(stage)
    untrusted = ask(stage, QUESTION)
    assert FACT not in untrusted
    trust(stage)
    assert FACT in ask(stage, QUESTION)


def test_an_untrusted_hook_is_told_by_shilu_status(stage: Any) -> None:
    programs = Path(os.environ["HARNESS_HOME"]) / "codex/node_modules/.bin"
    environment = {**stage.environment, "PATH": f"{programs}:{stage.environment['PATH']}"}
    deploy = [stage.python, "-m", "shilu_setup", "apply", "--target", "codex", "--create"]
    assert subprocess.run(deploy, env=environment, capture_output=True).returncode == 0
    done = subprocess.run(
        [stage.python, "-m", "shilu_host", "--vault", str(stage.vault), "status"],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert "Codex: its hook is not trusted yet" in done.stdout


def test_the_tools_are_there_at_the_first_request(stage: Any) -> None:
    stage.start_daemon()
    arguments = json.dumps(["-S", "-E", stage.mcp, "--vault", str(stage.vault)], ensure_ascii=False)
    stage.write(
        ".codex/config.toml",
        f"[mcp_servers.shilu]\ncommand = {json.dumps(stage.python)}\nargs = {arguments}\n",
    )
    sent = ask(stage, 'CALL_TOOL mcp__shilu::memory_search {"query": "深色模式背景"}')
    assert "#1C211A" in sent
