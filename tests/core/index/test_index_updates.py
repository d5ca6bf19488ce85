"""Bringing an index up to date gives what making it anew gives, at the cost of the lines that changed."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shilu_core.index import index as index_module
from shilu_core.recall import Engine
from shilu_core.vault import Vault, recognise

WORDS = ["pomelo", "运行", "端口", "8080", "order-svc", "staging", "不再", "数据库", "Kafka", "10.0.0.5"]
LINE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(lambda words: "- " + " ".join(words))
NOTE = st.lists(LINE, max_size=6).map("\n".join)
STEPS = st.lists(st.tuples(st.sampled_from(["rules", "tools", "deep/notes"]), st.none() | NOTE), min_size=1, max_size=5)


def a_vault(folder: Path) -> Vault:
    (folder / "memory" / "inbox").mkdir(parents=True)
    return recognise(folder)


def write(vault: Vault, note: str, text: str | None) -> None:
    path = vault.root / f"{note}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    if text is None:
        path.unlink(missing_ok=True)
    else:
        path.write_text(text, encoding="utf-8")


def answers(engine: Engine) -> list[list[tuple[str, float]]]:
    queries = [*WORDS, "order-svc 端口 staging", "数据库 pomelo 10.0.0.5"]
    return [[(hit.fact.id, round(hit.score, 3)) for hit in engine.search(query, limit=20).hits] for query in queries]


def stored(engine: Engine) -> list[tuple[str, int, int]]:
    return sorted((row.entry.fact.id, row.entry.fact.line, row.traits) for row in engine.index.every())


@settings(max_examples=40, deadline=None)
@given(steps=STEPS, few=st.sampled_from([512, 3]))
def test_update_equals_rebuild(steps: list[tuple[str, str | None]], few: int) -> None:
    kept = index_module.FEW
    index_module.FEW = few  # 3: array files and merges come into play with the smallest notes
    try:
        with TemporaryDirectory() as name:
            folder = Path(name)
            vault = a_vault(folder / "v")
            engine = Engine.open(vault, folder / "cache")
            for note, text in steps:
                write(vault, note, text)
                engine.refresh()
            fresh = Engine.open(vault, folder / "fresh")
            assert stored(engine) == stored(fresh)
            assert engine.index.live == fresh.index.live
            if few == 512:
                assert answers(engine) == answers(fresh)
            else:
                assert [{i for i, _ in one} for one in answers(engine)] == [
                    {i for i, _ in one} for one in answers(fresh)
                ]
    finally:
        index_module.FEW = kept


def test_an_edited_line_costs_one_line(tmp_path: Path) -> None:
    vault = a_vault(tmp_path / "v")
    write(vault, "rules", "\n".join(f"- rule number {n}" for n in range(50)))
    engine = Engine.open(vault, tmp_path / "cache")
    before = {row.number for row in engine.index.every()}
    write(vault, "rules", "\n".join(f"- rule number {n}{' changed' if n == 7 else ''}" for n in range(50)))
    assert engine.refresh() is True
    after = {row.number for row in engine.index.every()}
    assert (len(before - after), len(after - before)) == (1, 1)
    assert engine.search("rule number 7 changed").hits[0].fact.line == 8


def test_lines_below_an_inserted_one_only_move(tmp_path: Path) -> None:
    vault = a_vault(tmp_path / "v")
    write(vault, "rules", "- alpha\n- beta")
    engine = Engine.open(vault, tmp_path / "cache")
    write(vault, "rules", "- new\n- alpha\n- beta")
    engine.refresh()
    assert engine.search("beta").hits[0].fact.line == 3
    assert engine.index.count == 3


def test_a_change_of_equal_size_and_time_is_seen(tmp_path: Path) -> None:
    vault = a_vault(tmp_path / "v")
    write(vault, "rules", "- port 8080")
    engine = Engine.open(vault, tmp_path / "cache")
    path = vault.root / "rules.md"
    status = path.stat()
    write(vault, "rules", "- port 9090")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    engine.refresh()
    assert [hit.fact.text for hit in engine.search("port").hits] == ["port 9090"]


@pytest.mark.parametrize("lines", [30, 600])
def test_deleted_and_renamed_notes_leave_no_old_path(tmp_path: Path, lines: int) -> None:
    vault = a_vault(tmp_path / "v")
    write(vault, "tools", "\n".join(f"- tool {n} works" for n in range(lines)))
    write(vault, "old name", "- the mango press is in the cellar")
    engine = Engine.open(vault, tmp_path / "cache")
    (vault.root / "old name.md").rename(vault.root / "新名.md")
    engine.refresh()
    found = engine.search("where is the mango press?").hits
    assert [(hit.fact.note, hit.fact.line) for hit in found] == [("新名.md", 1)]
    assert engine.status().stale == ()


def test_another_process_sees_what_this_one_took_in(tmp_path: Path) -> None:
    vault = a_vault(tmp_path / "v")
    write(vault, "rules", "- alpha")
    reader, writer = (Engine.open(vault, tmp_path / "cache") for _ in range(2))
    write(vault, "rules", "- alpha\n- 新加的 fact")
    assert writer.refresh() is True
    assert reader.refresh() is True
    assert reader.search("新加的").hits[0].fact.text == "新加的 fact"


def test_status_counts_files_and_facts_on_both_sides(tmp_path: Path) -> None:
    vault = a_vault(tmp_path / "v")
    write(vault, "rules", "- alpha\n- beta\n\nprose")
    engine = Engine.open(vault, tmp_path / "cache")
    write(vault, "tools", "- gamma")
    status = engine.status()
    assert (status.notes, status.facts, status.passages, status.vault_notes) == (1, 2, 1, 2)
    assert status.stale == ("tools.md",)


def test_sync_copies_are_no_notes(tmp_path: Path) -> None:
    vault = a_vault(tmp_path / "v")
    write(vault, "rules", "- alpha")
    names = ["rules.sync-conflict-20260101-120000-ABC.md", "rules (conflicted copy).md", ".~lock.rules.md#"]
    for name in [*names, "rules.md.tmp"]:
        (vault.root / name).write_text("- alpha copy")
    engine = Engine.open(vault, tmp_path / "cache")
    assert [hit.fact.text for hit in engine.search("alpha", limit=20).hits] == ["alpha"]
