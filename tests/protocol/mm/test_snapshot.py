"""Sections 7 and 10: snapshots, the budget report, the nudge; 11: errors; 14: the schema of a note."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest
from shilu_host.mm import Memory, MmError, Options
from shilu_host.mm.budgets import percentage
from shilu_host.mm.wire import to_wire

SLUG = "^[A-Za-z0-9][A-Za-z0-9._-]*$"
STRING, COUNT = {"type": "string"}, {"type": "integer", "minimum": 0}
NOTE_SCHEMA = {  # section 14, in our own writing
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "topic": {"type": "string", "pattern": SLUG, "maxLength": 64},
        "memoryId": {"type": "string", "pattern": SLUG},
        "summary": STRING,
        "tags": {"type": "array", "items": STRING},
        "file": STRING,
        "updated": {"type": "string", "format": "date-time"},
        "bodyChars": COUNT,
        "writeBudget": COUNT,
        "entryBody": STRING,
        "uri": STRING,
        "body": STRING,
        "missingFile": {"type": "boolean"},
    },
}
NOTE_SCHEMA["required"] = list(NOTE_SCHEMA["properties"])


def test_7_1_reads_and_searches_serve_the_snapshot_only(ensure) -> None:
    memory = ensure()
    memory.write("a", "text")
    assert memory.read_topic("a") is None and memory.list_notes() == () and memory.read_index().entries == ()
    assert memory.search("text").total == 0
    memory.load()
    assert memory.search("text").total == 1


def test_7_1_a_fresh_reader_and_a_reload_see_the_disk(ensure, root: Path) -> None:
    memory = ensure()
    memory.write("a", "text")
    assert ensure().read_topic("a") is not None
    (root / "memories" / "a.md").write_text("by hand", encoding="utf-8")
    note = memory.reload().read_topic("a")
    assert note and note.body == "by hand"


def test_7_2_pending_writes_count_operations_until_the_next_load(ensure) -> None:
    memory = ensure()
    for act in (lambda: memory.write("a", "1"), lambda: memory.write("a", "2"), lambda: memory.delete("a")):
        act()
    memory.delete("nothing")
    memory.write("a", " ")
    assert memory.pending_writes == 3
    assert memory.load().pending_writes == 0


def test_7_3_the_budget_report_looks_at_the_disk(ensure) -> None:
    memory = ensure()
    memory.write("a", "text")
    report = memory.budget()
    assert (report.detail.note_count, report.pending_writes, report.index.entries) == (1, 1, 1)


def test_7_4_the_index_view_and_the_note_have_their_keys(ensure, root: Path) -> None:
    memory = ensure()
    memory.write("b", "text")
    memory.write("a", "text")
    view = to_wire(memory.load().read_index())
    assert list(view) == [
        "memoryId",
        "root",
        "loadedAt",
        "lineCount",
        "byteCount",
        "overBudget",
        "lineCap",
        "byteCap",
        "entries",
    ]
    assert (view["root"], view["loadedAt"]) == (str(root), "2026-11-30T12:00:00.000Z")
    assert [note.topic for note in memory.list_notes()] == ["a", "b"]
    assert sorted(to_wire(memory.read_topic("a"))) == sorted(NOTE_SCHEMA["required"])


def test_7_5_the_uri_has_the_configured_id_and_search_the_one_of_the_file(ensure, root: Path) -> None:
    ensure(memory_id="other").write("a", "text")
    memory = ensure(memory_id="mine")
    note = memory.read_topic("a")
    assert note and (note.uri, note.memory_id) == ("mm://mine/a", "other")
    assert memory.search("text").matches[0].uri == "mm://other/a"


def test_7_6_missing_files_and_orphans_are_told_and_not_fatal(ensure, root: Path) -> None:
    memory = ensure()
    memory.write("a", "text")
    (root / "memories" / "a.md").unlink()
    for name in ("y.md", "x.md", "z.txt"):
        (root / "memories" / name).write_text("x", encoding="utf-8")
    note = memory.load().read_topic("a")
    assert note and (note.body, note.missing_file) == ("", True)
    anomalies = memory.budget().anomalies
    assert (anomalies.dangling_entries, anomalies.orphan_files) == (1, ("x.md", "y.md"))


@pytest.mark.parametrize(
    ("spent", "budget", "percent"),
    [(1, 200, 1), (1, 201, 0), (5, 1000, 1), (25, 1000, 3), (9, 8, 100), (1, 0, 0)],
)
def test_7_7_the_percentage_is_rounded_half_up(spent: int, budget: int, percent: int) -> None:
    assert percentage(spent, budget) == percent


def test_7_7_the_report_has_exact_figures(ensure, root: Path) -> None:
    memory = ensure(default_write_budget=200)
    memory.write("a", "x", budget=100)
    (root / "MEMORY.md").write_text((root / "MEMORY.md").read_text() + "\n## b\n", encoding="utf-8")
    report = to_wire(memory.load().budget())
    size = (root / "memories" / "a.md").stat().st_size
    assert report["detail"] == {"noteCount": 2, "totalBodyChars": 1, "totalBytes": size, "maxBytes": 65_536}
    assert report["perTopic"] == [
        {
            "topic": "a",
            "uri": "mm://local/a",
            "bodyChars": 1,
            "noteBytes": size,
            "writeBudget": 100,
            "budgetUsedPct": 1,
        },
        {
            "topic": "b",
            "uri": "mm://local/b",
            "bodyChars": 0,
            "noteBytes": 0,
            "writeBudget": 200,
            "budgetUsedPct": 0,
        },
    ]
    assert report["search"] == {"configuredMode": "auto", "engine": memory.engine}
    assert report["snapshotAgeMs"] == 0 and report["loadedAt"] == "2026-11-30T12:00:00.000Z"


def test_7_7_the_age_of_the_snapshot_is_told_in_milliseconds(ensure) -> None:
    memory = ensure()
    with memory.surrounded(None, lambda: datetime(2026, 11, 30, 12, 0, 1, 500_000, tzinfo=UTC)):
        assert memory.budget().snapshot_age_ms == 1500


def test_10_1_the_nudge_tells_what_is_staged(ensure) -> None:
    memory = ensure()
    report = memory.nudge()
    assert (report.at, report.needs_commit, report.note_count) == ("2026-11-30T12:00:00.000Z", False, 0)
    memory.write("a", "text")
    report = memory.nudge()
    assert (report.pending_writes, report.needs_commit, report.note_count) == (1, True, 0)
    assert [action.split(" ")[0] for action in report.suggested_actions] == ["commit", "no", "mem_digest"]


def test_10_1_the_nudge_tells_an_index_over_budget(ensure) -> None:
    ensure().write("a", "text")
    report = ensure(index_lines=14).nudge()
    assert (report.index_over_budget, report.needs_commit, report.pending_writes) == (True, True, 0)
    assert [action.split(" ")[0] for action in report.suggested_actions] == ["index", "mem_digest"]


def test_10_2_the_nudge_is_off_by_default() -> None:
    assert Options().nudge_enabled is False


def test_11_a_read_before_the_load_is_a_snapshot_error(root: Path) -> None:
    memory = Memory(Options(root=str(root)))
    reads = (memory.read_index, memory.list_notes, lambda: memory.search("x"), memory.budget, memory.nudge)
    for read in (*reads, memory.digest, lambda: memory.read_topic("a"), lambda: memory.delete("a")):
        with pytest.raises(MmError, match="not loaded") as caught:
            read()
        assert caught.value.code == "E_SNAPSHOT"


def test_11_an_index_that_is_a_folder_is_an_io_error(root: Path) -> None:
    (root / "MEMORY.md").mkdir(parents=True)
    with pytest.raises(MmError, match=re.escape(str(root / "MEMORY.md"))) as caught:
        Memory.open(Options(root=str(root)))
    assert caught.value.code == "E_IO"


def test_14_a_note_has_exactly_the_keys_of_the_schema(ensure) -> None:
    memory = ensure()
    memory.write("a", "text", tags="x")
    note = json.loads(json.dumps(to_wire(memory.load().read_topic("a"))))
    jsonschema.Draft202012Validator(NOTE_SCHEMA, format_checker=jsonschema.FormatChecker()).validate(note)
