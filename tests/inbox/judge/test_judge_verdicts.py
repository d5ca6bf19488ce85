"""Verdicts of single facts: values, environments, polarity, replacement, containment, and the reasons given."""

from __future__ import annotations

import pytest
from shilu_core.facts import Fact
from shilu_inbox.judge import judge
from shilu_inbox.verdicts import FormerValue, Judgement, Submitted


def facts(*texts: str) -> list[Fact]:
    return [Fact(f"id{at}", text, "env.md", at + 1, at + 2) for at, text in enumerate(texts)]


def submit(*texts: str) -> list[Submitted]:
    return [Submitted(text, "codex-20261130-092825-01.md", "00", at + 1) for at, text in enumerate(texts)]


def one(text: str, *known: str, language: str = "en") -> Judgement:
    return judge(submit(text), facts(*known), language=language)[0]


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("提交訊息必須用英文書寫。", "提交讯息必须用英文书写"),
        ("The gateway's timeout is 30 seconds.", "gateway timeout = 30s"),
        ("网关超时半分钟", "网关超时 30 秒"),
        ("日报每天晚上十点发", "日报每天 22:00 发"),
        ("Backups are kept for two weeks.", "Backups are kept 14 days."),
        ("The cluster runs k8s 1.29.", "The cluster runs Kubernetes 1.29."),
    ],
)
def test_another_spelling_of_one_value_is_a_duplicate(text: str, known: str) -> None:
    judged = one(text, known, "The moon is round.")
    assert (judged.verdict, judged.target and judged.target.id) == ("duplicate", "id0")


def test_another_environment_is_another_fact() -> None:
    assert one("The dev gateway listens on 7443.", "The prod gateway listens on 8443.").verdict == "new"


@pytest.mark.parametrize(
    ("heading", "known", "text", "verdict"),
    [
        ("生产环境", "网关监听 8443 端口", "预发网关监听 7443 端口", "new"),
        ("生产环境", "网关监听 8443 端口", "生产网关监听 7443 端口", "conflict"),
        ("生产环境", "网关监听 8443 端口", "生产环境网关监听 8443 端口", "duplicate"),
        ("预发", "日志保留 7 天", "线上日志保留 30 天", "new"),
        ("Staging", "The gateway listens on 7443.", "The prod gateway listens on 8443.", "new"),
        ("Staging", "The gateway listens on 7443.", "The staging gateway listens on 8443.", "conflict"),
        ("Production servers", "Logs are kept 90 days.", "Staging logs are kept 7 days.", "new"),
        ("演示环境", "数据库每晚重置", "生产环境数据库从不重置", "new"),
        ("Testing", "The gateway listens on 7443.", "The gateway listens on 8443.", "conflict"),
        ("Network", "The gateway listens on 7443.", "The gateway listens on 8443.", "conflict"),
    ],
)
def test_a_heading_that_names_an_environment_speaks_for_the_facts_below_it(
    heading: str, known: str, text: str, verdict: str
) -> None:
    stored = [Fact("id0", known, "env.md", 2, 3, heading=heading), Fact("id1", "Tea is served at four.", "env.md", 4, 5)]
    assert judge(submit(text), stored)[0].verdict == verdict


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("展览五月十二日开幕", "展览在 5月12日 开幕"),
        ("The exhibition opens on May 12.", "The exhibition opens on 2026-05-12."),
        ("The contract ends on 2026-12-31.", "The contract ends on 31 December 2026."),
        ("泵运行一分半", "泵运行 90 秒"),
        ("例会 14:30 开始", "例会下午两点半开始"),
    ],
)
def test_a_date_or_time_written_in_another_way_is_the_same(text: str, known: str) -> None:
    assert one(text, known, "The moon is round.").verdict == "duplicate"


@pytest.mark.parametrize(
    ("text", "known"),
    [("展览五月二十一日开幕", "展览五月十二日开幕"), ("会员日是每月十八号", "会员日是每月八号")],
)
def test_another_day_is_a_conflict(text: str, known: str) -> None:
    assert one(text, known, "The moon is round.").verdict == "conflict"


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("Prefer Postgres over MySQL.", "We use Postgres, not MySQL."),
        ("画图工具选 Figma，不选 Sketch", "画图用 Figma 而不是 Sketch"),
        ("Lint with ruff, not flake8.", "用 ruff 代替 flake8 做静态检查"),
    ],
)
def test_a_choice_put_in_other_words_denies_nothing(text: str, known: str) -> None:
    assert one(text, known, "The moon is round.").verdict == "duplicate"


@pytest.mark.parametrize(
    ("text", "known"),
    [("Prefer npm over pnpm.", "Prefer pnpm over npm."), ("日志库用 logging，不用 structlog", "日志库用 structlog，不用 logging")],
)
def test_a_choice_turned_round_is_a_conflict_although_every_word_is_shared(text: str, known: str) -> None:
    assert one(text, known, "The moon is round.").verdict == "conflict"


