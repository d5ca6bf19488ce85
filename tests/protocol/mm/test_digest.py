"""Section 9: digests."""

import json
import os
from pathlib import Path

import pytest
from shilu_host.mm import MmError
from shilu_host.mm.digest_sources import flatten_record

LOG = '{"type":"user/message","content":"keep this mm:region 部署在北京"}\n'


@pytest.fixture
def memory(ensure):
    return ensure()


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    folder = tmp_path / "dsh" / "sessions"
    folder.mkdir(parents=True)
    return folder


def found(memory, text: str, **options: object) -> list[tuple[str, str, str]]:
    candidates = memory.digest(source=text, **options).candidates
    return [(candidate.kind, candidate.topic, candidate.body) for candidate in candidates]


def put(folder: Path, name: str, text: str, time: int) -> None:
    (folder / name).write_text(text, encoding="utf-8")
    os.utime(folder / name, (time, time))


def test_9_1_a_file_comes_before_a_text_and_a_text_before_the_logs(memory, sessions: Path, tmp_path: Path) -> None:
    put(sessions, "s.md", "MEMO: log", 1)
    (tmp_path / "f.txt").write_text("MEMO: file", encoding="utf-8")
    file = str(tmp_path / "f.txt")
    results = [
        memory.digest(file=file, source="MEMO: text"),
        memory.digest(source="MEMO: text"),
        memory.digest(source=" "),
    ]
    assert [result.candidates[0].body for result in results] == ["file", "text", "log"]
    assert [result.source for result in results] == [file, "<text>", str(sessions / "s.md")]


def test_9_1_a_missing_file_is_an_error(memory, tmp_path: Path) -> None:
    for path in (tmp_path / "none.md", tmp_path):
        with pytest.raises(MmError, match="digest source") as caught:
            memory.digest(file=str(path))
        assert caught.value.code == "E_DIGEST_SOURCE"


def test_9_1_the_newest_log_wins_and_of_equal_ones_the_first_by_name(memory, sessions: Path) -> None:
    for name, time in (("b.jsonl", 5), ("a.json", 5), ("old.md", 1), ("new.txt", 9), ("x.MD", 9)):
        put(sessions, name, f"MEMO: {name}", time)
    (sessions / "folder.md").mkdir()
    assert memory.digest().candidates[0].body == "a.json"


def test_9_1_eight_mebibytes_are_read(memory, tmp_path: Path) -> None:
    path = tmp_path / "big.txt"
    path.write_bytes(b"MEMO: first\n" + b"x" * (8 * 1024 * 1024) + b"\nMEMO: last\n")
    assert [candidate.body for candidate in memory.digest(file=str(path)).candidates] == ["first"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('\n \n{"type": null}', "session-log"),
        ('{"kind":"x"}\n{"type":"y"}', "text"),
        ("42", "text"),
        ('"text"', "text"),
        ('[{"type":"x"}]', "text"),
        ("null", "text"),
        ('{"type":NaN}', "text"),
        ("prose", "text"),
        ("[" * 100_000, "text"),
    ],
)
def test_9_2_a_log_begins_with_an_object_that_has_a_type(memory, text: str, kind: str) -> None:
    assert memory.digest(source=text).source_kind == kind


def test_9_2_nothing_found_is_no_error(memory) -> None:
    result = memory.digest()
    assert (result.source, result.source_kind, result.candidates) == ("<none>", "none", ())
    assert (result.usage.chars, result.usage.overflow) == (0, 0) and result.note


def test_9_3_strings_are_collected_in_the_order_of_their_keys() -> None:
    record = {
        "type": "t",
        "z": " last ",
        "text": "2",
        "id": "no",
        "content": ["1", {"b": "1b", "message": "1a", "time": "no"}],
        "n": 7,
        "empty": " ",
    }
    assert flatten_record(json.dumps(record)) == "t 1 | 1a | 1b | 2 | last"


def test_9_3_depth_eight_is_the_limit() -> None:
    deep: object = "found"
    for _ in range(8):
        deep = [deep]
    assert flatten_record(json.dumps(deep)) == "found"
    assert flatten_record(json.dumps({"type": "t", "a": deep})) == "t"


def test_9_3_lines_that_are_no_record_stay_and_long_strings_become_lines(memory) -> None:
    text = '{"type":"t","text":"first\\nMEMO: two"}\n  MEMO: three \n"MEMO: four"\n'
    text += '{"type":"","text":"MEMO: five"}'
    assert found(memory, text) == [
        ("explicit", f"memo-{number}", body) for number, body in ((1, "two"), (2, "three"), (3, 'four"'), (4, "five"))
    ]


@pytest.mark.parametrize(
    ("line", "topic", "body"),
    [
        ("see mm://team/a.b: - 部署", "a.b", "部署"),
        ("见mm:region，北京", "region", "，北京"),
        ("（mm:x）", "x", "）"),
        ("only mm:x", "x", "only mm:x"),
        (" mm:x :：,- y mm:z ", "x", "y mm:z"),
        ("mm:x.", "x.", "mm:x."),
    ],
)
def test_9_4a_the_first_uri_names_the_topic_and_the_rest_is_the_body(memory, line: str, topic: str, body: str) -> None:
    assert found(memory, line) == [("uri", topic, body)]


