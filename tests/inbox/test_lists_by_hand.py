"""Lists as people save them, targets they name, and notes that are links: nothing is lost, nothing is guessed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from shilu_core.errors import UsageError
from shilu_inbox import carrying
from shilu_inbox.decide import decide
from shilu_inbox.desk import show

from tests.worlds import World, make_world

CEDAR, LUNCH, HERON = "the build host is cedar", "lunch starts at noon", "the printer is called heron"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = make_world(tmp_path)
    for agent, text in (("codex", CEDAR), ("hermes", LUNCH), ("qwen", HERON)):
        world.submit(text, target="env", agent=agent)
    world.review()
    return world


def edit(world: World, change: Callable[[str], str]) -> None:
    text = world.vault.pending.read_bytes().decode()
    world.vault.pending.write_bytes(change(text).encode())


def line_of(text: str, world: World) -> str:
    lines = world.vault.pending.read_bytes().decode().splitlines(keepends=True)
    return next(line for line in lines if text in line)


def with_mark(text: str, mark: str, world: World) -> Callable[[str], str]:
    line = line_of(text, world)
    return lambda whole: whole.replace(line, line.replace("[x]", mark, 1))


@pytest.mark.parametrize(
    ("mark", "written"),
    [
        ("[X]", True), ("[x]", True), ("[ x ]", True), ("[✓]", True), ("[√]", True),
        ("[ ]", False), ("[]", False), ("[-]", False), ("[ - ]", False), ("[–]", False), ("[?]", False), ("[/]", False),
    ],
)  # fmt: skip
def test_a_mark_is_read_as_it_was_meant_and_never_ticked_again(world: World, mark: str, written: bool) -> None:
    edit(world, with_mark(CEDAR, mark, world))
    world.review()
    world.apply()
    assert (CEDAR in world.facts()) is written
    world.review()
    world.apply()
    assert (CEDAR in world.facts()) is written
    assert {LUNCH, HERON} <= set(world.facts())


def test_a_deleted_line_waits_and_stands_in_the_next_review(world: World) -> None:
    edit(world, lambda text: text.replace(line_of(CEDAR, world), ""))
    world.apply()
    assert sorted(world.facts()) == [LUNCH, HERON]
    world.review()
    assert CEDAR in world.vault.pending.read_text()


def test_a_deleted_list_is_made_again_and_nothing_was_written(world: World) -> None:
    world.vault.pending.unlink()
    assert world.apply().written == ()
    world.review()
    assert len(world.apply().written) == 3


def test_a_doubled_line_is_written_once(world: World) -> None:
    line = line_of(CEDAR, world)
    edit(world, lambda text: text.replace(line, line + line))
    world.apply()
    assert sorted(world.facts()) == [LUNCH, CEDAR, HERON]


def test_a_doubled_line_with_two_marks_is_held(world: World) -> None:
    line = line_of(CEDAR, world)
    edit(world, lambda text: text.replace(line, line + line.replace("[x]", "[-]")))
    done = world.apply()
    assert "stands in the list twice with different marks" in done.held[0]
    assert sorted(world.facts()) == [LUNCH, HERON]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text + "\n\nmy own remark\n- a bullet of mine\n- [x] a task of mine\n",
        lambda text: "".join(reversed(text.splitlines(keepends=True))),
        lambda text: "\n".join(line for line in text.splitlines() if not line.startswith("    ")) + "\n",
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("- [x] ", "* [x] "),
        lambda text: text.replace("- [x] 1. ", "- [x] ").replace("- [x] 2. ", "- [x] 7. "),
    ],
    ids=["CRLF", "BOM", "prose", "reversed", "no evidence", "no final newline", "stars", "numbers"],
)
def test_a_list_saved_sloppily_says_the_same(world: World, change: Callable[[str], str]) -> None:
    edit(world, change)
    done = world.apply()
    assert done.held == ()
    assert sorted(world.facts()) == [LUNCH, CEDAR, HERON]


def test_a_split_line_is_two_facts(world: World) -> None:
    line = line_of(CEDAR, world)
    both = line.replace(CEDAR, "cedar builds") + line.replace(CEDAR, "cedar runs Debian")
    edit(world, lambda text: text.replace(line, both))
    world.apply()
    assert {"cedar builds", "cedar runs Debian"} <= set(world.facts())


def test_what_a_person_saves_while_the_review_writes_the_list_is_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = world.vault.pending.read_bytes().replace(b"- [x] 1.", b"- [-] 1.") + b"\nmy own remark\n"
    swap, times = carrying.files.swap, [1]

    def swapped(path: Path, data: bytes, kept: Path) -> None:
        if path == world.vault.pending and times:
            times.pop()
            path.write_bytes(saved)
        swap(path, data, kept)

    monkeypatch.setattr(carrying.files, "swap", swapped)
    world.submit("shelf one is full", agent="claude")
    with world.ledger() as ledger:
        show(world.desk(ledger))
    text = world.vault.pending.read_text()
    assert "- [-] 1." in text and "my own remark" in text and "shelf one is full" in text and times == []


def test_decide_takes_the_beginning_of_an_id_and_says_when_it_is_too_short(world: World) -> None:
    item = world.review().items[0]
    with world.ledger() as ledger:
        desk = world.desk(ledger)
        decide(desk, item.id[:5], "reject")
        with pytest.raises(UsageError, match="`shilu review` lists the ids"):
            decide(desk, item.id[:3], "accept")
        with pytest.raises(UsageError, match="edit needs the new text"):
            decide(desk, item.id, "edit", "  ")
    world.apply()
    assert sorted(world.facts()) == sorted({CEDAR, LUNCH, HERON} - {item.submitted.text})


def test_a_text_with_field_names_and_separators_is_written_as_it_is(tmp_path: Path) -> None:
    texts = ["a｜内容: b｜目标: c", "x | text: y | target: z", "旧值｜内容:八千", "JSON {\"新\": 1} ｜来源：x"]
    for language in ("zh", "en"):
        (tmp_path / language).mkdir()
        world = make_world(tmp_path / language, language)  # type: ignore[arg-type]
        note = "rules" if language == "en" else "工程执行规则.md"
        world.write_note("工程执行规则.md" if language == "zh" else "rules.md", "# R\n\n" + "".join(f"- {text}\n" for text in texts))
        facts = {fact.text: fact.id for fact in world.vault.parse(world.vault.document(note) or "").facts}
        for number, text in enumerate(texts):
            world.submit(f"zq{number} {text}", operation="replace", fact=facts[text], agent=f"agent{number}")
        done = world.accept_all()
        assert done.held == ()
        assert sorted(world.facts()) == sorted(f"zq{number} {text}" for number, text in enumerate(texts))


@pytest.mark.parametrize(
    "target",
    ["../outside.md", "/etc/hosts", "inbox/README.md", "review/pending.md", "nosuch.md", ".shilu/id", "memory/../../x.md", "forgotten/x.md"],
)
def test_a_target_that_is_no_note_is_held_and_written_nowhere(world: World, target: str) -> None:
    (world.vault.root / "forgotten" / "x.md").write_text("- forgotten\n")
    before = {path: path.read_bytes() for path in world.folder.rglob("*.md") if "review" not in path.parts}
    edit(world, lambda text: text.replace("memory/environment.md", target).replace("- [x] 2.", "- [ ] 2.").replace("- [x] 3.", "- [ ] 3."))
    (held,) = world.apply().held
    assert f"there is no note {target!r}; make it, or name one of index, prefs" in held
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("target", ["env", "environment", "environment.md", "memory/environment.md", "./environment.md", "memory\\environment.md", "[[environment]]"])
def test_a_target_is_named_in_any_of_these_ways(world: World, target: str) -> None:
    edit(world, lambda text: text.replace("memory/environment.md", target))
    assert world.apply().held == ()
    assert {one.note for one in world.vault.parse("environment.md").facts} == {"environment.md"}
    assert len(world.facts()) == 3


def test_a_submitted_target_that_leads_out_of_the_vault_is_flagged_and_waits(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    (tmp_path / "a b" / "用户" / "outside.md").write_text("# out\n")
    for number, target in enumerate(("../../outside.md", "../outside.md", "inbox/README.md", "review/pending.md")):
        world.submit(f"zq{number} vorn", target=target, agent=f"agent{number}")
    found = world.review()
    assert [[flag.kind for flag in item.judgement.flags] for item in found.items] == [["unknown-target"]] * 4
    assert world.apply().written == ()


def test_a_note_that_is_a_link_inside_the_vault_is_written_through_the_link(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    (world.vault.root / "rules.md").unlink()
    (world.vault.root / "real").mkdir()
    world.write_note("real/rules.md", "# Rules\n\n- by hand\n")
    (world.vault.root / "rules.md").symlink_to("real/rules.md")
    world.submit("zq vorn", target="rules")
    (written,) = world.accept_all().written
    assert written.note == "real/rules.md"
    assert (world.vault.root / "rules.md").is_symlink()
    assert world.facts() == ["by hand", "zq vorn"]


@pytest.mark.parametrize("place", ["outside", "nowhere", "folder"])
def test_a_note_that_is_no_file_of_the_vault_is_held_with_what_to_do(tmp_path: Path, place: str) -> None:
    world = make_world(tmp_path)
    note = world.vault.root / "rules.md"
    note.unlink()
    outside = tmp_path / "outside.md"
    outside.write_text("- mine\n")
    if place == "folder":
        note.mkdir()
    else:
        note.symlink_to(outside if place == "outside" else world.vault.root / "gone.md")
    world.submit("zq vorn", target="rules", agent="hermes")
    world.submit("xk plim", target="env", agent="codex")
    world.review()
    edit(world, lambda text: text.replace("- [ ]", "- [x]").replace("memory/review/unclassified.md", "memory/rules.md"))
    done = world.apply()
    assert [one.text for one in done.written] == ["xk plim"]
    assert outside.read_text() == "- mine\n"
    assert len(done.held) == 1


def test_a_read_only_note_keeps_its_mode(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    note = world.vault.root / "rules.md"
    note.chmod(0o444)
    world.submit("zq vorn", target="rules")
    world.accept_all()
    assert note.stat().st_mode & 0o777 == 0o444
    assert os.access(note, os.R_OK) and "zq vorn" in note.read_text()


def test_a_nested_bullet_can_be_taken_back_and_replaced(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    before = "# R\n\n- servers:\n    - cedar builds\n    - birch serves\n        - on port 80\n- end\n"
    world.write_note("rules.md", before)
    facts = {fact.text: fact.id for fact in world.vault.parse("rules.md").facts}
    world.submit("cedar builds", operation="retract", fact=facts["cedar builds"], agent="codex")
    world.submit("oak serves", operation="replace", fact=facts["on port 80"], agent="hermes")
    world.accept_all()
    assert world.note("rules.md") == (
        "# R\n\n- servers:\n    - birch serves\n- end\n"
        "- oak serves (written 2026-11-30 | source: inbox/hermes-20261130-092825-01.md)\n"
        "\n## Superseded\n\n- on port 80 (ended 2026-11-30)\n"
    )


def test_an_editor_that_saves_its_old_text_after_a_review_loses_nothing(world: World) -> None:
    open_in_the_editor = world.vault.pending.read_bytes()
    world.submit("shelf one is full", target="env", agent="claude")
    world.review()
    world.vault.pending.write_bytes(open_in_the_editor.replace(b"- [x] 1.", b"- [-] 1."))
    assert world.apply().rejected == (CEDAR,)
    assert sorted(world.facts()) == [LUNCH, HERON]
    world.review()
    world.apply()
    assert "shelf one is full" in world.facts()


def test_a_fact_that_holds_others_is_not_taken_back_with_them_unseen(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    before = "# R\n\n- servers\n  - cedar builds\n- end\n"
    world.write_note("rules.md", before)
    facts = {fact.text: fact.id for fact in world.vault.parse("rules.md").facts}
    world.submit("servers", operation="retract", fact=facts["servers"])
    (held,) = world.accept_all().held
    assert "1 facts are nested in 'servers'; take those back first" in held
    assert world.note("rules.md") == before


@pytest.mark.parametrize("indent", ["  ", "\t", "    "])
def test_an_entry_that_was_indented_keeps_its_mark(world: World, indent: str) -> None:
    line = line_of(LUNCH, world)
    edit(world, lambda text: text.replace(line, indent + line.replace("[x]", "[-]", 1)))
    world.review()
    assert world.apply().rejected == (LUNCH,)
    assert sorted(world.facts()) == [CEDAR, HERON]


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.replace("- [x] ", "-   [-]   "),
        lambda line: line.replace("- [x] ", "-\t[-]\t"),
        lambda line: line.replace("[x]", "[-]").replace("category: env | ", ""),
        lambda line: line.replace("[x]", "[-]").replace("category: env | target: memory/environment.md | ", ""),
    ],
)
def test_a_line_that_a_formatter_or_a_hand_changed_keeps_its_mark(world: World, change: Callable[[str], str]) -> None:
    line = line_of(CEDAR, world)
    edit(world, lambda text: text.replace(line, change(line)))
    world.review()
    assert world.apply().rejected == (CEDAR,)


def test_a_full_width_tick_accepts(world: World) -> None:
    edit(world, lambda text: text.replace("[x]", "[ｘ]").replace("[ｘ]", "[Ｘ]", 1))
    world.review()
    assert len(world.apply().written) == 3


def test_what_a_person_wrote_below_an_entry_stays_and_changes_no_mark(world: World) -> None:
    line = line_of(CEDAR, world)
    noted = line.replace("[x]", "[ ]") + "    - ask Ada first\n"
    edit(world, lambda text: text.replace(line, noted))
    world.review()
    world.review()
    text = world.vault.pending.read_text()
    assert text.count("    - ask Ada first\n") == 1 and "[ ]" in line_of(CEDAR, world)
    edit(world, lambda text: text.replace("[ ]", "[x]"))
    assert len(world.apply().written) == 3


@pytest.mark.parametrize("key", ["target", "category", "source", "text"])
def test_a_full_width_colon_names_a_field_as_well(world: World, key: str) -> None:
    line = line_of(CEDAR, world)
    changed = line.replace("target: memory/environment.md", "target: rules").replace(f"{key}: ", f"{key}：")
    edit(world, lambda text: text.replace(line, changed))
    world.review()
    written = {one.text: one.note for one in world.apply().written}
    assert written == {CEDAR: "rules.md", LUNCH: "environment.md", HERON: "environment.md"}
