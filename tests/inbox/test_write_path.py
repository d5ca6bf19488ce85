"""From a dropped file to a canonical note and back, on real files."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from shilu_core.errors import SecretRefused, UsageError
from shilu_inbox.decide import decide
from shilu_inbox.undo import undo
from shilu_inbox.verify import verify

from tests.worlds import NOW, World, make_world


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def env(world: World) -> str:
    return world.note("environment.md")


HEAD = "# Environment\n\n> Machines, paths, ports, versions, and where credentials are kept; one fact a line.\n\n"
STAMP = "(written 2026-11-30 | source: inbox/codex-20261130-092825-01.md)"


def test_a_new_fact_is_ticked_by_the_review_and_written_once(world: World) -> None:
    world.submit("The build host is cedar, port 8080", target="env")
    assert [item.is_ticked for item in world.review().items] == [True]
    world.apply()
    world.apply()
    assert env(world) == f"{HEAD}- The build host is cedar, port 8080 {STAMP}\n"
    assert [path.name for path in world.vault.processed.iterdir()] == ["codex-20261130-092825-01.md"]


def test_what_arrives_after_the_review_waits(world: World) -> None:
    world.submit("The build host is cedar", target="env")
    world.review()
    world.submit("The wiki is at wiki.example.net", target="env", agent="claude")
    world.apply()
    assert world.facts() == ["The build host is cedar"]
    assert [path.name for path in world.vault.inbox.glob("claude*")] == ["claude-20261130-092825-01.md"]


def test_a_supersession_moves_the_old_line_below_the_heading_with_its_end_date(world: World) -> None:
    world.submit("The staging gateway listens on port 8080", target="env")
    world.accept_all()
    later = NOW + timedelta(days=1)
    world.submit("The staging gateway now listens on port 9090", target="env", now=later)
    found = world.review(later)
    assert [(item.verdict, item.is_ticked) for item in found.items] == [("supersede", False)]
    with world.ledger() as ledger:
        decide(world.desk(ledger, later), found.items[0].id, "accept")
    world.apply(later)
    assert env(world) == (
        f"{HEAD}- The staging gateway now listens on port 9090 "
        "(written 2026-12-01 | source: inbox/codex-20261201-092825-01.md)\n"
        "\n## Superseded\n\n- The staging gateway listens on port 8080 "
        "(written 2026-11-30 | source: inbox/codex-20261130-092825-01.md | ended 2026-12-01)\n"
    )


def test_a_conflict_inside_the_batch_is_one_conflict_and_nothing_is_applied_before_a_ruling(tmp_path: Path) -> None:
    world = make_world(tmp_path, "zh")  # F42
    world.submit("staging 服务器环境绑定在 127.0.0.1:8080")
    world.submit("staging 服务器环境绑定在 127.0.0.1:9090", agent="claude")
    found = world.review()
    assert len(found.at("conflict")) == 1
    assert world.apply().written == ()
    assert world.facts() == []
    with world.ledger() as ledger:
        decide(world.desk(ledger), found.at("conflict")[0].id, "keep-old")
    world.apply()
    assert world.facts() == ["staging 服务器环境绑定在 127.0.0.1:8080"]
    assert "保留旧" in world.vault.rulings.read_text(encoding="utf-8")
    assert list(world.vault.inbox.glob("*-*.md")) == []


@pytest.mark.parametrize(
    ("ruling", "expected"),
    [
        ("use-new", ["The staging gateway listens on port 9090"]),
        ("keep-old", ["The staging gateway listens on port 8080"]),
        ("keep-both", ["The staging gateway listens on port 8080", "The staging gateway listens on port 9090"]),
        ("reject", ["The staging gateway listens on port 8080"]),
        ("skip", ["The staging gateway listens on port 8080"]),
    ],
)
def test_each_ruling_on_a_conflict_has_its_end_state(world: World, ruling: str, expected: list[str]) -> None:
    world.submit("The staging gateway listens on port 8080", target="env")
    world.accept_all()
    world.submit("The staging gateway listens on port 9090", target="env", agent="claude")
    item = world.review().at("conflict")[0]
    with world.ledger() as ledger:
        decide(world.desk(ledger), item.id, ruling)  # type: ignore[arg-type]
    world.apply()
    assert world.facts() == expected


def test_an_edited_text_and_target_are_what_is_written(world: World) -> None:
    world.submit("the build host is cedr", target="env")
    world.review()
    text = world.vault.pending.read_text().replace("is cedr ^", "is cedar ^").replace("memory/environment.md", "rules")
    world.vault.pending.write_text(text)
    world.apply()
    assert "- the build host is cedar (written" in world.note("rules.md")
    assert world.facts() == ["the build host is cedar"]


def test_running_the_review_again_keeps_every_mark_and_every_foreign_line(world: World) -> None:
    world.submit("the build host is cedar", target="env")
    world.submit("the wiki is at wiki.example.net", target="env", agent="claude")
    world.review()
    text = world.vault.pending.read_text().replace("- [x] 1.", "- [-] 1.").replace("- [x] 2.", "- [ ] 2.")
    world.vault.pending.write_text(text + "\nmy own remark\n")
    world.submit("the printer is called heron", target="env", agent="hermes")
    world.review()
    marks = [line[:6] for line in world.vault.pending.read_text().splitlines() if line.startswith("- [")]
    assert marks == ["- [-] ", "- [ ] ", "- [x] "]
    assert "my own remark" in world.vault.pending.read_text()


def test_a_rejected_value_is_told_when_it_comes_back(world: World) -> None:  # F36
    world.submit("the office plant is called Fred", target="env")
    world.review()
    world.vault.pending.write_bytes(world.vault.pending.read_bytes().replace(b"- [x]", b"- [-]"))
    world.apply()
    world.submit("the office plant is called Fred", target="env", agent="claude")
    item = world.review().items[0]
    assert [flag.kind for flag in item.judgement.flags] == ["returned"]
    assert not item.is_ticked
    world.apply()
    assert world.facts() == []


def test_a_secret_is_refused_before_anything_is_written(world: World) -> None:  # F28
    with pytest.raises(SecretRefused, match="fact 1, line 1 holds a plaintext secret") as refused:
        world.submit("export PAYKEY=" + "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc")
    assert "4eC39" not in str(refused.value)
    assert list(world.vault.inbox.glob("*-*.md")) == []


def test_a_dropped_file_with_a_secret_goes_to_the_quarantine_and_nowhere_else(world: World) -> None:  # F28
    value = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    world.drop_file("notes.md", f"- export PAYKEY={value}\n".encode())
    found = world.review()
    assert [arrival.name for arrival in found.quarantined] == ["notes.md"]
    holders = [path for path in world.folder.rglob("*") if path.is_file() and value.encode() in path.read_bytes()]
    assert [path.parent.name for path in holders] == ["quarantine"]
    assert holders[0].stat().st_mode & 0o777 == 0o600
    assert holders[0].parent.stat().st_mode & 0o777 == 0o700


def test_hidden_characters_are_visible_in_the_list_and_the_item_is_not_ticked(world: World) -> None:  # F30
    world.submit("the printer\u202e is\u200b called heron", target="env")
    item = world.review().items[0]
    listed = world.vault.pending.read_text()
    assert "\u202e" not in listed and "\u200b" not in listed
    assert item.judgement.flags and not item.is_ticked


def test_undo_keeps_every_later_edit(world: World) -> None:  # F37
    world.submit("the build host is cedar", target="env")
    world.accept_all()
    world.write_note("environment.md", env(world).replace("> Machines", "> My machines") + "- by hand\n")
    with world.ledger() as ledger:
        done = world.apply()
        assert done.written == ()
        fact = next(fact for fact in world.vault.parse("environment.md").facts if "cedar" in fact.text)
        undo(world.desk(ledger), fact.id)
    assert env(world) == HEAD.replace("> Machines", "> My machines") + "- by hand\n"


def test_undo_of_a_line_that_was_edited_since_is_a_clash_and_changes_nothing(world: World) -> None:  # F37
    world.submit("the build host is cedar", target="env")
    batch = world.accept_all().plan
    world.write_note("environment.md", env(world).replace("is cedar", "is birch"))
    before = env(world)
    with world.ledger() as ledger:
        undone = undo(world.desk(ledger), batch)
    assert len(undone.clashes) == 1 and "was changed since it was written" in undone.clashes[0]
    assert env(world) == before


def test_undo_of_a_fact_edited_by_hand_finds_it_by_its_stamp(world: World) -> None:
    world.submit("the build host is cedar", target="env")
    world.accept_all()
    world.write_note("environment.md", env(world).replace("is cedar", "is birch"))
    fact = world.vault.parse("environment.md").facts[-1]
    with world.ledger() as ledger:
        assert "was changed since" in undo(world.desk(ledger), fact.id).clashes[0]


def test_a_note_rewritten_since_the_review_gets_what_still_applies_and_the_rest_says_why(world: World) -> None:  # F39
    world.submit(
        *(f"printer {name} stands on floor {floor}" for name, floor in zip("abcdefg", range(1, 8), strict=True)),
        target="env",
    )
    world.submit("the old gateway is heron", target="env", agent="claude")
    world.accept_all()
    world.submit("the old gateway is now egret", target="env", agent="hermes")
    item = world.review().items[0]
    assert item.verdict == "supersede"
    with world.ledger() as ledger:
        decide(world.desk(ledger), item.id, "accept")
    world.write_note("environment.md", "# Rewritten by hand\n\nonly prose now\n")
    done = world.apply()
    assert len(done.held) == 1
    assert "became" in done.held[0] or "no longer holds" in done.held[0]
    assert env(world) == "# Rewritten by hand\n\nonly prose now\n"


def test_verify_tells_the_lines_that_a_person_changed(world: World) -> None:
    world.submit("the build host is cedar", target="env")
    world.accept_all()
    with world.ledger() as ledger:
        assert verify(world.vault, ledger) == ()
        world.write_note("environment.md", env(world) + "- by hand\n")
        found = verify(world.vault, ledger)
    assert [(one.note, one.hunks[0].inserted) for one in found] == [("environment.md", ("\n- by hand",))]


def test_a_lost_ledger_doubles_nothing(world: World) -> None:
    path = world.submit("the build host is cedar", target="env")
    data = path.read_bytes()
    world.accept_all()
    for file in (world.folder / "state").rglob("ledger.db*"):
        file.unlink()
    path.write_bytes(data)  # the move was lost, too
    world.accept_all()
    assert world.facts() == ["the build host is cedar"]
    assert not path.exists()


def test_a_tool_that_always_writes_the_same_name_loses_nothing(world: World) -> None:
    texts = ["the build host is cedar", "lunch starts at noon", "部署脚本放在 /srv/deploy"]
    for text in texts:
        world.drop_file("notes.md", f"{text}\n".encode())
        world.accept_all()
    assert sorted(world.facts()) == sorted(texts)
    assert sorted(path.name for path in world.vault.processed.iterdir()) == ["notes-2.md", "notes-3.md", "notes.md"]


def test_two_submissions_of_one_second_are_two_files(world: World) -> None:  # F33
    names = [world.submit(f"shelf {number} is full").name for number in range(101)]
    assert names[0] == "codex-20261130-092825-01.md"
    assert names[-1] == "codex-20261130-092825-101.md"


def test_a_half_written_foreign_file_is_not_taken(world: World) -> None:
    world.drop_file("other-20261130-101010-01.md", b"- the build host is ce", age=0.0)
    found = world.review()
    assert found.items == () and found.unsettled == ("other-20261130-101010-01.md",)


def test_decide_refuses_what_does_not_fit_and_says_what_does(world: World) -> None:
    world.submit("the build host is cedar", target="env")
    item = world.review().items[0]
    with world.ledger() as ledger, pytest.raises(UsageError, match="keep-both does not fit the pending item"):
        decide(world.desk(ledger), item.id, "keep-both")


def test_retract_needs_a_decision_and_takes_the_line_out(world: World) -> None:
    world.submit("the build host is cedar", target="env")
    world.accept_all()
    fact = world.vault.parse("environment.md").facts[0]
    world.submit(fact.text, operation="retract", fact=fact.id, agent="claude")
    assert [(item.verdict, item.is_ticked) for item in world.review().items] == [("retract", False)]
    world.apply()
    assert world.facts() == ["the build host is cedar"]
    world.accept_all()
    assert env(world) == HEAD
    world.submit("the build host is cedar", target="env", agent="hermes")
    assert [flag.kind for flag in world.review().items[0].judgement.flags] == ["returned"]


def test_replace_ends_the_named_fact(world: World) -> None:
    world.submit("the build host is cedar", target="env")
    world.accept_all()
    fact = world.vault.parse("environment.md").facts[0]
    world.submit("birch builds everything", operation="replace", fact=fact.id, agent="claude")
    world.accept_all()
    assert world.facts() == ["birch builds everything"]


def test_the_review_tells_what_else_would_end_with_a_compound_fact(tmp_path: Path) -> None:
    world = make_world(tmp_path, "zh")
    world.submit("家里的 NAS 地址是 192.168.31.20，管理端口 5001", target="env")
    world.accept_all()
    world.submit("家里 NAS 的管理端口改成 5443 了", target="env", agent="claude")
    item = world.review().items[0]
    assert item.verdict == "supersede"
    assert "旧的一条还写着 192.168.31.20，会随它一起移走" in item.judgement.reason


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_utf_16_note_takes_no_utf_8_line_and_says_so(world: World, encoding: str) -> None:
    data = "\ufeff# Environment\n\n- by hand\n".encode(encoding)
    (world.vault.root / "environment.md").write_bytes(data)
    world.submit("the build host is cedar", target="env")
    applied = world.accept_all()
    assert applied.written == () and "is UTF-16, and notes are UTF-8" in applied.held[0]
    assert (world.vault.root / "environment.md").read_bytes() == data


def test_an_undo_is_no_batch_to_take_back_and_says_what_to_do(world: World) -> None:
    world.submit("the build host is cedar", target="env")
    batch = world.accept_all().plan
    with world.ledger() as ledger:
        back = undo(world.desk(ledger), batch)
        with pytest.raises(UsageError, match="is an undo itself; to have its facts again, submit them again"):
            undo(world.desk(ledger), back.plan)