def test_a_preferred_tool_for_one_kind_of_project_is_no_conflict() -> None:
    assert one("JavaScript 项目用 pnpm，不用 npm", "prefer pnpm over npm").verdict != "conflict"


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("周报每周五发送", "每周五发布"),
        ("Releases go out on Friday.", "The newsletter goes out on Friday."),
        ("每周五发布", "团队周报每周五发布"),
    ],
)
def test_another_subject_with_a_rejected_value_has_not_returned(text: str, gone: str) -> None:
    judged = judge(submit(text), [], former=[FormerValue(gone, "rejected", "2026-01-01")])[0]
    assert [flag.kind for flag in judged.flags if flag.kind == "returned"] == []


def test_one_environment_and_another_port_is_a_conflict_with_both_values_in_the_reason() -> None:
    judged = one("staging 服务器监听 9090 端口", "staging 服务器监听 8080 端口", language="zh")
    assert (judged.verdict, judged.reason) == ("conflict", "同一对象（服务器, staging）：这里是 9090，那里是 8080")


def test_a_reason_in_english_names_subject_and_both_values() -> None:
    judged = one(
        "billing-api listens on port 8080.", "billing-api listens on port 9090.", "billing-api logs to stdout."
    )
    assert judged.reason == "same subject (billing-api): 8080 here, 9090 there"


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("Agents may push to main.", "Agents must not push to main."),
        ("代理可以直接改配置", "禁止代理直接改配置"),
        ("Logs are never compressed.", "Logs are always compressed."),
    ],
)
def test_permission_against_prohibition_is_a_conflict(text: str, known: str) -> None:
    assert one(text, known, "Tea is served at four.").verdict == "conflict"


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("The label printer moved from port 9100 to 9200.", "The label printer listens on port 9100."),
        ("检索改用 Qdrant，不再用 Faiss", "检索用 Faiss"),
        ("We no longer deploy on Fridays.", "We deploy on Fridays."),
    ],
)
def test_a_sign_of_replacement_makes_it_a_supersession(text: str, known: str) -> None:
    judged = one(text, known, "Tea is served at four.")
    assert (judged.verdict, judged.target and judged.target.id) == ("supersede", "id0")


def test_a_supersession_quotes_the_sign_and_what_takes_whose_place() -> None:
    judged = one("The printer moved from port 9100 to 9200.", "The printer listens on port 9100.")
    assert judged.reason == "same subject (printer): 9200 takes the place of 9100 (sign: “moved”)"


def test_an_added_value_of_a_list_is_new() -> None:
    assert one("We also accept JCB.", "We accept Visa and Mastercard.", "Refunds take a day.").verdict == "new"


def test_every_line_shows_the_stored_facts_nearest_to_it() -> None:
    judged = one("The dev gateway has two replicas.", "The prod gateway listens on 8443.", "Tea is at four.")
    assert [near.fact.id for near in judged.nearest][:1] == ["id0"]


def test_a_rejected_value_is_flagged_when_it_returns_in_other_words() -> None:
    former = [FormerValue("The queue holds 500 jobs.", "rejected", "2026-03-01")]
    [judged] = judge(submit("The queue holds five hundred jobs"), [], former=former)
    assert [(flag.kind, flag.detail) for flag in judged.flags] == [
        ("returned", "was rejected 2026-03-01: The queue holds 500 jobs.")
    ]


def test_a_superseded_fact_of_the_vault_is_no_target_and_is_flagged_when_it_returns() -> None:
    known = [
        Fact("old", "search uses Faiss", "env.md", 1, 2, superseded=True),
        Fact("now", "search uses Qdrant", "env.md", 2, 3),
    ]
    [judged] = judge(submit("search uses Faiss."), known)
    assert (judged.verdict, judged.target and judged.target.id) == ("conflict", "now")
    assert [flag.kind for flag in judged.flags if flag.kind == "returned"] == ["returned"]


def test_what_holds_today_is_not_flagged_although_something_like_it_was_rejected() -> None:
    former = [FormerValue("The queue holds 500 jobs.", "rejected", "2026-03-01")]
    [judged] = judge(submit("The queue holds 500 jobs"), facts("The queue holds 500 jobs."), former=former)
    assert (judged.verdict, judged.flags) == ("duplicate", ())


def test_nothing_known_gives_new_and_says_so() -> None:
    judged = one("搜索服务在 search-1 上", language="zh")
    assert (judged.verdict, judged.reason, judged.nearest) == ("new", "没有相近的已知事实", ())


@pytest.mark.parametrize("text", ["", "🙂", "。。。", "\u200b", "a" * 50_000, "\udc8a half a pair"])
def test_odd_texts_get_a_verdict_and_do_not_raise(text: str) -> None:
    assert one(text, "The queue holds 500 jobs.", text).verdict in {"new", "duplicate", "conflict", "supersede"}


def test_progress_ends_at_the_total() -> None:
    told: list[tuple[int, int]] = []
    judge(submit("a b", "c d"), facts("e f"), progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (3, 3)


def test_equal_input_gives_equal_judgements() -> None:
    lines, known = submit("x listens on 1", "x listens on 2", "x 监听 1"), facts("x listens on 3", "y listens on 1")
    assert judge(lines, known) == judge(lines, known)
