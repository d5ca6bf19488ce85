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
