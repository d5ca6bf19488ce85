"""Verdicts of single facts and batches."""

from shilu_core.facts import Fact
from shilu_inbox.judge import judge
from shilu_inbox.verdicts import FormerValue, Submitted


def fact(text: str, line: int = 1) -> Fact:
    return Fact(f"id{line}", text, "env.md", line, line + 1)


def submit(*texts: str) -> list[Submitted]:
    return [Submitted(text, "codex-20261130-092825-01.md", "00", at + 1) for at, text in enumerate(texts)]


def test_the_same_words_in_other_marks_and_script_are_a_duplicate():
    [judged] = judge(submit("提交訊息必須用英文書寫。"), [fact("提交讯息必须用英文书写")])
    assert judged.verdict == "duplicate" and judged.target is not None and judged.target.id == "id1"


def test_two_ports_in_one_batch_are_one_conflict_with_the_earlier_line():
    first, second = judge(
        submit("staging 服务器环境绑定在 127.0.0.1:8080", "staging 服务器环境绑定在 127.0.0.1:9090"), []
    )
    assert (first.verdict, second.verdict, second.earlier) == ("new", "conflict", 0)


def test_a_cue_of_replacement_makes_it_a_supersession():
    [judged] = judge(
        submit("The label printer moved from port 9100 to 9200."),
        [fact("The label printer listens on port 9100.")],
    )
    assert judged.verdict == "supersede"


def test_a_rejected_value_is_flagged_when_it_returns():
    [judged] = judge(
        submit("The queue holds 500 jobs"),
        [],
        former=[FormerValue("The queue holds 500 jobs.", "rejected", "2026-03-01")],
    )
    assert [flag.kind for flag in judged.flags] == ["returned"]
