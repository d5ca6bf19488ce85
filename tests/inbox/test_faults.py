"""Faults that such tools really had, where they concern the write path; each test names its row of the list."""

from __future__ import annotations

from pathlib import Path

import pytest
from shilu_core.errors import ShiluError
from shilu_inbox.decide import decide
from shilu_inbox.undo import undo
from shilu_inbox.verify import verify

from tests.worlds import World, make_world

SECRET = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
STAMP = "(written 2026-11-30 | source: inbox/codex-20261130-092825-01.md)"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def holders(world: World, value: str = SECRET) -> list[str]:
    """Every file of vault and state that holds the value, however a write-ahead log may keep it."""
    every = [path for path in world.folder.rglob("*") if path.is_file()]
    needles = [value.encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be")]
    return sorted(
        path.relative_to(world.folder).as_posix()
        for path in every
        if any(needle in path.read_bytes() for needle in needles) or value in path.name
    )


def mark(world: World, old: str, new: str) -> None:
    path = world.vault.pending
    path.write_bytes(path.read_bytes().replace(old.encode(), new.encode()))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"# R\r\n\r\n- a  \r\n\tx\r\n- b\r\n", b"# R\r\n\r\n- a  \r\n\tx\r\n- b\r\n- zq vorn" + b"%s\r\n"),
        (b"\xef\xbb\xbf# R\n\n- a\n", b"\xef\xbb\xbf# R\n\n- a\n- zq vorn%s\n"),
        (b"# R\n\n- a", b"# R\n\n- a\n- zq vorn%s"),
        (b"# R\n\n- a  \n\ttail \n\n\n## Notes\n\nprose  \n", b"# R\n\n- a  \n\ttail \n- zq vorn%s\n\n\n## Notes\n\nprose  \n"),
        (b"---\ntitle: Bad: yaml: here\n---\n\nbody\n", b"---\ntitle: Bad: yaml: here\n---\n\nbody\n- zq vorn%s\n"),
        (b"---\ntitle: Bad: yaml: here\n---\n", b"---\ntitle: Bad: yaml: here\n---\n- zq vorn%s\n"),
        (b"- parent\n  - child (written 2026-01-02 | source: inbox/a.md)\n  - second child\n",
         b"- parent\n  - child (written 2026-01-02 | source: inbox/a.md)\n  - second child\n- zq vorn%s\n"),
        (b"## Superseded\n\n- old (ended 2026-01-01)\n", b"- zq vorn%s\n\n## Superseded\n\n- old (ended 2026-01-01)\n"),
        (b"\xff\xfe\x80 no UTF-8 \xc3\x28\n- a\n", b"\xff\xfe\x80 no UTF-8 \xc3\x28\n- a\n- zq vorn%s\n"),
        (b"", b"- zq vorn%s\n"),
        (b"\xef\xbb\xbf", b"\xef\xbb\xbf- zq vorn%s"),
        (b"| a | b |\n|---|---|\n| 1 | 2 |\n", b"| a | b |\n|---|---|\n| 1 | 2 |\n- zq vorn%s\n"),
    ],
)  # fmt: skip
def test_only_the_added_line_differs_in_the_notes_own_newline_style(world: World, before: bytes, after: bytes) -> None:
    note = world.vault.root / "rules.md"  # F22, F23
    note.write_bytes(before)
    others = {path: path.read_bytes() for path in world.vault.root.glob("*.md") if path != note}
    world.submit("zq vorn", target="rules")
    world.review()
    assert note.read_bytes() == before
    world.apply()
    assert note.read_bytes() == after % f" {STAMP}".encode()
    assert {path: path.read_bytes() for path in others} == others


def test_odd_notes_among_good_ones_stay_as_they_are_and_stop_nothing(world: World) -> None:  # F24
    odd = {
        "path.md": "---\npath: `C:\\Users\\小周`\n---\n- from the path note\n",
        "rule.md": "---\n- after a rule\n",
        "star.md": "*Title*\n- after a title\n",
        "link.md": "- [[link]]suffix\n",
    }
    for name, text in odd.items():
        world.write_note(name, text)
    for number in range(50):
        world.write_note(f"good/{number}.md", f"- good fact number {number}\n")
    world.submit("zq vorn", target="rules")
    assert len(world.accept_all().written) == 1
    texts = world.facts()
    assert sum(text.startswith("good fact") for text in texts) == 50
    assert {"from the path note", "after a rule", "after a title", "[[link]]suffix", "zq vorn"} <= set(texts)
    assert {name: world.note(name) for name in odd} == odd


