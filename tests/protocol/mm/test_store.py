"""Section 6: writes and deletes."""

import os
from pathlib import Path

import pytest
from shilu_host.mm import Memory, MmError, Options, Refused, Written
from shilu_host.mm.note_text import serialize_note_text


def written(outcome: Written | Refused) -> Written:
    assert outcome.ok, outcome
    return outcome


def test_6_1_a_bad_topic_is_an_exception_and_a_blank_content_a_value(ensure) -> None:
    memory = ensure()
    with pytest.raises(MmError, match="topic"):
        memory.write("a b", "text")
    for content in ("", " \u3000\n", None, 7):
        outcome = memory.write("a", content)
        assert (outcome.ok, outcome.code, outcome.reason) == (False, "E_INVALID", "E_INVALID")
    assert memory.load().list_notes() == ()


@pytest.mark.parametrize("budget", [0, -3, 2.5, "9", True, None])
def test_6_2_a_budget_that_is_no_positive_integer_is_ignored(ensure, budget: object) -> None:
    assert written(ensure().write("a", "text", budget=budget)).usage.write_budget == 4000


def test_6_2_a_given_budget_counts(ensure) -> None:
    memory = ensure()
    assert memory.write("a", "12345", budget=4).code == "E_WRITE_BUDGET_EXCEEDED"
    assert written(memory.write("a", "1234", budget=4.0)).usage.write_budget == 4


def test_6_3_the_write_budget_is_checked_before_the_file_and_the_file_before_the_index(ensure) -> None:
    memory = ensure(index_lines=9, detail_max_bytes=200, default_write_budget=150)
    assert memory.write("a", "x" * 151).code == "E_WRITE_BUDGET_EXCEEDED"
    assert memory.write("a", "x" * 150).code == "E_FILE_BUDGET_EXCEEDED"
    assert memory.write("a", "x").code == "E_INDEX_BUDGET_EXCEEDED"


def test_6_3_a_failure_writes_nothing(ensure, root: Path) -> None:
    memory = ensure(index_lines=15, detail_max_bytes=300)
    memory.write("a", "text")
    before = {path: path.read_bytes() for path in root.rglob("*.md")}
    for topic, content in (("a", "x" * 5000), ("a", "x" * 300), ("b", "text")):
        assert not memory.write(topic, content).ok
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def test_6_4_a_success_names_topic_uri_action_and_pending_writes(ensure) -> None:
    memory = ensure(memory_id="team")
    first, second = written(memory.write("a", "one")), written(memory.write("a", "two"))
    assert (first.topic, first.uri, first.action, first.pending_writes) == ("a", "mm://team/a", "created", 1)
    assert (second.action, second.pending_writes) == ("updated", 2)


def test_6_5_the_usage_of_a_write_has_exact_figures(ensure, root: Path) -> None:
    usage = written(ensure().write("a", "区域😀\n")).usage
    assert (usage.body_chars, usage.write_budget, usage.overflow) == (4, 4000, 0)
    assert usage.note_bytes == (root / "memories" / "a.md").stat().st_size
    assert usage.index.bytes == (root / "MEMORY.md").stat().st_size
    assert (usage.index.entries, usage.index.lines, usage.index.line_cap) == (1, 15, 200)


def test_6_5_a_failed_write_budget_has_no_note_bytes_and_the_present_index(ensure) -> None:
    usage = ensure().write("a", "x" * 4001).usage
    assert (usage.overflow, usage.note_bytes, usage.note_max_bytes, usage.index.entries) == (1, 0, 65_536, 0)


def test_6_5_a_failed_index_budget_shows_the_projected_index(ensure) -> None:
    usage = ensure(index_lines=10).write("a", "x").usage
    assert (usage.index.entries, usage.index.lines, usage.index.overflow_lines) == (1, 15, 5)
    assert usage.index.over_budget and usage.note_bytes > 0


def test_6_5_a_blank_content_has_zeros_and_the_default_budget(ensure) -> None:
    usage = ensure().write("a", " ", budget=7).usage
    assert (usage.body_chars, usage.write_budget, usage.overflow, usage.note_bytes) == (0, 4000, 0, 0)


