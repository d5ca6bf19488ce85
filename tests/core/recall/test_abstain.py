"""Abstention: what is asked for, what a line states, and whether the two meet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from shilu_core.embed import resolve
from shilu_core.facts import Fact
from shilu_core.recall.abstain import (
    FEATURES,
    Evidence,
    Judged,
    compared,
    each_line,
    judge,
    models,
    together,
    whole_turn,
)
from shilu_core.recall.aspects import asked, concepts, stated
from shilu_core.recall.comparison import LINE_FEATURES
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
    question, evidence = "网关的端口", Evidence()
    ask, found = compared(question, (hit("网关监听 8443"),), evidence)
    assert len(whole_turn(question, ask, found, evidence)) + 1 == len(FEATURES)
    assert [len(values) for values in each_line(ask, found, evidence)] == [len(LINE_FEATURES)]
    assert {len(model.turn.weights) for model in models().values()} == {len(FEATURES)}
    assert {len(model.line.weights) for model in models().values()} == {len(LINE_FEATURES)}


def test_lines_together_are_worth_no_less_than_the_best_of_them() -> None:
    assert together([2.0]) == pytest.approx(1.0)
    assert together([2.0, -9.0]) >= 1.0
    assert together([]) < -5


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("What time format do we use?", {"format"}),
        ("圆角是多少像素", {"pixels"}),
        ("打印机的 IP 是多少", {"address"}),
        ("开放日几点开始", {"clock"}),
        ("开放日是哪天", {"day"}),
        ("How often are keys rotated?", {"frequency"}),
        ("which vendor delivers the maps", {"supplier", "choice"}),
        ("这台装的什么系统", {"system", "choice"}),
        ("larch 的序列号", set()),
    ],
)
def test_a_broad_kind_gives_way_to_the_narrow_one(question: str, kinds: set[str]) -> None:
    assert asked(question) == kinds


@pytest.mark.parametrize(
    ("kind", "line", "is_stated"),
    [
        ("clock", "每月第一个周六在河边开放", False),
        ("clock", "每天 02:30 做一次全量", True),
        ("version", "ledger-core is Kotlin on Spring", False),
        ("version", "固件是 3.2.1", True),
        ("version", "the machine is 10.20.0.11", False),
        ("memory", "larch 有 8 核 32 GB", True),
        ("money", "每天限 2000 次", False),
        ("supplier", "短信走供应商“云雀”", True),
        ("person", "小程序用 Taro 写", False),
        ("person", "短信密钥由小鹿保管", True),
    ],
)
def test_a_value_of_another_kind_does_not_state_it(kind: str, line: str, is_stated: bool) -> None:
    assert (stated(line, frozenset({kind})) == {kind}) is is_stated


def test_a_number_behind_the_named_thing_is_its_version() -> None:
    line = "ledger-core is Kotlin on Spring Boot 3"
    assert stated(line, frozenset({"version"}), ("boot",)) == {"version"}
    assert stated(line, frozenset({"version"}), ("kotlin",)) == frozenset()


def test_what_stands_around_a_question_is_not_asked_about() -> None:
    assert subject_of("明天要给门店培训，面单多大？").concepts == concepts("面单多大")


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
