"""`shilu doctor` and `shilu forget --scan`: they name what is there, and change no byte of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from shilu_core.ledger import vault_identity
from shilu_host.cli import main

from tests.worlds import NOW, World, make_world


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    made = make_world(tmp_path)
    vault_identity(made.vault)
    monkeypatch.setenv("SHILU_VAULT", str(made.vault.folder))
    monkeypatch.setenv("SHILU_STATE_DIR", str(made.folder / "state"))
    monkeypatch.setenv("SHILU_CACHE_DIR", str(made.folder / "cache"))
    monkeypatch.setenv("SHILU_CONFIG", str(made.folder / "config.toml"))
    monkeypatch.setenv("SHILU_NOW", NOW.isoformat())
    return made


@pytest.fixture
def doctor(world: World, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    def run(*words: str) -> tuple[int, dict[str, list[str]]]:
        """Exit code, and the places of the findings by kind; the vault's bytes are the same afterwards."""
        before = snapshot(world)
        code = main(["doctor", "--json", *words])
        assert snapshot(world) == before
        found: dict[str, list[str]] = {}
        for finding in json.loads(capsys.readouterr().out)["findings"]:
            found.setdefault(finding["kind"], []).append(finding["place"])
        return code, found

    return run


def snapshot(world: World) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in world.vault.folder.rglob("*") if path.is_file()}


def test_a_sound_vault_has_no_findings(world: World, doctor) -> None:  # type: ignore[no-untyped-def]
    world.submit("The build host is cedar")
    world.accept_all()
    assert doctor() == (0, {})


def test_odd_notes_are_named_and_all_others_are_in_the_index(world: World, doctor) -> None:  # type: ignore[no-untyped-def]  # F24
    odd = {
        "path.md": "---\npath: `C:\\Users\\小周`\n---\n- from the path note\n",
        "rule.md": "---\n- after a rule\n",
        "star.md": "---\ntitle: *Title*\n---\n- from the star note\n",
        "link.md": "---\nup: [[link]]suffix\n---\n- from the link note\n",
        "latin.md": b"- caf\xe9\n".decode("utf-8", "surrogateescape"),
    }
    for name, text in odd.items():
        world.write_note(name, text)
    for number in range(50):
        world.write_note(f"good/{number}.md", f"- good fact number {number}\n")
    found = {"front-matter": ["link.md", "path.md", "rule.md", "star.md"], "not-utf-8": ["latin.md"]}
    assert doctor() == (0, found)


def test_links_that_name_no_note_or_several_are_listed(world: World, doctor) -> None:  # type: ignore[no-untyped-def]  # F26, F27
    for folder in "abcde":
        world.write_note(f"{folder}/overview.md", "- one of five\n")
    world.write_note(
        "links.md",
        "- [[overview (state/session)]]\n- [[overview]]\n- [[a/overview]], [[rules|the rules]], [[rules#top]], ![[picture.png]]\n"
        "- `[[in code]]`\n",
    )
    assert doctor() == (0, {"wikilink-none": ["links.md:1"], "wikilink-several": ["links.md:2"]})


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_out_of_the_vault_and_in_circles_are_named(world: World, doctor) -> None:  # type: ignore[no-untyped-def]  # F08
    root = world.vault.root
    (world.folder / "elsewhere.md").write_text("- not ours\n", encoding="utf-8")
    (root / "inside.md").symlink_to(root / "rules.md")
    (root / "out.md").symlink_to(world.folder / "elsewhere.md")
    (root / "gone.md").symlink_to(root / "nothing.md")
    (root / "loop").symlink_to(root)
    assert doctor() == (0, {"link-nowhere": ["gone.md"], "link-out": ["out.md"], "link-loop": ["loop"]})


