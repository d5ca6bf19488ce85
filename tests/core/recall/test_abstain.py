"""Abstention: what is asked for, what a line states, and whether the two meet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from shilu_core.embed import resolve
from shilu_core.facts import Fact
from shilu_core.recall.abstain import FEATURES, Evidence, Judged, features, judge, models
from shilu_core.recall.aspects import asked, concepts, stated
from shilu_core.recall.engine import Engine
from shilu_core.recall.results import Hit
from shilu_core.recall.subject import subject_of
from shilu_core.vault import recognise

EXAMPLE = Path(__file__).parents[3] / "vault-example"


def hit(text: str) -> Hit:
    return Hit(Fact("a" * 10, text, "env.md", 1, 2), 1.0)


@pytest.mark.parametrize(
    ("question", "kind", "line"),
    [
        ("What port is the gateway on?", "port", "The gateway listens on 8443."),
        ("网关的端口是多少", "port", "网关监听 8443"),
        ("用的哪个版本", "version", "数据库是 PostgreSQL 17"),
        ("Who owns billing?", "person", "阿槐管结算"),
        ("什么时候发布", "moment", "每周二 10:00 发布"),
        ("How long are logs kept?", "duration", "日志保留 45 天"),
        ("备份放在哪个目录", "path", "Dumps lie in /volume1/backup."),
        ("为什么不用轮询", "reason", "We chose MQTT because routers have no fixed address."),
        ("一天最多几次", "amount", "每天最多 3 次"),
        ("主色是什么颜色", "colour", "主色 #5B7F4B"),
        ("退款的命令是什么", "command", "回滚用 `just back larch`"),
        ("which machine runs it", "host", "跑在 larch 上"),
    ],
)
def test_what_is_asked_for_is_found_in_the_line_that_states_it(question: str, kind: str, line: str) -> None:
    assert kind in asked(question)
    assert stated(line, frozenset({kind})) == {kind}


def test_a_line_without_a_value_states_none() -> None:
    wanted = frozenset({"port", "colour", "duration", "command"})
    assert stated("Claude writes the documents.", wanted) == frozenset()


def test_concepts_meet_across_languages() -> None:
    assert concepts("memory limit") & concepts("内存上限")
    assert not concepts("内存上限") & concepts("磁盘")


def test_the_head_of_a_question_is_what_it_asks_about() -> None:
    assert subject_of("Which test framework does notify-hub use?").head_words == ("test", "framework")
    assert "notify-hub" in subject_of("Which test framework does notify-hub use?").names
    assert "连接" in subject_of("最大连接数是多少").head_pairs


def test_no_hits_never_answer() -> None:
    assert judge("端口是多少", (), Evidence()) == Judged(0.0, True)


def test_features_are_one_number_for_each_name() -> None:
    assert len(features("网关的端口", (hit("网关监听 8443"),), Evidence())) == len(FEATURES)
    assert {len(model.weights) for model in models().values()} == {len(FEATURES)}


@pytest.mark.parametrize("query", ["", "?", "\0", "\ud800", "谁" * 5_000, "which " * 2_000, "a-" * 3_000])
def test_any_question_gets_a_probability(query: str) -> None:
    assert 0.0 <= judge(query, (hit("The lamp is red."),), Evidence()).answered <= 1.0


def test_a_line_that_states_what_is_asked_is_worth_more_than_one_that_does_not() -> None:
    question, evidence = "网关监听哪个端口？", Evidence()
    stating, silent = hit("网关监听端口 8443"), hit("网关是用 Go 写的")
    assert judge(question, (stating,), evidence).answered > judge(question, (silent,), evidence).answered


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    embedder = resolve()
    if embedder is None or not EXAMPLE.is_dir():
        pytest.skip("no embedder works here, or vault-example is away")
    opened = Engine.open(recognise(EXAMPLE), tmp_path_factory.mktemp("cache"), embedder=embedder)
    assert opened.meaning is not None
    opened.meaning.fill(lambda progress: None)  # type: ignore[attr-defined]
    yield opened
    opened.close()


@pytest.mark.parametrize("query", ["sprout-api 监听哪个端口？", "Where do the database backups go?", "谁做固件？"])
def test_what_the_example_vault_knows_is_answered(engine: Engine, query: str) -> None:
    assert not engine.search(query).weak


@pytest.mark.parametrize("query", ["What is the capital of Chile?", "今天午饭吃什么好", "保险公司是哪家"])
def test_what_it_does_not_know_is_weak(engine: Engine, query: str) -> None:
    assert engine.search(query).weak
