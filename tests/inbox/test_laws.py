"""Laws of the write path on generated notes: print after parse, apply twice, apply then undo, replay, export and import."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from shilu_core.edits import NoteHeld, add_fact, end_fact, fact_lines, remove_fact
from shilu_core.hunks import Hunk, invert
from shilu_core.layout import EN, LAYOUTS
from shilu_core.ledger import Ledger
from shilu_core.ledger.exchange import export_lines, import_lines
from shilu_core.notes import Note, parse
from shilu_core.stamps import Stamp
from shilu_inbox.history import patched, replay
from shilu_inbox.lists import read_list, shown, update_list
from shilu_inbox.plans import Draft, Step
from shilu_inbox.review import Item, Review
from shilu_inbox.submissions import Header, read, render
from shilu_inbox.undo import undo
from shilu_inbox.verdicts import Judgement, Submitted
from shilu_inbox.verify import verify

from tests.worlds import NOW, World, make_world


def law(examples: int) -> settings:
    """So many examples, however slow the machine is."""
    return settings(max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])


STAMP = Stamp(NOW.date(), "inbox/codex-20261130-092825-01.md")
LINES = st.sampled_from(
    [
        "", "", " ", "\t", "# 标题", "## Superseded", "## 已取代", "### deeper", "---", "...", "title: Bad: yaml: here",
        "tags: [a, 偏好", "- plain fact", "- 事实 📌 with emoji", "  - nested", "\t- tab nested", "    - deep nested",
        "* starred （写入 2026-01-02｜来源：Agent提交区/codex-20260102-010203-01.md）｜使用 2 次·最近 2026-02-01",
        "- stamped (written 2026-01-02 | source: inbox/codex-20260102-010203-01.md)",
        "- ended (written 2026-01-02 | source: inbox/a.md | ended 2026-02-03)", "- block ^abc-1", "- [[link|alias]] ![[embed]]",
        "- [ ] task", "- two  ", "  continued", "lazy continuation", "1. ordered", "   - under ordered", "> - quoted",
        "| a | b |", "|---|---|", "```", "~~~python", "    indented code", "<!-- comment", "-->", "<div>", "</div>", "<br>",
        "text", "Setext", "===", "`inline ``` code`", "- `x", "\ufeffinside", "a\u2028b", "- \udcff\udcfe no UTF-8", "-", "- ",
        "-no bullet", "- plain fact", "+ plus", "• dot", "%% obsidian comment %%", "$$", "[^1]: note", "C:\\Users\\小周",
    ]
)  # fmt: skip
ENDS = st.sampled_from(["\n", "\n", "\r\n", "\r"])


@st.composite
def notes(draw: st.DrawFn) -> bytes:
    """Bytes of a note: odd lines, mixed or uniform line ends, with and without BOM and final newline."""
    lines = draw(st.lists(LINES | st.text(max_size=12), max_size=14))
    end = draw(ENDS)
    mixed = draw(st.booleans())
    text = "".join(line + (draw(ENDS) if mixed else end) for line in lines)
    if draw(st.booleans()):
        text = text.rstrip("\r\n")
    if draw(st.integers(0, 4)) == 0:
        text = f"---\n{draw(LINES)}\n---\n" + text
    bom = "\ufeff" if draw(st.integers(0, 3)) == 0 else ""
    return (bom + text).encode("utf-8", "surrogateescape" if "\udcff" in text else "replace")


def kept_but(before: bytes, after: bytes, inserted: str) -> bool:
    """Whether `after` is `before` with this one piece put in."""
    piece = inserted.encode()
    starts = [at for at in range(len(after)) if after.startswith(piece, at)]
    return any(after[:at] + after[at + len(piece) :] == before for at in starts)


def revised(note: Note, hunks: tuple[Hunk, ...]) -> Note:
    return parse(note.id, patched(note.to_bytes(), hunks))


@given(notes() | st.binary(max_size=60))
@law(300)
def test_a_parsed_note_prints_the_same_bytes(data: bytes) -> None:
    assert parse("note.md", data).to_bytes() == data


@given(notes())
@law(300)
def test_an_added_fact_is_read_back_once_and_every_other_byte_stays(data: bytes) -> None:
    note = parse("note.md", data)
    assume(note.closed)
    try:
        hunks = add_fact(note, fact_lines("新事实 zqx", STAMP, "zh"))
    except NoteHeld:
        return
    after = revised(note, hunks)
    found = [fact for fact in after.facts if fact.text == "新事实 zqx"]
    assert [(fact.stamp, fact.superseded, fact.parent) for fact in found] == [(STAMP, False, "")]
    assert [fact.text for fact in note.facts] == [fact.text for fact in after.facts if fact.text != "新事实 zqx"]
    assert patched(after.to_bytes(), invert(hunks)) == data
    (text, end) = next((line.text.removeprefix("\ufeff"), line.end) for line in after.lines if "新事实 zqx" in line.text)
    pieces = [text, text + end, note.newline + text, note.newline * 2 + text, text + end + note.newline]
    assert any(kept_but(data, after.to_bytes(), piece) for piece in pieces)


MEETING_ENDS = "\ufeff---\n\n---\n\n\n\r\r\n* fact one\n"


def test_line_ends_that_meet_where_a_fact_went_come_back_as_they_were() -> None:
    note = parse("note.md", MEETING_ENDS.encode())
    hunks = remove_fact(note, note.facts[0])
    assert patched(note.to_bytes(), hunks) == b"\xef\xbb\xbf---\n\n---\n\n\n\r\n"
    assert patched(patched(note.to_bytes(), hunks), invert(hunks)) == MEETING_ENDS.encode()


@given(notes(), st.data())
@law(300)
def test_an_ended_and_a_removed_fact_leave_the_others_and_go_back(data: bytes, choice: st.DataObject) -> None:
    note = parse("note.md", data)
    current = [fact for fact in note.facts if not fact.superseded]
    assume(current)
    fact = choice.draw(st.sampled_from(current))
    for change in (lambda: end_fact(note, fact, NOW.date(), "en", EN.superseded_heading), lambda: remove_fact(note, fact)):
        try:
            hunks = change()
        except NoteHeld:
            continue
        after = revised(note, hunks)
        assert patched(after.to_bytes(), invert(hunks)) == data
        assert sum(not other.superseded for other in after.facts) < sum(not other.superseded for other in note.facts)
        front = [line.text for line in note.lines if line.kind == "front"]
        assert front == [line.text for line in after.lines][: len(front)]


@given(notes(), st.sampled_from([layout.language for layout in LAYOUTS]))
@law(150)
def test_taking_a_step_twice_is_taking_it_once(data: bytes, language: str) -> None:
    layout = next(layout for layout in LAYOUTS if layout.language == language)
    step = Step("add", "note.md", "新事实 zqx", source=STAMP.source, written="2026-11-30")
    draft = Draft(layout)
    try:
        draft.take([step], {"note.md": data})
    except NoteHeld:
        return
    once = draft.data["note.md"]
    draft.take([step], {"note.md": data})
    assert draft.data["note.md"] == once


FACTS = st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=40) | st.sampled_from(
    [
        "git log main ^dev", "text ^abc-1", "a | b", "x｜内容: y", "x | text: y", "- dash", "[x] ticked", "# 标题", "*", "> quote",
        "foo（写入 2026-01-02｜来源：a.md）", "foo (ended 2026-01-01)", "foo｜使用 3 次", "- - -", "```", "a ⏎ b", "<!-- x", "1. one",
        "ends with ^abcdefghij", "\u200bhidden\u202e", "tab\tinside", "|table|row|", "--- ", "\ufeffbom", "&lt;memory-data&gt;",
    ]
)  # fmt: skip


@given(st.lists(FACTS, min_size=1, max_size=5), st.sampled_from(["zh", "en"]))
@law(300)
@example(["git log main ^dev"], "en")
def test_the_text_of_a_submission_is_what_the_note_holds_and_the_list_shows(given_facts: list[str], language: str) -> None:
    layout = next(layout for layout in LAYOUTS if layout.language == language)
    found = read("codex-20261130-092825-01.md", render(given_facts, Header("codex")))
    for fact in found:
        assert read("again.md", render([fact.text], Header("codex")))[0].text == fact.text
        note = parse("note.md", ("# Head\n\n" + "\n".join(fact_lines(fact.text, STAMP, layout.language)) + "\n").encode())
        assert [one.text for one in note.facts] == [fact.text]
        item = Item("abcdefghij", fact, Judgement("new", "reason", note="note.md"), "pending")
        (entry,) = read_list(update_list("", Review((item,)), layout, "pending"), layout)
        assert (entry.identity, entry.text, entry.mark) == ("abcdefghij", shown(fact.text), "x")


@given(st.text(max_size=200))
@law(200)
def test_any_list_is_read_and_updated_without_failing_and_the_second_time_changes_nothing(text: str) -> None:
    for layout in LAYOUTS:
        item = Item("abcdefghij", Submitted("a fact", "a.md", "", 1), Judgement("new", "reason", note="n.md"), "pending")
        once = update_list(text, Review((item,)), layout, "pending")
        assert update_list(once, Review((item,)), layout, "pending") == once


@given(notes(), st.integers(0, 20))
@law(25)
def test_applied_twice_undone_replayed_and_carried_to_another_ledger(data: bytes, chosen: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = make_world(Path(folder))
        note = world.vault.root / "rules.md"
        note.write_bytes(data)
        current = [fact for fact in world.vault.parse("rules.md").facts if not fact.superseded]
        if chosen < len(current):
            world.submit("zqx vorn plim", operation="replace", fact=current[chosen].id)
        else:
            world.submit("zqx vorn plim", target="rules")
        done = world.accept_all()
        after = note.read_bytes()
        assert world.accept_all().written == () and note.read_bytes() == after
        with world.ledger() as ledger:
            assert verify(world.vault, ledger) == ()
            if done.written:
                assert replay(ledger, "rules.md") == after != data
                check_export(world, ledger)
                undo(world.desk(ledger), done.plan)
                assert verify(world.vault, ledger) == ()
        assert note.read_bytes() == data


def check_export(world: World, ledger: Ledger) -> None:
    with Ledger.open(world.folder / "other.db") as other:
        import_lines(other, export_lines(ledger))
        assert verify(world.vault, other) == ()
        assert sorted(export_lines(other)) == sorted(export_lines(ledger))
