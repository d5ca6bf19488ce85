"""A batch is judged in order: restatements, conflicts between files, chains."""

from __future__ import annotations

from shilu_core.facts import Fact
from shilu_inbox.judge import judge
from shilu_inbox.verdicts import Judgement, Submitted


def batch(*texts: str, known: tuple[str, ...] = ()) -> list[Judgement]:
    lines = [Submitted(text, f"agent-20261130-0928{at:02d}-01.md", "00", 1) for at, text in enumerate(texts)]
    return judge(lines, [Fact(f"id{at}", text, "env.md", at + 1, at + 2) for at, text in enumerate(known)])


def test_two_ports_in_one_batch_are_one_conflict_with_the_earlier_line() -> None:  # F42
    first, second = batch("staging 服务器环境绑定在 127.0.0.1:8080", "staging 服务器环境绑定在 127.0.0.1:9090")
    assert (first.verdict, second.verdict, second.earlier) == ("new", "conflict", 0)


TWENTY_WORDINGS = (
    "The nightly backup of atlas starts at 02:30.",
    "atlas backups start at 2:30 am every night.",
    "Every night at 02:30 the backup of atlas starts.",
    "The backup of atlas starts nightly at 2:30 am.",
    "atlas: nightly backup starts 02:30",
    "Nightly at 2:30 the atlas backup begins.",
    "the nightly backup of atlas starts at 02:30",
    "The nightly backup of `atlas` starts at 02:30.",
    "Backup of atlas: starts nightly, 02:30",
    "The atlas backup begins at 02:30 each night.",
    "atlas 的备份每晚 2 点半开始",
    "atlas 每晚 02:30 开始备份",
    "每晚两点半 atlas 开始备份",
    "atlas 的夜间备份在凌晨 2:30 启动",
    "atlas 備份每晚 2 點半開始",
    "The nightly backup of ATLAS starts at 02:30!",
    "atlas nightly backup: 02:30",
    "The nightly backup for atlas starts at 2:30 a.m.",
    "atlas's nightly backup starts at 02:30.",
    "Nightly backup of atlas starts at 02:30",
)


def test_one_fact_in_twenty_wordings_is_one_new_line_and_restatements_of_it() -> None:  # F15
    judged = batch(*TWENTY_WORDINGS)
    assert judged[0].verdict == "new"
    restated = [one for one in judged[1:] if (one.verdict, one.earlier) == ("duplicate", 0)]
    assert len(restated) == len(TWENTY_WORDINGS) - 1


def test_restatements_of_a_stored_fact_add_nothing_and_the_contradiction_is_told() -> None:  # F14, the judge's part
    judged = batch(*TWENTY_WORDINGS[1:9], "The nightly backup of atlas starts at 04:00.", known=TWENTY_WORDINGS[:1])
    assert [one.verdict for one in judged[:8]] == ["duplicate"] * 8
    assert (judged[8].verdict, judged[8].target and judged[8].target.id) == ("conflict", "id0")


def test_a_later_instead_supersedes_and_is_what_comes_after_is_compared_with() -> None:  # F35
    first, second, third = batch(
        "Use ripgrep for searching the code.",
        "Use ast-grep for searching the code instead of ripgrep.",
        "ast-grep is used for searching the code.",
    )
    assert (first.verdict, second.verdict, second.earlier) == ("new", "supersede", 0)
    assert (third.verdict, third.earlier) == ("duplicate", 1)


def test_a_chain_of_replacements_follows_the_newest_line() -> None:
    judged = batch(
        "lantern 的镜像构建改用 Buildah",
        "lantern 镜像构建又从 Buildah 换成了 Kaniko",
        known=("lantern 的镜像构建用 Docker",),
    )
    assert [one.verdict for one in judged] == ["supersede", "supersede"]
    assert judged[0].target is not None and judged[1].earlier == 0


def test_a_value_that_an_earlier_line_replaced_conflicts_with_that_line() -> None:
    judged = batch(
        "The label printer daemon moved from port 9100 to 9200.",
        "Label printer daemon: port 9100.",
        known=("The label printer daemon listens on port 9100.",),
    )
    assert judged[0].verdict == "supersede"
    assert (judged[1].verdict, judged[1].target, judged[1].earlier) == ("conflict", None, 0)


def test_a_line_never_refers_to_a_later_one() -> None:
    judged = batch(*[f"service-{at} listens on port {7000 + at}." for at in range(12)])
    assert all(one.earlier is None or one.earlier < at for at, one in enumerate(judged))
