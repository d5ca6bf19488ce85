"""Two lines of one batch that contradict each other, and one of them a stored fact: whatever is ruled, one value stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from shilu_inbox.apply import Applied

from tests.worlds import World, make_world

OLD = "The staging gateway listens on port 8443"
NEWER = "The staging gateway now listens on port 9443"
OTHER = "The staging gateway listens on port 7000"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """OLD is stored; NEWER (which supersedes it) and OTHER (which conflicts with NEWER) wait, neither ruled on."""
    made = make_world(tmp_path)
    made.submit(OLD)
    made.review()
    made.apply()
    made.submit(NEWER)
    made.submit(OTHER, agent="claude")
    found = made.review()
    assert [(item.verdict, item.place) for item in found.items] == [("supersede", "pending"), ("conflict", "conflict")]
    return made


def rule(world: World, newer: str, other: str) -> Applied:
    for path, mark in ((world.vault.pending, newer), (world.vault.conflicts, other)):
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"^- \[ \]", f"- [{mark}]", text, flags=re.MULTILINE), encoding="utf-8")
    return world.apply()


@pytest.mark.parametrize(
    ("newer", "other", "standing"),
    [
        ("x", "x", [OTHER]),  # each takes the place of the one before
        ("x", "-", [NEWER]),
        ("x", "=", [NEWER, OTHER]),
        ("-", "-", [OLD]),
        (" ", "x", [OTHER]),  # in the place of NEWER, and so of what NEWER would have ended
        (" ", "-", [NEWER]),
        (" ", "=", [OTHER, NEWER]),
    ],
)
def test_what_stands_is_what_was_ruled(world: World, newer: str, other: str, standing: list[str]) -> None:
    applied = rule(world, newer, other)
    assert applied.held == ()
    assert sorted(world.facts()) == sorted(standing)
    written = {one.text for one in applied.written}
    assert not written & set(applied.rejected)
    assert world.review().items == ()


def test_use_new_against_a_rejected_line_waits_until_it_is_compared_with_the_note(world: World) -> None:
    applied = rule(world, "-", "x")
    assert world.facts() == [OLD]
    assert [reason.split("; ")[-1] for reason in applied.held] == ["the next review compares it with the notes: promoter --review"]
    [item] = world.review().items
    assert (item.verdict, item.judgement.target.text) == ("conflict", OLD)  # type: ignore[union-attr]


def test_both_ruled_in_two_runs_end_as_in_one(world: World) -> None:
    rule(world, "x", " ")
    assert world.facts() == [NEWER]
    world.review()
    rule(world, " ", "x")
    assert world.facts() == [OTHER]


def test_a_file_whose_name_is_taken_does_not_take_that_of_another_one(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    (world.vault.processed / "notes.md").write_text("- old\n", encoding="utf-8")
    world.drop_file("notes-2.md", b"- The wiki is at wiki.example.net\n")
    world.drop_file("notes.md", b"- The build host is cedar\n")
    world.accept_all()
    moved = {path.name: path.read_text(encoding="utf-8") for path in world.vault.processed.iterdir() if path.suffix == ".md"}
    assert moved == {
        "notes.md": "- old\n",
        "notes-2.md": "- The wiki is at wiki.example.net\n",
        "notes-3.md": "- The build host is cedar\n",
    }
