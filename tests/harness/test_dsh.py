"""DSH: the bundle in real headless and web runs."""

from __future__ import annotations

import json
import signal
import subprocess
from typing import Any

import pytest

pytestmark = [pytest.mark.needs("dsh"), pytest.mark.usefixtures("program")]

QUESTION = "表单错误写在哪里，用不用弹窗？"
FACT = "表单错误写在输入框下面，不用弹窗"
ENGLISH = "What corner radius did we agree on for our interfaces?"
ENGLISH_FACT = "Corners have a radius of 6 px; shadows are not used."


def overlay(stage: Any, path: str = "overlay.yml", **config: Any) -> str:
    row = {"vaultPath": str(stage.vault), "pythonPath": stage.python, "recall": "always", "recallTimeoutMs": 20000, **config}
    lines = ["- insert:", "    - id: shilu", f"      name: {json.dumps(str(stage.root / 'host/dsh/index.mjs'))}"]
    lines += ["      config:", *(f"        {key}: {json.dumps(value)}" for key, value in row.items())]
    return str(stage.write(path, "\n".join(lines) + "\n"))


def headless(stage: Any, task: str, **config: Any) -> subprocess.CompletedProcess[str]:
    done = stage.run("dsh", "--profile", "headless", "--patch", overlay(stage, **config), task)
    assert done.returncode == 0, done.stderr
    return done  # type: ignore[no-any-return]


def texts(messages: list[Any]) -> list[str]:
    return [
        m["content"] if isinstance(m["content"], str) else json.dumps(m["content"], ensure_ascii=False)
        for m in messages
    ]


def blocks(messages: list[Any]) -> list[str]:
    """Recall blocks that stand in messages of a user, where ours go."""
    return [text for text in texts([m for m in messages if m["role"] == "user"]) if "<memory-data>" in text]


@pytest.mark.parametrize(("question", "fact"), [(QUESTION, FACT), (ENGLISH, ENGLISH_FACT)])
def test_the_block_stands_before_the_prompt_at_the_first_step(stage: Any, question: str, fact: str) -> None:
    stage.start_daemon()
    headless(stage, question)
    found = texts(stage.turns()[0])
    block = next(index for index, text in enumerate(found) if "<memory-data>" in text)
    prompt = next(index for index, text in enumerate(found) if text == question)
    assert block < prompt
    assert fact in found[block]


def test_a_tool_call_goes_to_the_end_and_the_second_step_adds_no_block(stage: Any) -> None:
    stage.start_daemon()
    headless(stage, f'{QUESTION} CALL_TOOL memory_search {{"query": "深色模式背景"}}')
    first, second = stage.turns()
    assert len(blocks(first)) == len(blocks(second)) == 1
    result = next(m for m in second if m["role"] == "tool")
    assert "#1C211A" in json.dumps(result, ensure_ascii=False)
    assert second[: len(first)] == first  # nothing before the newest message changed


def test_all_six_tools_are_offered(stage: Any) -> None:
    stage.start_daemon()
    headless(stage, QUESTION)
    names = [tool["function"]["name"] for tool in next(b for b in stage.requests() if b.get("tools"))["tools"]]
    assert {f"memory_{n}" for n in ("search", "show", "submit", "status", "preview", "setup")} <= set(names)


def test_without_a_daemon_one_is_started_and_the_first_turn_gets_its_fact(stage: Any) -> None:
    done = headless(stage, QUESTION)
    assert "MOCK-REPLY-OK" in done.stdout
    assert FACT in blocks(stage.turns()[0])[0]
    stage.wait(stage.answers)


def test_a_daemon_that_can_not_start_leaves_the_turn_alone(stage: Any) -> None:
    done = headless(stage, QUESTION, pythonPath=str(stage.folder / "no-python"))
    assert "MOCK-REPLY-OK" in done.stdout
    assert QUESTION in texts(stage.turns()[0]) and blocks(stage.turns()[0]) == []


def test_a_hung_daemon_delays_the_turn_by_its_limit_and_no_more(stage: Any) -> None:
    child = stage.start_daemon()
    child.send_signal(signal.SIGSTOP)
    try:
        done = headless(stage, QUESTION, recallTimeoutMs=700)
    finally:
        child.send_signal(signal.SIGCONT)
    assert "MOCK-REPLY-OK" in done.stdout
    assert not any("<memory-data>" in text for text in texts(stage.turns()[0]))


def test_a_daemon_killed_midway_leaves_the_turn_alone(stage: Any) -> None:
    child = stage.start_daemon()
    child.send_signal(signal.SIGSTOP)
    killer = subprocess.Popen(["bash", "-c", f"sleep 6; kill -9 {child.pid}"])
    try:
        done = headless(stage, QUESTION, recallTimeoutMs=60000)
    finally:
        killer.wait()
    assert "MOCK-REPLY-OK" in done.stdout
    assert QUESTION in texts(stage.turns()[0])


def test_two_turns_of_a_web_session_keep_every_byte_before_the_newest_message(stage: Any) -> None:
    stage.start_daemon()
    overlay(stage, ".dsh/cordis.patch.yml")
    with stage.web() as web:
        stage.wait(lambda: web.status({}) == 401)  # the bundle is up: plug-ins load after the bridge
        session = web.create()
        web.say(session, QUESTION)
        stage.wait(lambda: len(stage.turns()) == 1)
        web.settled()
        stage.apply_fact("动画时长现在一律 120 毫秒")
        web.say(session, ENGLISH)
        stage.wait(lambda: len(stage.turns()) == 2)
        first, second = stage.turns()
        assert second[: len(first)] == first
        assert ENGLISH_FACT in json.dumps(second[len(first) :], ensure_ascii=False)
        assert sum(FACT in text for text in texts(second)) == 1
        assert web.status({}) == 401
        assert web.status({"Host": "evil.example"}) == 421
        assert web.status({"Origin": "http://evil.example"}) == 403
        token = next(stage.state.glob("*/token")).read_text().strip()
        assert web.status({"Authorization": f"Bearer {token}"}) == 200


def test_status_tells_decisions_apart_and_what_was_clamped(stage: Any) -> None:
    """The file stands over the plug-in's row; each decision of a real session has its reason."""
    config = stage.write(".config/shilu/config.toml", "")
    stage.environment["SHILU_EMBEDDER"] = "none"  # with one, every message is near to something: there is no "no hit"
    stage.start_daemon()
    overlay(stage, ".dsh/cordis.patch.yml", recallLimit=99)
    with stage.web() as web:
        stage.wait(lambda: web.status({}) == 401)
        session = web.create()
        for number, (file, text, reason) in enumerate(
            (
                ("", QUESTION, "shown"),
                ("recall = 'off'", f"{QUESTION} 再说一次", "off"),
                ("recall = 'auto'", "写一首关于大海的短诗", "no topic"),
                ("recall = 'always'", "保险公司是哪家？", "abstained"),
                ("recall = 'always'", "zxqv wvut qqpl", "no hit"),
                ("recall = always", ENGLISH, "core broken"),
            )
        ):
            config.write_text(f"{file}\n", encoding="utf-8")
            web.say(session, text)
            stage.wait(lambda number=number: len(stage.turns()) == number + 1)
            web.settled()
            told = web.told()
            assert (text, told["plugin"]["last"]["reason"]) == (text, reason)
            assert (text, told["daemon"]["recall"]["last"]["reason"]) == (text, reason)
            if reason == "shown":
                clamped = told["daemon"]["recall"]["clamped"]
                assert clamped == ["recallLimit 99 from plug-in settings: outside 1 to 20; 20 is used"]
