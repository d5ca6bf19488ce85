"""A ruling holds for the two texts that were shown: what a person edits afterwards is looked at again, and a fact's id
is carried across the edit.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worlds import World, make_world

OLD, NEW = "the staging gateway listens on port 8080", "the staging gateway listens on port 9090"
EDITED = OLD.replace("8080", "8081")


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = make_world(tmp_path)
    world.submit(OLD, target="env")
    world.accept_all()
    return world


def edit_by_hand(world: World) -> None:
    world.write_note("environment.md", world.note("environment.md").replace("8080", "8081"))


def tick(world: World) -> None:
    for path in (world.vault.pending, world.vault.conflicts):
        if path.exists():
            path.write_bytes(path.read_bytes().replace(b"- [ ]", b"- [x]"))


def only_id(world: World) -> str:
    (fact,) = world.vault.parse("environment.md").facts
    return fact.id


def test_a_ruling_on_a_fact_that_was_edited_since_is_held_with_the_new_text(world: World) -> None:
    world.submit(NEW, target="env")
    world.review()
    tick(world)
    edit_by_hand(world)
    applied = world.apply()
    assert applied.written == () and EDITED in applied.held[0] and "promoter --review" in applied.held[0]
    assert world.facts() == [EDITED]


def test_the_next_review_shows_the_edited_fact_and_asks_anew(world: World) -> None:
    world.submit(NEW, target="env")
    world.review()
    tick(world)
    edit_by_hand(world)
    world.review()
    (line,) = [line for line in world.vault.conflicts.read_text().splitlines() if NEW in line]
    assert EDITED in line and line.startswith("- [ ]")
    tick(world)
    assert len(world.apply().written) == 1
    assert world.facts() == [NEW]


def test_keeping_the_old_needs_no_second_look(world: World) -> None:
    world.submit(NEW, target="env")
    world.review()
    world.vault.conflicts.write_bytes(world.vault.conflicts.read_bytes().replace(b"- [ ]", b"- [-]"))
    edit_by_hand(world)
    assert world.apply().rejected == (NEW,)
    assert world.facts() == [EDITED]


@pytest.mark.parametrize("operation", ["replace", "retract"])
def test_a_wish_names_its_fact_also_after_a_hand_edit(world: World, operation: str) -> None:
    identity = only_id(world)
    edit_by_hand(world)
    world.submit(NEW if operation == "replace" else OLD, operation=operation, fact=identity)
    world.review()
    assert EDITED in world.vault.pending.read_text()
    tick(world)
    assert len(world.apply().written) == 1
    assert world.facts() == ([NEW] if operation == "replace" else [])


def test_a_retraction_of_a_fact_that_was_edited_since_is_held_and_waits(world: World) -> None:
    world.submit(OLD, operation="retract", fact=only_id(world))
    world.review()
    tick(world)
    edit_by_hand(world)
    applied = world.apply()
    assert applied.written == () and EDITED in applied.held[0]
    assert world.facts() == [EDITED]
    world.review()
    tick(world)
    world.apply()
    assert world.facts() == []


def test_a_retraction_of_a_fact_that_a_person_deleted_says_so_and_is_not_settled_unseen(world: World) -> None:
    world.submit(OLD, operation="retract", fact=only_id(world))
    world.review()
    tick(world)
    world.write_note("environment.md", "# Environment\n\n- the staging gateway is in Oslo\n")
    applied = world.apply()
    assert applied.written == () and applied.settled == 0 and "no fact has the id" in applied.held[0]
    world.review()
    assert world.apply().settled == 1


def test_a_fact_that_was_moved_to_another_note_keeps_its_id_for_a_wish(world: World) -> None:
    identity = only_id(world)
    line = next(line for line in world.note("environment.md").splitlines(keepends=True) if OLD in line)
    world.write_note("environment.md", world.note("environment.md").replace(line, ""))
    world.write_note("rules.md", world.note("rules.md") + line)
    world.submit(NEW, operation="replace", fact=identity)
    world.review()
    tick(world)
    world.apply()
    assert world.facts() == [NEW] and NEW in world.note("rules.md")
