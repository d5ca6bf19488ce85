"""The topic gate: on messages that stand in no data file, with and without a vector."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from shilu_core.embed import resolve
from shilu_core.recall.gate import Gate, wants_memory
from shilu_core.recall.gate_cues import CUES, own_words

NEEDED = (
    "Where did we put the keys for the mail relay?",
    "上次发版为什么失败了？",
    "按我的习惯给这个函数起名",
    "谁负责结算模块？",
    "生产机的日志拉下来看看",
)
NOT_NEEDED = (
    "What is the capital of Chile?",
    "什么是哈希表？",
    "Translate to French: our production server is down since yesterday.",
    "翻译成英文：我们上次定的密码放在老地方。",
    "thanks!",
    "好的，谢谢",
    "用 Python 写一个快速排序",
    "In general, which port does SMTP use by default?",
)
SHORT_AND_OWN = (  # one attribute of the user's own world, no word such as "my" or "last time"
    "周报什么时候发？",
    "周会是哪天",
    "what language for commit messages",
    "编辑器字体是什么",
    "CI 机器是哪台",
    "护照放哪了",
)
SHORT_AND_GENERAL = (
    "冒泡排序的复杂度是多少",
    "What is the capital of Peru?",
    "git rebase 是什么意思",
    "TCP 端口有多少个",
    "重陽節是哪天",
)


@pytest.mark.parametrize("message", NEEDED)
def test_a_message_about_the_users_own_affairs_wants_memory(message: str) -> None:
    assert wants_memory(message).wanted


@pytest.mark.parametrize("message", SHORT_AND_OWN)
def test_a_short_question_after_something_of_the_users_own_wants_memory(message: str) -> None:
    assert wants_memory(message).wanted


@pytest.mark.parametrize("message", SHORT_AND_GENERAL)
def test_a_question_of_the_same_shape_after_general_knowledge_does_not(message: str) -> None:
    assert not wants_memory(message).wanted


@pytest.mark.parametrize("message", NOT_NEEDED)
def test_a_message_that_explains_itself_does_not(message: str) -> None:
    assert not wants_memory(message).wanted


def test_the_topic_is_named() -> None:
    assert wants_memory("堡垒机的登录密码").topic in ("credentials", "servers")
    assert {wants_memory(message).topic for message in NEEDED} <= {cue.topic for cue in CUES if cue.topic}


def test_nothing_is_named_where_nothing_is_wanted() -> None:
    assert wants_memory("什么是哈希表？").topic == ""


@pytest.mark.parametrize("message", ["", "\0", "\ud800", "？" * 50_000, "a" * 200_000, "```\n" * 5_000, ": " * 20_000])
def test_any_message_gets_an_answer(message: str) -> None:
    assert isinstance(wants_memory(message), Gate)


def test_the_material_of_an_order_is_not_what_the_user_says() -> None:
    assert own_words("翻译成法语：我们只在周二发布。") == "翻译成法语:"
    assert own_words('Fix "the server we moved last week is down" please') == "Fix   please"
    assert own_words("KeyError: 'site'\nDidn't we rename that?") == "KeyError: 'site'\nDidn't we rename that?"


def test_a_vector_of_an_unknown_model_changes_nothing() -> None:
    embedder = resolve()
    if embedder is None:
        pytest.skip("no embedder on this platform")
    message = "Pick a colour for the new badge."
    assert wants_memory(message, embedder.query(message), model_id="other:1:raw") == wants_memory(message)


def test_the_vector_of_a_fitted_model_counts() -> None:
    embedder = resolve()
    if embedder is None:
        pytest.skip("no embedder on this platform")
    message = "Pick a colour for the new badge."
    found = wants_memory(message, embedder.query(message), model_id=embedder.model_id)
    assert found.wanted and found.score != wants_memory(message).score


def test_the_shared_set_is_let_through_and_turned_away_as_promised() -> None:
    path = Path(os.environ.get("SHILU_SHARED", "absent")) / "cases" / "gate.jsonl"
    embedder = resolve()
    if not path.exists() or embedder is None:
        pytest.skip("SHILU_SHARED names no folder with cases/gate.jsonl, or no embedder works here")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for with_vector, least, most in ((True, 0.95, 0.08), (False, 0.85, 0.15)):
        wanted = {True: [0, 0], False: [0, 0]}
        for row in rows:
            vector = embedder.query(row["message"]) if with_vector else None
            found = wants_memory(row["message"], vector, model_id=embedder.model_id)
            wanted[row["recall"]][found.wanted] += 1
        assert wanted[True][1] / sum(wanted[True]) >= least
        assert wanted[False][1] / sum(wanted[False]) <= most