@pytest.mark.parametrize("line", ["xmm:a b", "_mm:a", "MM:a b", "mm://only b", "mm: b", "9mm:a"])
def test_9_4a_a_word_before_it_or_another_case_makes_no_uri(memory, line: str) -> None:
    assert found(memory, line) == []


def test_9_4a_a_line_with_a_uri_is_consumed_inside_a_section_too(memory) -> None:
    text = "## Plan\none\nmm:x two\nthree\nMEMO: mm:y four"
    assert found(memory, text) == [
        ("uri", "x", "two"),
        ("uri", "y", "four"),
        ("heading", "plan", "one\nthree"),
    ]


def test_9_4b_headings_open_and_close_sections(memory) -> None:
    text = "# no\n## One two\n a \n### Three\nb\n## 纯中文\nc\n#### four\nd\n##five\n"
    assert found(memory, text) == [("heading", "one-two", "a"), ("heading", "three", "b")]


def test_9_4c_a_section_takes_marked_lines(memory) -> None:
    text = "MEMO: before\n## S\nMEMO: in\nSummary: too\n\nend\n"
    assert found(memory, text) == [
        ("explicit", "memo-1", "before"),
        ("heading", "s", "MEMO: in\nSummary: too\n\nend"),
    ]


@pytest.mark.parametrize(
    ("line", "body"),
    [
        ("MEMO: x", "x"),
        ("memo：x MEMO: y", "x MEMO: y"),
        ("- Remember:x", "x"),
        ("记忆： x", "x"),
        ("好，记住:x", "x"),
        ("a memo: x", "x"),
        ("**MEMO:** x", "** x"),
    ],
)
def test_9_4d_an_explicit_line_begins_after_no_letter_or_digit(memory, line: str, body: str) -> None:
    assert found(memory, line) == [("explicit", "memo-1", body)]


@pytest.mark.parametrize("line", ["REMEMBER this: x", "请记住: x", "2MEMO: x", "amemo: x", "MEMO : x", "MEMO:  "])
def test_9_4d_other_lines_are_none(memory, line: str) -> None:
    assert found(memory, line) == []


def test_9_4d_only_non_empty_ones_are_counted_and_the_hint_is_the_topic(memory) -> None:
    text = "MEMO:\nMEMO: a\nMEMO: b"
    assert found(memory, text) == [("explicit", "memo-1", "a"), ("explicit", "memo-2", "b")]
    assert found(memory, text, topic_hint="hint") == [("explicit", "hint", "a")]


def test_9_4e_summary_lines_have_their_own_numbers(memory) -> None:
    text = "Summary: a\n结论： b\nMEMO: m\nconclusion:\n总结:c Summary: d"
    assert found(memory, text) == [
        ("explicit", "memo-1", "m"),
        ("summary", "summary-1", "a"),
        ("summary", "summary-2", "b"),
        ("summary", "summary-3", "c Summary: d"),
    ]


def test_9_5_a_section_without_a_body_is_no_candidate(memory) -> None:
    assert found(memory, "## A\n \n## B\n\n x \n y\n\n") == [("heading", "b", "x\ny")]


def test_9_6_the_first_of_a_topic_wins_then_kinds_are_in_order_then_the_cut(memory) -> None:
    text = "Summary: s\nMEMO: m\nmm:x one\nmm:x two\nmm:memo-1 u\n## X\nh\n## Y\nh"
    expected = [
        ("uri", "x", "one"),
        ("explicit", "memo-1", "m"),
        ("summary", "summary-1", "s"),
        ("heading", "y", "h"),
    ]
    assert found(memory, text) == expected
    assert found(memory, text, max_items=2) == expected[:2]
    assert found(memory, text, max_items=0) == found(memory, text, max_items="2") == expected


def test_9_6_fifty_items_are_the_default(memory) -> None:
    assert len(found(memory, "\n".join(f"mm:t{number} x" for number in range(60)))) == 50


def test_9_7_a_body_is_cut_to_the_write_budget(ensure) -> None:
    result = ensure(default_write_budget=3).digest(source="MEMO: 一二三四\nMEMO: ab")
    first, second = result.candidates
    assert (first.body, first.chars, first.budget, first.over_budget, first.summary) == (
        "一二三",
        3,
        3,
        True,
        "一二三四",
    )
    assert (second.body, second.chars, second.over_budget) == ("ab", 2, False)
    assert (result.usage.chars, result.usage.budget, result.usage.overflow) == (5, 3, 2)


def test_9_7_the_summary_is_the_first_line_up_to_200_characters(memory) -> None:
    (candidate,) = memory.digest(source="## S\n" + "记" * 201 + "\nrest").candidates
    assert candidate.summary == "记" * 200 + "…"


def test_9_a_digest_never_writes(memory, root: Path, sessions: Path) -> None:
    put(sessions, "s.jsonl", LOG, 1)
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    result = memory.digest()
    assert (result.source_kind, result.candidates[0].topic) == ("session-log", "region")
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before
    assert memory.pending_writes == 0
