"""DSH: the bundle in real headless and web runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.needs("dsh"), pytest.mark.usefixtures("program")]

QUESTION = "表单校验出错的提示我们约定放在哪里显示？"
FACT = "表单错误写在输入框下面，不用弹窗"
ENGLISH = "What corner radius did we agree on for our interfaces?"
ENGLISH_FACT = "Corners have a radius of 6 px; shadows are not used."


def overlay(stage: Any, **config: Any) -> str:
    row = {"vaultPath": str(stage.vault), "pythonPath": stage.python, "recall": "always", **config}
    lines = ["- insert:", "    - id: shilu", f"      name: {json.dumps(str(stage.root / 'host/dsh/index.mjs'))}"]
    lines += ["      config:", *(f"        {key}: {json.dumps(value)}" for key, value in row.items())]
    return str(stage.write("overlay.yml", "\n".join(lines) + "\n"))


def headless(stage: Any, task: str, **config: Any) -> subprocess.CompletedProcess[str]:
    done = stage.run("dsh", "--profile", "headless", "--patch", overlay(stage, **config), task)
    assert done.returncode == 0, done.stderr
    return done  # type: ignore[no-any-return]


def turns(stage: Any) -> list[list[Any]]:
    """The messages of each request that offered tools: title requests are left out."""
    return [body["messages"] for body in stage.requests() if body.get("tools")]


def texts(messages: list[Any]) -> list[str]:
    return [m["content"] if isinstance(m["content"], str) else json.dumps(m["content"], ensure_ascii=False) for m in messages]


def blocks(messages: list[Any]) -> list[str]:
    """Recall blocks that stand in messages of a user, where ours go."""
    return [text for text in texts([m for m in messages if m["role"] == "user"]) if "<memory-data>" in text]


@pytest.mark.parametrize(("question", "fact"), [(QUESTION, FACT), (ENGLISH, ENGLISH_FACT)])
def test_the_block_stands_before_the_prompt_at_the_first_step(stage: Any, question: str, fact: str) -> None:
    stage.start_daemon()
    headless(stage, question)
    found = texts(turns(stage)[0])
    block = next(index for index, text in enumerate(found) if "<memory-data>" in text)
    prompt = next(index for index, text in enumerate(found) if text == question)
    assert block < prompt
    assert fact in found[block]


def test_a_tool_call_goes_to_the_end_and_the_second_step_adds_no_block(stage: Any) -> None:
    stage.start_daemon()
    headless(stage, f'{QUESTION} CALL_TOOL memory_search {{"query": "深色模式背景"}}')
    first, second = turns(stage)
    assert len(blocks(first)) == len(blocks(second)) == 1
    result = next(m for m in second if m["role"] == "tool")
    assert "#1C211A" in json.dumps(result, ensure_ascii=False)
    assert second[: len(first)] == first  # nothing before the newest message changed


def test_all_six_tools_are_offered(stage: Any) -> None:
    stage.start_daemon()
    headless(stage, QUESTION)
    names = [tool["function"]["name"] for tool in next(b for b in stage.requests() if b.get("tools"))["tools"]]
    assert {f"memory_{n}" for n in ("search", "show", "submit", "status", "preview", "setup")} <= set(names)


def test_without_a_daemon_the_turn_goes_on_and_one_is_asked_for(stage: Any) -> None:
    done = headless(stage, QUESTION)
    assert "MOCK-REPLY-OK" in done.stdout
    assert QUESTION in texts(turns(stage)[0])
    stage.wait(stage.answers)


def test_a_hung_daemon_delays_the_turn_by_its_limit_and_no_more(stage: Any) -> None:
    child = stage.start_daemon()
    child.send_signal(signal.SIGSTOP)
    try:
        done = headless(stage, QUESTION, recallTimeoutMs=700)
    finally:
        child.send_signal(signal.SIGCONT)
    assert "MOCK-REPLY-OK" in done.stdout
    assert not any("<memory-data>" in text for text in texts(turns(stage)[0]))


def test_a_daemon_killed_midway_leaves_the_turn_alone(stage: Any) -> None:
    child = stage.start_daemon()
    child.send_signal(signal.SIGSTOP)
    killer = subprocess.Popen(["bash", "-c", f"sleep 6; kill -9 {child.pid}"])
    try:
        done = headless(stage, QUESTION, recallTimeoutMs=60000)
    finally:
        killer.wait()
    assert "MOCK-REPLY-OK" in done.stdout
    assert QUESTION in texts(turns(stage)[0])


def test_two_turns_of_a_web_session_keep_every_byte_before_the_newest_message(stage: Any) -> None:
    stage.start_daemon()
    with Web(stage, overlay(stage)) as web:
        session = web.create()
        web.say(session, QUESTION)
        stage.wait(lambda: len(turns(stage)) == 1)
        web.settled()
        web.say(session, ENGLISH)
        stage.wait(lambda: len(turns(stage)) == 2)
        first, second = turns(stage)
        assert second[: len(first)] == first
        assert ENGLISH_FACT in json.dumps(second[len(first) :], ensure_ascii=False)
        assert sum(FACT in text for text in texts(second)) == 1
        assert web.status({}) == 401
        assert web.status({"Host": "evil.example"}) == 421
        assert web.status({"Origin": "http://evil.example"}) == 403
        token = next(stage.state.glob("*/token")).read_text().strip()
        assert web.status({"Authorization": f"Bearer {token}"}) == 200


class Web:
    """DSH's web profile on a free port."""

    def __init__(self, stage: Any, patch: str) -> None:
        self._stage, self._patch = stage, patch

    def __enter__(self) -> Web:
        root = Path(os.environ["HARNESS_HOME"])
        node = root / "node22/node_modules/node/bin"
        self._out = self._stage.folder / "web.log"
        environment = {
            "HOME": str(self._stage.home),
            "DSH_HOME": str(self._stage.home / ".dsh"),
            "PATH": f"{node}:/usr/bin:/bin",
            "DEEPSEEK_API_KEY": "sk-dummy",
            "DEEPSEEK_BASE_URL": f"http://127.0.0.1:{self._stage.port}",
            "DSH_TELEMETRY_DISABLED": "1",
        }
        import socket

        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [str(node / "node"), str(root / "dsh/node_modules/@deepseek-ai/dsh/lib/bin.js")]
        command += ["--profile", "web", "--no-open", "--port", str(self.port), "--patch", self._patch]
        with open(self._out, "wb") as out:
            self._child = subprocess.Popen(
                command, env=environment, stdout=out, stderr=out, cwd=self._stage.folder / "project"
            )
        self._stage.wait(lambda: self.status({}) != 0)
        return self

    def __exit__(self, *_: object) -> None:
        self._child.terminate()
        self._child.wait(20)

    def status(self, headers: dict[str, str]) -> int:
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/api/shilu/status", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def rpc(self, method: str, payload: Any) -> Any:
        body = {"type": "client-request", "rpcId": f"r{time.monotonic_ns()}", "method": method, "payload": payload}
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/{method}",
            json.dumps(body).encode(),
            {"content-type": "application/json", "Origin": f"http://127.0.0.1:{self.port}"},
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.loads(answer.read() or b"null")

    def create(self) -> str:
        answer = self.rpc("session.create", {"cwd": str(self._stage.folder / "project")})
        return str(answer["payload"]["sessionId"])

    def say(self, session: str, text: str) -> None:
        content = [{"type": "text", "text": text}]
        answer = self.rpc("session.prompt", {"sessionId": session, "mode": "queue", "content": content})
        assert answer["payload"]["accepted"] is True

    def settled(self) -> None:
        time.sleep(1.0)
