"""Section 4: MEMORY.md, both ways."""

import os
from pathlib import Path

import pytest
from shilu_host.mm import Memory, MmError, Options
from shilu_host.mm.index_text import parse_index, serialize_index
from shilu_host.mm.paths import assert_safe_rel_path
from shilu_host.mm.values import IndexEntry

HEAD = """\
# MEMORY.md

Memory Standard Index — hand-load priority; managed by dsh-memory-standard.
Hard caps: 200 lines / 25600 bytes. Over budget => rewrite (never truncate).

> mm-id: local
> mm-version: 1
> mm-kind: index
> mm-caps: 200 lines / 25600 bytes
"""

ALPHA = """\
## alpha
- **summary:** 部署区域
- **tags:** a, b
- **file:** memories/alpha.md
- **updated:** 2026-01-02T03:04:05.000Z
- **budget:** 4/4000
"""


def serialized(*entries: IndexEntry) -> str:
    return serialize_index("local", 200, 25_600, entries)


def plain(topic: str, **fields: object) -> IndexEntry:
    return IndexEntry(topic=topic, memory_id="local", file=f"memories/{topic}.md", **fields)  # type: ignore[arg-type]


def test_4_1_the_header_is_what_stands_before_the_first_entry() -> None:
    head = "title\n> mm-id: team\n>mm-version: 12x\n> mm-kind: index\n> mm-caps: c\n> other: x\n\n"
    parsed = parse_index(head + "## a\n> mm-id: no\n")
    header = parsed.header
    assert (header.memory_id, header.version, header.kind, header.caps) == ("team", 12, "index", "c")
    assert (parsed.entries[0].memory_id, parsed.entries[0].entry_body) == ("team", "> mm-id: no")


def test_4_1_no_title_and_no_version_are_needed() -> None:
    parsed = parse_index("##\t a \n", "given")
    assert (parsed.header.memory_id, parsed.header.version, parsed.entries[0].topic) == ("given", 1, "a")


def test_4_1_only_lf_splits_lines() -> None:
    assert [entry.topic for entry in parse_index("x\u2028## b\n## a\n").entries] == ["a"]


def test_4_2_a_heading_that_is_no_topic_fails_the_load_and_names_the_line() -> None:
    with pytest.raises(MmError, match="line 3: the heading 'two words'") as caught:
        parse_index("## ok\n\n## two words\n")
    assert caught.value.code == "E_PARSE"


def test_4_2_deeper_headings_and_bare_hashes_open_no_entry() -> None:
    parsed = parse_index("## a\n### b\n##c\n## \n")
    assert [(entry.topic, entry.entry_body) for entry in parsed.entries] == [("a", "### b\n##c\n##")]


def test_4_3_known_keys_are_meta_and_the_last_one_wins() -> None:
    entry = parse_index("## a\n- **summary:** one\n-**summary:**two \n- **Summary:** x\n- **note:** y\n").entries[0]
    assert (entry.summary, entry.entry_body) == ("two", "- **Summary:** x\n- **note:** y")


def test_4_3_all_other_lines_form_the_body_in_order() -> None:
    entry = parse_index("## a\n\n  first\n\n### more\n- **tags:** t\n second \n\n").entries[0]
    assert entry.entry_body == "first\n\n### more\n second"


def test_4_4_what_is_missing_has_a_default() -> None:
    assert parse_index("## a\n").entries == (plain("a"),)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("3/40", (3, 40)), ("3/40 rest", (3, 40)), ("3 / 40", (0, 0)), ("x", (0, 0)), ("٣/٤", (0, 0))],
)
def test_4_4_a_budget_is_two_numbers_or_nothing(value: str, expected: tuple[int, int]) -> None:
    entry = parse_index(f"## a\n- **budget:** {value}\n").entries[0]
    assert (entry.body_chars, entry.write_budget) == expected


@pytest.mark.parametrize(
    "file", ["", "a\\b.md", "/etc/passwd", "C:x.md", "c:/x", "../x.md", "memories/../../x", "a\0b"]
)
def test_4_5_a_file_outside_is_refused(file: str) -> None:
    with pytest.raises(MmError, match="file") as caught:
        assert_safe_rel_path(file)
    assert caught.value.code == "E_PARSE"
    with pytest.raises(MmError):
        parse_index(f"## a\n- **file:** {file}\n")


@pytest.mark.parametrize("file", ["memories/a.md", "x/..y/a..md", "./a.md", "文件/甲.md"])
def test_4_5_a_file_below_is_taken(file: str) -> None:
    assert assert_safe_rel_path(file) == file