def test_copies_leftovers_and_files_that_no_review_takes_are_named(world: World, doctor) -> None:  # type: ignore[no-untyped-def]  # F40
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    world.write_note("rules.sync-conflict-20260101-120000-ABC.md", "- other\n")
    world.write_note("rules (conflicted copy).md", "- other\n")
    world.write_note(f".shilu-tmp-{ended.pid}-00", "half")
    (world.vault.folder / ".lock").write_text(f"pid={ended.pid} token=00", encoding="utf-8")
    world.drop_file("picture.png", b"\x89PNG")
    assert doctor() == (
        0,
        {
            "sync-copy": ["rules (conflicted copy).md", "rules.sync-conflict-20260101-120000-ABC.md"],
            "temporary": [f"memory/.shilu-tmp-{ended.pid}-00"],
            "lock": [".lock"],
            "inbox-ignored": ["inbox/picture.png"],
        },
    )


def test_edits_by_hand_are_told_and_a_ledger_that_does_not_add_up_is_a_fault(world: World, doctor) -> None:  # type: ignore[no-untyped-def]
    world.submit("The build host is cedar", target="env")
    world.accept_all()
    world.write_note("environment.md", world.note("environment.md").replace("cedar", "maple"))
    assert doctor() == (0, {"by-hand": ["environment.md"]})
    with world.ledger() as ledger:
        ledger.execute("UPDATE changes SET after = 'x'")
        ledger.execute("UPDATE plans SET state = 'begun'")
        [plan] = [row["id"] for row in ledger.rows("SELECT id FROM plans")]
    assert doctor() == (1, {"interrupted": [plan], "ledger-broken": ["environment.md"]})


@pytest.mark.parametrize("words", [(), ("--repair",)])
def test_a_truncated_index_is_made_anew_and_proved_by_a_search(world: World, doctor, words) -> None:  # type: ignore[no-untyped-def]  # F10
    world.submit("The build host is cedar")
    world.accept_all()
    doctor()
    [rows] = (world.folder / "cache").rglob("rows.db")
    os.truncate(rows, rows.stat().st_size // 2)
    code, found = doctor(*words)
    assert (code, set(found)) == (0, set() if words else {"index-rebuilt"})
    assert doctor() == (0, {})


def test_it_says_it_in_the_vaults_language(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.drop_file("picture.png", b"\x89PNG")
    assert main(["doctor"]) == 0
    english = capsys.readouterr().out.splitlines()
    assert english[0] == "- inbox/picture.png is no submission (.md, .markdown or .txt): no review takes it"
    assert english[-1] == "1 finding(s), 0 of them fault(s)"
    assert main(["doctor", "--lang", "zh"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "共 1 项，其中故障 0 项"


def recall(world: World, identity: str, days_ago: int) -> None:
    at = (NOW - timedelta(days=days_ago)).isoformat()
    with world.ledger() as ledger:
        values = ("s", json.dumps([identity]), "[]", at)
        ledger.execute("INSERT INTO recalls (session, facts, digest, at) VALUES (?, ?, ?, ?)", values)


def scan(capsys: pytest.CaptureFixture[str], *words: str) -> list[tuple[str, str]]:
    assert main(["forget", "--scan", "--json", *words]) == 0
    return [(row["kind"], row["text"]) for row in json.loads(capsys.readouterr().out)]


def test_the_scan_lists_what_ended_long_ago_and_what_was_never_recalled(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.submit("The build host is cedar", "The wiki is at wiki.example.net", now=NOW - timedelta(days=200))
    world.review(now=NOW - timedelta(days=200))
    wiki = next(one.fact for one in world.apply(now=NOW - timedelta(days=200)).written if "wiki" in one.text)
    world.write_note("tools.md", "## Superseded\n\n- old tool (written 2026-01-01 | source: inbox/a.md | ended 2026-02-01)\n")
    before = snapshot(world)
    ended = ("ended", "old tool")
    assert scan(capsys) == [ended]  # the ledger knows of no recall: nothing is called unused
    recall(world, wiki, 100)
    assert scan(capsys) == [ended]  # nor where it does not reach back so far
    recall(world, "aaaaaaaaaa", 160)
    assert scan(capsys) == [ended, ("unused", "The build host is cedar")]
    assert scan(capsys, "--days", "1000") == []
    assert snapshot(world) == before


def test_forget_without_scan_says_what_takes_a_fact_out(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["forget"]) == 2
    assert "shilu forget --scan; take a fact back with: shilu retract FACT" in capsys.readouterr().err
