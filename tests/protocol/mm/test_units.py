"""Sections 1 to 3: units, options, roots, topics, URIs, tags."""

import os
from pathlib import Path

import pytest
from shilu_host.mm import Memory, MmError, Options
from shilu_host.mm.options import from_json
from shilu_host.mm.paths import resolve_root
from shilu_host.mm.text import (
    byte_length,
    count_chars,
    count_lines,
    first_line,
    normalize_line,
    parse_tags,
    slug_for_topic,
    trim,
    validate_topic,
)
from shilu_host.mm.uris import MemoryUri, parse_memory_uri, uri_for


def test_1_1_a_character_is_a_code_point_and_a_byte_a_utf8_byte() -> None:
    assert (count_chars("a区😀"), byte_length("a区😀")) == (3, 8)


def test_1_1_surrogate_halves_count_as_the_character_they_make() -> None:
    assert (count_chars("\ud83d\ude00"), count_chars("\ud83d"), byte_length("\ud83d")) == (1, 1, 3)


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n", 1), ("a\r\nb\r\n", 2), ("a\rb\u2028c", 1)],
)
def test_1_1_only_lf_ends_a_line_and_a_final_one_opens_none(text: str, lines: int) -> None:
    assert count_lines(text) == lines


def test_1_2_the_defaults_are_the_documents() -> None:
    options = Options()
    assert (options.index_lines, options.index_bytes, options.detail_max_bytes) == (200, 25_600, 65_536)
    assert (options.default_write_budget, options.search_limit, options.max_snippet_chars) == (4_000, 10, 160)
    assert (options.nudge_interval_ms, options.memory_id, options.search_mode) == (1_800_000, "local", "auto")


@pytest.mark.parametrize("name", ["indexLines", "indexBytes", "detailMaxBytes", "defaultWriteBudget"])
@pytest.mark.parametrize("value", [0, -1, 1.5, "10", True])
def test_1_3_a_numeric_option_must_be_a_positive_integer(name: str, value: object) -> None:
    with pytest.raises(MmError, match=f"{name} must be a positive integer") as caught:
        from_json({name: value})
    assert caught.value.code == "E_INVALID"


def test_1_3_nested_limits_are_checked_and_null_means_the_default() -> None:
    for given in (
        {"search": {"limit": 0}},
        {"search": {"maxSnippetChars": -1}},
        {"nudge": {"intervalMs": 0}},
    ):
        with pytest.raises(MmError, match="positive integer"):
            from_json(given)
    assert from_json({"indexLines": None, "search": None, "indexBytes": 300.0}).index_bytes == 300


def test_1_3_a_memory_id_is_a_slug_of_any_length() -> None:
    assert from_json({"memoryId": "m" * 100}).memory_id == "m" * 100
    for value in ("", "a b", "-a", "记忆", "a\n", 7):
        with pytest.raises(MmError, match="memoryId"):
            from_json({"memoryId": value})


def test_2_1_the_layout_is_an_index_and_a_folder_of_details(root: Path) -> None:
    Memory.ensure(Options(root=str(root))).write("alpha", "text")
    assert sorted(str(path.relative_to(root)) for path in root.rglob("*")) == [
        "MEMORY.md",
        "memories",
        os.path.join("memories", "alpha.md"),
    ]


@pytest.mark.parametrize(
    ("given", "environment", "expected"),
    [
        (" /r/x ", {"DSH_MEMORY_ROOT": "/env"}, "/r/x"),
        ("  ", {"DSH_MEMORY_ROOT": " /env "}, "/env"),
        (None, {"DSH_MEMORY_ROOT": "", "DSH_HOME": "/dsh"}, "/dsh/memory"),
        (None, {"HOME": "/home/li"}, "/home/li/.dsh/memory"),
        ("~/m", {"HOME": "/home/li"}, "/home/li/m"),
        ("~", {"HOME": "/home/li"}, "/home/li"),
        ("$BASE/${SUB}/$NONE/m", {"BASE": "/b", "SUB": "s"}, "/b/s/m"),
        (None, {"DSH_MEMORY_ROOT": "$BASE/m", "BASE": "/b"}, "/b/m"),
        ("/a/../b/", {}, "/b"),
    ],
)
def test_2_2_the_root_is_given_or_from_the_environment(
    given: str | None, environment: dict[str, str], expected: str
) -> None:
    assert str(resolve_root(given, environment).folder) == expected