def test_4_5_a_root_with_a_malicious_file_does_not_open(root: Path) -> None:
    root.mkdir()
    (root / "MEMORY.md").write_text("## a\n- **file:** memories\\..\\..\\x.md\n", encoding="utf-8")
    with pytest.raises(MmError, match="backslash"):
        Memory.open(Options(root=str(root)))


def test_4_5_a_link_out_of_the_root_opens_nothing(root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    (root / "memories").mkdir(parents=True)
    os.symlink(tmp_path / "secret.md", root / "memories" / "a.md")
    (root / "MEMORY.md").write_text("## a\n", encoding="utf-8")
    with pytest.raises(MmError, match="leads out of the root"):
        Memory.open(Options(root=str(root)))


@pytest.mark.parametrize("file", ["MEMORY.md", "./MEMORY.md", "memories/./..x/../MEMORY.md", "hard.md"])
def test_4_5_an_entry_can_not_name_the_index_itself(root: Path, file: str) -> None:
    root.mkdir()
    (root / "MEMORY.md").write_text(f"## a\n- **file:** {file}\n", encoding="utf-8")
    os.link(root / "MEMORY.md", root / "hard.md")
    with pytest.raises(MmError) as caught:
        Memory.open(Options(root=str(root)))
    assert caught.value.code == "E_PARSE"
    assert (root / "MEMORY.md").exists()


def test_4_6_an_entry_has_nine_fields() -> None:
    entry = parse_index(HEAD + ALPHA + "\nby hand\n").entries[0]
    assert entry == IndexEntry(
        topic="alpha",
        memory_id="local",
        summary="部署区域",
        tags=("a", "b"),
        file="memories/alpha.md",
        updated="2026-01-02T03:04:05.000Z",
        body_chars=4,
        write_budget=4000,
        entry_body="by hand",
    )


def test_4_7_the_first_of_two_entries_is_read_and_a_write_leaves_one(root: Path) -> None:
    root.mkdir()
    (root / "MEMORY.md").write_text("## a\n- **summary:** one\n## a\n- **summary:** two\n", encoding="utf-8")
    memory = Memory.open(Options(root=str(root)))
    note = memory.read_topic("a")
    assert note and note.summary == "one" and len(memory.list_notes()) == 2
    memory.write("a", "text")
    assert [entry.summary for entry in memory.load().read_index().entries] == ["one"]


def test_4_8_an_empty_index_has_nine_lines_and_252_bytes() -> None:
    assert serialized() == HEAD
    assert (len(HEAD.splitlines()), len(HEAD.encode())) == (9, 252)


def test_4_8_the_first_entry_follows_the_header_directly() -> None:
    assert serialized(parse_index(HEAD + ALPHA).entries[0]) == HEAD + ALPHA


def test_4_9_entries_are_sorted_and_one_blank_line_apart() -> None:
    text = serialized(plain("b", entry_body="by\n\nhand"), plain("B"), plain("a"))
    bare = "- **summary:** \n- **tags:** \n- **file:** memories/{0}.md\n- **updated:** \n- **budget:** 0/0\n"
    sections = [f"## {topic}\n" + bare.format(topic) for topic in ("B", "a", "b")]
    assert text == HEAD + "\n".join(sections) + "\nby\n\nhand\n"


def test_4_10_two_hundred_lines_hold_27_plain_entries() -> None:
    assert serialized(*(plain(f"t{number}") for number in range(27))).count("\n") == 197


def test_4_11_a_rewrite_replaces_the_header_and_keeps_bodies(root: Path) -> None:
    root.mkdir()
    (root / "MEMORY.md").write_text("Intro\n> mm-id: other\n> mm-x: y\n\n## a\nby hand\n", encoding="utf-8")
    memory = Memory.open(Options(root=str(root)))
    assert memory.read_index().entries[0].memory_id == "other"
    memory.write("b", "text")
    text = (root / "MEMORY.md").read_text(encoding="utf-8")
    assert text.startswith(HEAD + "## a\n") and "\n\nby hand\n\n## b\n" in text


def test_4_12_a_heading_in_an_entry_body_opens_the_next_entry() -> None:
    assert [entry.topic for entry in parse_index("## a\nbody\n## b\n").entries] == ["a", "b"]


@pytest.mark.parametrize("line", ["  ## Plan for May", "\t- **summary:** of May"])
def test_16_an_indented_heading_by_hand_stays_text_at_the_next_write(ensure, root: Path, line: str) -> None:
    memory = ensure()
    (root / "MEMORY.md").write_text(f"## a\n- **summary:** s\n\n{line}\n", encoding="utf-8")
    memory.write("b", "text")
    memory.write("b", "again")
    first = memory.load().read_index().entries[0]
    assert (first.topic, first.summary, first.entry_body) == ("a", "s", line.strip())