@pytest.mark.parametrize(
    "fields",
    [
        {"tags": (SECRET,)},
        {"target": SECRET},
        {"session": SECRET},
        {"workspace": f"/srv/{SECRET}/x"},
    ],
)
def test_a_secret_in_a_field_is_refused_and_stands_nowhere(world: World, fields: dict[str, str]) -> None:  # F28
    with pytest.raises(ShiluError, match="plaintext secret") as refused:
        world.submit("the build host is cedar", **fields)
    assert SECRET not in str(refused.value)
    world.review()
    assert holders(world) == []


@pytest.mark.parametrize(
    "data",
    [
        f"---\ntags: [{SECRET}]\n---\n- the build host is cedar\n".encode(),
        f"---\ntarget: {SECRET}\n---\n- the build host is cedar\n".encode(),
        f"---\nunknown: {SECRET}\n---\n- the build host is cedar\n".encode(),
        f"- the build host is cedar\n\n```\n{SECRET}\n```\n<!-- {SECRET} -->\n".encode(),
        f"\ufeff- the key is {SECRET}\n".encode("utf-16-le"),
        f"\ufeff---\ntags: [{SECRET}]\n---\n- the build host is cedar\n".encode("utf-16-le"),
        f"- caf\xe9 {SECRET}\n".encode("latin-1"),
        (f"- {SECRET}\n" + "x" * 70_000).encode(),
    ],
)
def test_a_dropped_file_with_a_secret_stands_in_the_quarantine_alone(world: World, data: bytes) -> None:  # F28
    world.drop_file("notes.md", data)
    found = world.review()
    assert [arrival.name for arrival in found.quarantined] == ["notes.md"]
    world.accept_all()
    assert [Path(name).parent.name for name in holders(world)] == ["quarantine"]
    assert world.facts() == []


def test_a_secret_written_into_the_list_is_held_and_goes_no_further(world: World) -> None:  # F28
    world.submit("the build host is cedar", target="env")
    world.review()
    mark(world, "is cedar ^", f"is cedar, key {SECRET} ^")
    (held,) = world.apply().held
    assert "plaintext secret" in held and SECRET not in held
    world.review()
    assert world.facts() == []
    assert holders(world) == ["vault/memory/review/pending.md"]


def test_a_secret_as_the_new_text_of_a_decision_is_refused(world: World) -> None:  # F28
    world.submit("the build host is cedar", target="env")
    item = world.review().items[0]
    with world.ledger() as ledger, pytest.raises(ShiluError, match="plaintext secret"):
        decide(world.desk(ledger), item.id, "edit", f"the key is {SECRET}")
    assert holders(world) == []


@pytest.mark.parametrize("text", ["zero\u200bwidth", "right\u202eleft", "tag\U000e0041\U000e0042 letters"])
def test_hidden_characters_are_marks_in_both_lists_and_need_a_mark_of_their_own(world: World, text: str) -> None:  # F30
    world.write_note("environment.md", "# E\n\n- The staging gateway listens on port 8080\n")
    world.submit(f"the printer {text}", target="env")
    world.submit(f"The staging gateway {text} listens on port 9090", target="env", agent="claude")
    items = world.review().items
    assert [(item.is_ticked, bool(item.judgement.flags)) for item in items] == [(False, True), (False, True)]
    listed = "".join(path.read_text() for path in (world.vault.pending, world.vault.conflicts) if path.exists())
    assert not any(character in listed for character in "\u200b\u202e\U000e0041\U000e0042")
    assert world.apply().written == ()


def test_the_consent_of_an_old_list_covers_no_flagged_item(tmp_path: Path) -> None:  # F30
    world = make_world(tmp_path, "zh")
    world.drop_file("codex-20261128-101500-01.md", "- 打印机\u202e在三楼\n- 午休从 12:30 开始\n".encode())
    lines = "".join(
        f"- [ ] {number}. 分类:other｜目标:50-Agent-Context/情境信息/未归类事实.md｜来源:codex-20261128-101500-01.md｜内容:{text}\n"
        for number, text in enumerate(("打印机\u202e在三楼", "午休从 12:30 开始"), 1)
    )
    world.vault.pending.write_text("# 待晋升清单\n\n" + lines, encoding="utf-8")
    done = world.apply()
    assert [one.text for one in done.written] == ["午休从 12:30 开始"]
    assert len(done.held) == 1 and "needs a mark of its own" in done.held[0]