def test_6_6_the_messages_say_what_to_do(ensure) -> None:
    texts = [ensure().write("a", content).message for content in (" ", "x" * 4001)]
    texts.append(ensure(detail_max_bytes=50).write("a", "x").message)
    texts.append(ensure(index_bytes=260).write("a", "x").message)
    assert texts == [
        "content must be a non-empty string",
        "content exceeds its write budget; compress it to fit (see usage)",
        "detail memory exceeds its byte cap; split or condense it (see usage)",
        "the MEMORY.md index exceeds its hard limit; consolidate/rewrite the index (never truncate) (see usage.index)",
    ]


def test_6_7_what_is_not_given_is_kept(ensure, root: Path) -> None:
    memory = ensure()
    memory.write("a", "one", summary=" two\nwords ", tags="x，y", updated="2026-01-01T00:00:00.000Z")
    index = root / "MEMORY.md"
    index.write_text(index.read_text(encoding="utf-8") + "\nby hand\n", encoding="utf-8")
    memory.write("a", "longer")
    entry = memory.load().read_index().entries[0]
    assert (entry.summary, entry.tags, entry.entry_body) == ("two words", ("x", "y"), "by hand")
    assert (entry.updated, entry.body_chars) == ("2026-11-30T12:00:00.000Z", 6)
    memory.write("a", "longer", summary="", tags="")
    entry = memory.load().read_index().entries[0]
    assert (entry.summary, entry.tags) == ("", ())


def test_6_7_a_write_moves_a_custom_file_home_and_leaves_the_old_one(ensure, root: Path) -> None:
    memory = ensure()
    (root / "memories" / "old.md").write_text("old", encoding="utf-8")
    (root / "MEMORY.md").write_text("## a\n- **file:** memories/old.md\n", encoding="utf-8")
    memory.write("a", "new")
    report = memory.load().budget()
    assert memory.read_index().entries[0].file == "memories/a.md"
    assert report.anomalies.orphan_files == ("old.md",)


def test_6_7_a_line_end_in_updated_opens_no_entry(ensure) -> None:
    memory = ensure()
    memory.write("a", "text", updated="now\n## b")
    assert [entry.topic for entry in memory.load().read_index().entries] == ["a"]


def test_6_8_a_write_reads_the_index_as_it_is_now(ensure, root: Path) -> None:
    first, second = ensure(), ensure()
    first.write("a", "one")
    second.write("b", "two")
    assert [note.topic for note in ensure().list_notes()] == ["a", "b"]
    assert sorted(path.name for path in (root / "memories").iterdir()) == ["a.md", "b.md"]


def test_6_8_a_detail_that_can_not_be_written_is_an_io_error_and_the_index_stays(ensure, root: Path) -> None:
    memory = ensure()
    (root / "memories" / "a.md").mkdir()
    before = (root / "MEMORY.md").read_bytes()
    with pytest.raises(MmError, match=r"a\.md failed") as caught:
        memory.write("a", "text")
    assert caught.value.code == "E_IO" and (root / "MEMORY.md").read_bytes() == before


def test_6_8_a_file_in_the_place_of_the_folder_is_an_io_error(root: Path) -> None:
    root.parent.mkdir(exist_ok=True)
    root.write_text("a file", encoding="utf-8")
    with pytest.raises(MmError, match="failed") as caught:
        Memory.ensure(Options(root=str(root)))
    assert caught.value.code == "E_IO"


def test_6_9_a_delete_removes_file_and_entry(ensure, root: Path) -> None:
    memory = ensure()
    memory.write("a", "text")
    outcome = memory.delete("a")
    assert (outcome.ok, outcome.removed, outcome.topic, outcome.pending_writes) == (True, True, "a", 2)
    assert (outcome.usage.entries, outcome.usage.bytes) == (0, 252)
    assert not (root / "memories" / "a.md").exists() and memory.load().list_notes() == ()


def test_6_9_a_missing_topic_is_removed_false(ensure) -> None:
    memory = ensure()
    outcome = memory.delete("a")
    assert (outcome.ok, outcome.removed, outcome.pending_writes) == (True, False, 0)


def test_6_9_a_delete_follows_the_custom_file(ensure, root: Path) -> None:
    memory = ensure()
    (root / "x").mkdir()
    (root / "x" / "old.md").write_text("old", encoding="utf-8")
    (root / "MEMORY.md").write_text("## a\n- **file:** x/old.md\n", encoding="utf-8")
    assert memory.delete("a").removed and not (root / "x" / "old.md").exists()


