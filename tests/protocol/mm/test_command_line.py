"""Section 12: `shilu mm`, run as a process would run it."""

import json
from pathlib import Path

import pytest
from shilu_host.cli import main


@pytest.fixture
def shilu(root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("DSH_HOME", str(tmp_path / "dsh"))
    monkeypatch.delenv("DSH_MEMORY_ROOT", raising=False)

    def run(*words: str) -> tuple[int, str, str]:
        status = main(["mm", *words, "--root", str(root)])
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    return run


def value(answer: tuple[int, str, str]) -> object:
    assert answer[1].count("\n") == 1
    return json.loads(answer[1])


def test_12_init_makes_the_root(shilu, root: Path) -> None:
    assert value(shilu("init", "--json")) == {
        "ok": True,
        "root": str(root),
        "files": ["MEMORY.md", "memories/"],
    }
    assert "MEMORY.md" in shilu("init")[1] and (root / "memories").is_dir()


def test_12_write_and_read_in_two_calls(shilu) -> None:
    status, out, _ = shilu("write", "a", "--content", "部署在北京", "--summary=城市", "--tags", "x，y", "--json")
    assert (status, json.loads(out)["action"]) == (0, "created")
    note = value(shilu("read", "a", "--json"))
    assert (note["body"], note["summary"], note["tags"]) == ("部署在北京", "城市", ["x", "y"])
    assert "部署在北京" in shilu("read", "a")[1]


def test_12_an_over_budget_write_ends_with_status_1_and_its_json(shilu, root: Path) -> None:
    shilu("init")
    status, out, err = shilu("write", "a", "--content", "12345", "--budget", "4", "--json")
    assert (status, json.loads(out)["code"], err) == (1, "E_WRITE_BUDGET_EXCEEDED", "")
    status, out, err = shilu("write", "a", "--content", "12345", "--budget=4")
    assert (status, out) == (1, "") and err.startswith("dsh-memory: content exceeds its write budget")
    assert list((root / "memories").iterdir()) == []


def test_12_read_gives_the_index_all_notes_or_says_what_is_missing(shilu) -> None:
    shilu("write", "a", "--content", "x")
    assert [entry["topic"] for entry in value(shilu("read", "--json"))["entries"]] == ["a"]
    everything = value(shilu("read", "--all", "--json"))
    assert (list(everything), everything["notes"][0]["body"]) == (["index", "notes"], "x")
    status, out, _ = shilu("read", "b", "--json")
    assert (status, json.loads(out)) == (1, {"found": False, "topic": "b", "uri": "mm://local/b"})
    assert shilu("read", "b")[0] == 1 and "- a" in shilu("read")[1]


def test_12_list_and_budget(shilu) -> None:
    shilu("write", "b", "--content", "x", "--summary", "s")
    shilu("write", "a", "--content", "x")
    listed = value(shilu("list", "--json"))
    assert (listed["topics"], listed["count"]) == (["a", "b"], 2)
    assert list(listed["notes"][1]) == ["topic", "uri", "summary", "updated"]
    assert value(shilu("budget", "--json"))["detail"]["noteCount"] == 2
    assert shilu("list")[1] == "a\nb\n" and "2 entries" in shilu("budget")[1]


def test_12_search_takes_mode_and_limit(shilu) -> None:
    for topic in ("a", "b"):
        shilu("write", topic, "--content", "部署区域 word")
    found = value(shilu("search", "区域", "--limit", "1", "--json"))
    assert (found["engine"], found["total"], found["truncated"]) == ("scan", 2, True)
    assert value(shilu("search", "word", "--mode", "scan", "--json"))["engine"] == "scan"
    assert value(shilu("search", "word", "--mode", "other", "--limit", "0", "--json"))["total"] == 2
    assert "the first 1 shown" in shilu("search", "区域", "--limit=1")[1]


def test_12_digest_of_a_file_a_text_or_nothing(shilu, tmp_path: Path) -> None:
    (tmp_path / "log.md").write_text("MEMO: a\nMEMO: b", encoding="utf-8")
    from_file = value(shilu("digest", "--file", str(tmp_path / "log.md"), "--max-items", "1", "--json"))
    assert [candidate["body"] for candidate in from_file["candidates"]] == ["a"]
    hinted = value(shilu("digest", "--text", "MEMO: a", "--topic-hint", "t", "--json"))
    assert hinted["candidates"][0]["topic"] == "t"
    assert value(shilu("digest", "--json"))["sourceKind"] == "none"
    assert shilu("digest", "--json")[0] == 0 and shilu("digest")[0] == 1
    assert shilu("digest", "--file", "/none", "--json") == (
        1,
        "",
        "dsh-memory: digest source file not found: /none; give the path of a log\n",
    )


def test_12_delete_ends_well_also_when_nothing_is_there(shilu) -> None:
    shilu("write", "a", "--content", "x")
    assert [value(shilu("delete", "a", "--json"))["removed"] for _ in range(2)] == [True, False]
    assert shilu("delete", "a")[0] == 0 and shilu("read", "a")[0] == 1


def test_12_uri_is_plain_only(shilu) -> None:
    assert shilu("uri", "a") == shilu("uri", "a", "--json") == (0, "mm://local/a\n", "")


def test_12_no_verb_and_help_show_the_usage(shilu, root: Path) -> None:
    for words in ((), ("help",), ("write", "--help")):
        status, out, _ = shilu(*words)
        assert status == 0 and out.startswith("usage: shilu mm VERB")
    assert not root.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("write", "a"), "write needs --content"),
        (("write", "a", "--content", "--x"), "write needs --content"),
        (("write",), "write needs TOPIC"),
        (("write", "a b", "--content", "x"), "topic 'a b' is no slug"),
        (("write", "a", "--content", "x", "--budget", "-1"), "--budget expects a non-negative integer"),
        (("search", "x", "--limit", "1.5"), "--limit expects"),
        (("search", " "), "search query"),
        (("paint",), "unknown verb 'paint'"),
    ],
)
def test_12_1_errors_go_to_standard_error_with_status_1(shilu, words: tuple[str, ...], message: str) -> None:
    status, out, err = shilu(*words, "--json")
    assert (status, out) == (1, "")
    assert err.startswith("dsh-memory: ") and message in err


def test_12_1_a_value_may_begin_with_dashes_behind_an_equals_sign(shilu) -> None:
    shilu("write", "a", "--content=--x = y", "--unknown", "ignored")
    assert value(shilu("read", "a", "--json"))["body"] == "--x = y"
    shilu("write", "a", "--content", "- bullet")
    assert value(shilu("read", "a", "--json"))["body"] == "- bullet"


def test_12_1_every_verb_but_help_makes_the_root(shilu, root: Path) -> None:
    assert shilu("list")[1] == "no notes yet\n" and (root / "MEMORY.md").exists()


def test_12_1_flags_may_stand_before_the_verb(capsys: pytest.CaptureFixture[str], root: Path) -> None:
    assert main(["mm", "--json", "--root", str(root), "list"]) == 0
    assert json.loads(capsys.readouterr().out) == {"topics": [], "count": 0, "notes": []}


def test_7_8_each_call_is_a_fresh_memory(shilu) -> None:
    shilu("write", "a", "--content", "x")
    assert value(shilu("budget", "--json"))["pendingWrites"] == 0