def test_2_2_a_relative_root_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert resolve_root("m", {}).folder == tmp_path / "m"


def test_2_3_ensure_makes_the_root_and_never_overwrites_an_index(root: Path) -> None:
    Memory.ensure(Options(root=str(root)))
    assert (root / "memories").is_dir()
    (root / "MEMORY.md").write_bytes(b"## kept\n")
    assert [entry.topic for entry in Memory.ensure(Options(root=str(root))).read_index().entries] == ["kept"]
    assert (root / "MEMORY.md").read_bytes() == b"## kept\n"


def test_2_3_open_needs_the_root_but_not_the_index(root: Path) -> None:
    with pytest.raises(MmError, match="memory root does not exist") as caught:
        Memory.open(Options(root=str(root)))
    assert caught.value.code == "E_NOT_INITIALIZED"
    root.mkdir()
    assert Memory.open(Options(root=str(root))).list_notes() == ()


@pytest.mark.parametrize("topic", ["a", "A.b_c-9", "0", "x" * 64, "CON", "a-"])
def test_3_1_a_topic_is_a_portable_slug(topic: str) -> None:
    assert validate_topic(topic) == topic


@pytest.mark.parametrize("topic", ["", "-a", ".a", "a b", "a/b", "部署", "alpha\n", "x" * 65, "é", None, 7])
def test_3_1_anything_else_is_no_topic(topic: object) -> None:
    with pytest.raises(MmError, match="topic") as caught:
        validate_topic(topic)
    assert caught.value.code == "E_INVALID"


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Deploy Region", "deploy-region"),
        ("  --Ａ１ / b--c-- ", "a1-b-c"),
        ("部署区域", None),
        ("部署 Region 北京", "region"),
        ("._x", None),
        ("a" * 63 + " b", "a" * 63 + "-"),
        ("", None),
        ("K", "k"),
    ],
)
def test_3_2_a_slug_is_made_of_free_text(text: str, slug: str | None) -> None:
    assert slug_for_topic(text) == slug


@pytest.mark.parametrize(
    ("text", "uri"),
    [
        ("mm://local/deploy", MemoryUri("local", "deploy")),
        ("mm:deploy", MemoryUri(None, "deploy")),
        ("mm:" + "x" * 80, MemoryUri(None, "x" * 80)),
        ("MM:deploy", None),
        (" mm:deploy", None),
        ("mm:deploy\n", None),
        ("mm://local/", None),
        ("mm://lo cal/x", None),
        ("mm://a/b/c", None),
        ("http://local/x", None),
        (7, None),
    ],
)
def test_3_3_uris_are_canonical_or_short(text: object, uri: MemoryUri | None) -> None:
    assert parse_memory_uri(text) == uri


def test_3_3_a_uri_round_trips() -> None:
    assert parse_memory_uri(uri_for("team", "a.b")) == MemoryUri("team", "a.b")
    with pytest.raises(MmError):
        uri_for("team", "a b")


def test_3_4_tags_are_split_folded_and_unique() -> None:
    assert parse_tags(" Infra ，deploy;DEPLOY；  two  words ,,É") == ("infra", "deploy", "two-words", "é")


def test_3_5_a_summary_is_one_line() -> None:
    assert normalize_line(" a\n\n b\u3000c\ufeff") == "a b c"


def test_3_5_the_first_line_is_cut_at_200_characters() -> None:
    assert first_line("记" * 201 + "\nrest") == "记" * 200 + "…"
    assert first_line("\nrest") == ""


def test_3_6_blanks_are_those_of_javascript() -> None:
    blanks = "\t\n\v\f\r \u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
    assert trim(blanks + "x" + blanks) == "x"
    for other in ("\x1c", "\x85", "\u200b", "\u180e"):
        assert trim(other + "x") == other + "x"