def test_6_9_an_orphan_can_be_deleted_by_its_topic(ensure, root: Path) -> None:
    memory = ensure()
    (root / "memories" / "a.md").write_text("text", encoding="utf-8")
    outcome = memory.delete("a")
    assert (outcome.removed, outcome.pending_writes) == (True, 1)


def test_6_9_deletes_are_allowed_over_budget_until_writes_fit_again(ensure) -> None:
    for topic in ("a", "b", "c"):
        ensure().write(topic, "text")
    small = ensure(index_lines=15)
    assert small.read_index().over_budget and small.write("d", "text").code == "E_INDEX_BUDGET_EXCEEDED"
    assert [small.delete(topic).usage.over_budget for topic in ("a", "b", "c")] == [True, False, False]
    assert small.write("d", "text").ok


def test_16_a_death_between_detail_and_index_leaves_an_orphan_that_is_told(ensure, root: Path) -> None:
    memory = ensure()
    (root / "memories" / "a.md").write_text(serialize_note_text("a", "local", "memories/a.md", "x"), encoding="utf-8")
    assert memory.load().list_notes() == () and memory.budget().anomalies.orphan_files == ("a.md",)
    assert written(memory.write("a", "x")).action == "created"


def test_16_topics_that_share_a_file_do_not_overwrite_each_other(ensure, root: Path) -> None:
    memory = ensure()
    memory.write("A", "upper")
    os.link(root / "memories" / "A.md", root / "memories" / "a.md")  # as a file system without case has it
    with pytest.raises(MmError, match="shares its file with 'A'"):
        memory.write("a", "lower")
    note = memory.load().read_topic("A")
    assert note and note.body == "upper"


def test_16_a_lone_surrogate_becomes_a_replacement_character_on_disk(ensure) -> None:
    memory = ensure()
    assert written(memory.write("a", "x\ud83dy", summary="\udc00")).usage.body_chars == 3
    note = memory.load().read_topic("a")
    assert note and (note.body, note.summary) == ("x\ufffdy", "\ufffd")


def test_16_crlf_roots_lose_nothing_at_the_next_write(ensure, root: Path) -> None:
    memory = ensure()
    memory.write("a", "first\nsecond", summary="一", tags="t")
    index = root / "MEMORY.md"
    index.write_text(index.read_text(encoding="utf-8") + "\nby hand\n\nmore\n", encoding="utf-8")
    for path in root.rglob("*.md"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    note = memory.load().read_topic("a")
    assert note and (note.body, note.summary, note.entry_body) == ("first\r\nsecond", "一", "by hand\n\nmore")
    detail = (root / "memories" / "a.md").read_bytes()
    memory.write("b", "text")
    assert [entry.entry_body for entry in memory.load().read_index().entries] == ["by hand\n\nmore", ""]
    assert (root / "memories" / "a.md").read_bytes() == detail and b"\r" not in index.read_bytes()


def test_16_a_body_with_carriage_returns_is_kept(ensure) -> None:
    memory = ensure()
    memory.write("a", "one\r\ntwo\rthree\r")
    note = memory.load().read_topic("a")
    assert note and note.body == "one\r\ntwo\rthree\r"


def test_16_one_prose_title_does_not_close_the_root(ensure, root: Path) -> None:
    memory = ensure()
    memory.write("a", "text")
    memory.write("b", "text")
    (root / "memories" / "a.md").write_text("# Deploy notes\n\nWe deploy.\n", encoding="utf-8")
    assert [note.body for note in memory.load().list_notes()] == ["# Deploy notes\n\nWe deploy.", "text"]


@pytest.mark.parametrize(("step", "body", "chars"), [(1, "old", 3), (2, "newer", 3)])
def test_6_8_a_full_disk_at_either_step_leaves_a_root_that_loads(
    ensure, monkeypatch: pytest.MonkeyPatch, step: int, body: str, chars: int
) -> None:
    memory = ensure()
    memory.write("a", "old")
    calls = iter(range(1, 9))
    replace = os.replace

    def full(source: object, target: object) -> None:
        if next(calls) == step:
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(MmError, match="No space left"):
        memory.write("a", "newer")
    assert memory.pending_writes == 1
    note = memory.load().read_topic("a")
    assert note and (note.body, note.body_chars) == (body, chars)
    monkeypatch.undo()
    assert memory.write("a", "newer").ok and memory.budget().anomalies.orphan_files == ()
