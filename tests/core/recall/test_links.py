"""What leads from line to line: where a thing is, words that few lines hold, and not what a crowd of lines names."""

from __future__ import annotations

from pathlib import Path

import pytest
from shilu_core.index.traits import ADDRESS, NUMBER, PLACE, PORT, TIME
from shilu_core.recall.links import fitting, leading

from tests.core.recall.vaults import an_engine, texts

FILL = "\n".join(f"- the kiosk screen number {number} shows menu {number}" for number in range(40))


def found(tmp_path: Path, lines: list[str], query: str, limit: int = 3) -> list[str]:
    note = "\n".join(f"- {line}" for line in lines)
    return texts(an_engine(tmp_path, {"environment": f"{note}\n{FILL}"}), query, limit=limit)


def test_an_address_is_found_over_the_line_that_says_on_which_machine(tmp_path: Path) -> None:
    lines = [
        "the label-batch job starts at 05:00",
        "label-batch moved from loquat to feijoa",
        "feijoa (10.0.0.46) has 32 cores",
        "label-batch writes English labels",
    ]
    assert lines[2] in found(tmp_path, lines, "what is the IP of the machine of label-batch?", 4)


def test_the_same_in_chinese(tmp_path: Path) -> None:
    lines = ["打标任务 label-batch 每天五点开始", "label-batch 部署在 feijoa", "feijoa（10.0.0.46）有 32 个核"]
    assert set(found(tmp_path, lines, "label-batch 所在机器的 IP 是多少？")) == set(lines)


def test_rare_words_join_a_line_that_states_what_is_asked(tmp_path: Path) -> None:
    lines = ["parcel-bell subscribes to the message bus", "iyokan (10.0.0.35) hosts the message bus"]
    assert set(found(tmp_path, lines, "on which machine is what parcel-bell subscribes to?", 2)) == set(lines)


def test_a_role_leads_to_the_person_who_has_it(tmp_path: Path) -> None:
    lines = ["涉及钱的代码由后端组长审", "后端组长是阿橙，测试是小满"]
    assert set(found(tmp_path, lines, "涉及钱的代码归谁审，那个人叫什么？", 2)) == set(lines)


def test_rare_words_lead_nowhere_where_nothing_that_they_could_state_is_asked(tmp_path: Path) -> None:
    lines = ["parcel-bell subscribes to the message bus", "the message bus was painted red"]
    assert found(tmp_path, lines, "what does parcel-bell do?") == [lines[0]]


@pytest.mark.parametrize(
    ("asked", "fits", "leads"),
    [
        (ADDRESS, ADDRESS, PLACE),
        (PORT | NUMBER, PORT, PLACE),
        (PLACE, PLACE, 0),
        (TIME | NUMBER, TIME | NUMBER, 0),
        (0, 0, 0),
    ],
)
def test_what_fits_and_what_leads_on(asked: int, fits: int, leads: int) -> None:
    assert (fitting(asked), leading(asked)) == (fits, leads)