def test_a_retracted_fact_comes_back_only_through_a_decision(world: World) -> None:  # F36
    world.submit("the office plant is called Fred", target="env")
    world.accept_all()
    fact = world.vault.parse("environment.md").facts[0]
    world.submit(fact.text, operation="retract", fact=fact.id)
    world.accept_all()
    for _ in range(2):
        world.submit("The office plant is called Fred.", target="env", agent="digest")
        found = world.review()
        assert [flag.kind for item in found.items for flag in item.judgement.flags] == ["returned"]
        assert world.apply().written == ()
        mark(world, "- [ ]", "- [-]")
        world.apply()
    assert world.facts() == []


def test_undo_gives_back_the_same_bytes_and_keeps_what_was_added_since(world: World) -> None:  # F37
    before = world.note("environment.md")
    world.submit("the build host is cedar", "lunch starts at noon", target="env")
    batch = world.accept_all().plan
    world.write_note("environment.md", world.note("environment.md") + "- by hand\n")
    with world.ledger() as ledger:
        assert undo(world.desk(ledger), batch).clashes == ()
        assert world.note("environment.md") == before + "- by hand\n"
        with pytest.raises(ShiluError, match="is undone already"):
            undo(world.desk(ledger), batch)


def test_eight_items_queued_against_a_note_that_is_rewritten(world: World) -> None:  # F39
    names = ["gateway", "printer", "database", "proxy", "wiki", "mailer", "cache", "builder"]
    world.write_note("environment.md", "# E\n\n" + "".join(f"- The {name} listens on port 8080\n" for name in names))
    facts = {fact.text.split()[1]: fact.id for fact in world.vault.parse("environment.md").facts}
    for name in names:
        world.submit(f"The {name} listens on port 9090", operation="replace", fact=facts[name], agent=name)
    assert len(world.review().items) == 8
    kept = names[:5]
    world.write_note("environment.md", "# Rewritten\n\nprose\n\n" + "".join(f"- The {name} listens on port 8080\n" for name in kept))
    mark(world, "- [ ]", "- [x]")
    done = world.apply()
    assert len(done.held) == 3 and len(done.written) == 5
    assert all("no fact has the id" in reason or "no longer" in reason or "became" in reason for reason in done.held)
    assert sorted(world.facts()) == sorted(f"The {name} listens on port 9090" for name in kept)
    assert world.note("environment.md").startswith("# Rewritten\n\nprose\n")


def test_contradictory_facts_of_one_batch_wait_even_when_both_files_are_ticked_by_the_review(world: World) -> None:  # F42
    world.submit("the staging server is bound to 127.0.0.1:8080", target="env")
    world.submit("the staging server is bound to 127.0.0.1:9090", target="env", agent="claude")
    found = world.review()
    assert len(found.at("conflict")) == 1 and not any(item.is_ticked for item in found.items)
    assert world.apply().written == () and world.facts() == []
    assert sorted(path.name for path in world.vault.inbox.glob("*-*.md")) == [
        "claude-20261130-092825-01.md",
        "codex-20261130-092825-01.md",
    ]


def test_a_superseded_text_that_stands_twice_is_current_nowhere_afterwards(world: World) -> None:  # F35
    line = "- The staging gateway listens on port 8080\n"
    world.write_note("environment.md", f"# E\n\n{line}- other\n{line}")
    world.write_note("tools.md", f"# T\n\n- parent\n  {line}  - sibling\n")
    world.submit("The staging gateway now listens on port 9090", target="env")
    done = world.accept_all()
    assert done.held == ()
    assert sorted(world.facts()) == ["The staging gateway now listens on port 9090", "other", "parent", "sibling"]
    assert world.note("tools.md") == (
        "# T\n\n- parent\n  - sibling\n\n## Superseded\n\n"
        "- The staging gateway listens on port 8080 (ended 2026-11-30)\n"
    )
    with world.ledger() as ledger:
        undo(world.desk(ledger), done.plan)
        assert verify(world.vault, ledger) == ()
    assert world.note("environment.md") == f"# E\n\n{line}- other\n{line}"
    assert world.note("tools.md") == f"# T\n\n- parent\n  {line}  - sibling\n"


def test_a_fact_whose_line_is_no_utf_8_can_be_replaced_and_brought_back(world: World) -> None:  # F24
    note = world.vault.root / "rules.md"
    note.write_bytes(b"# R\n\n- caf\xe9 closes at noon\n")
    fact = world.vault.parse("rules.md").facts[0]
    world.submit("zq vorn", operation="replace", fact=fact.id)
    done = world.accept_all()
    assert done.held == ()
    assert b"- caf\xe9 closes at noon (ended 2026-11-30)\n" in note.read_bytes()
    with world.ledger() as ledger:
        undo(world.desk(ledger), done.plan)
    assert note.read_bytes() == b"# R\n\n- caf\xe9 closes at noon\n"
