"""Kinds of faults that tools of this kind had, by their number: F10, F14, F25, F26, F27, F35, F40."""

from __future__ import annotations

import os
from pathlib import Path

from shilu_core.entities import wikilinks
from shilu_core.recall import Engine, block
from shilu_core.recall.streams.graph import neighbours

from tests.core.recall.vaults import a_vault, an_engine, texts


def test_f10_an_index_cut_to_half_is_rebuilt_and_proved_by_a_query(tmp_path: Path) -> None:
    vault = a_vault(tmp_path, {"rules": "- the mango press is in the cellar"})
    Engine.open(vault, tmp_path / "cache").close()
    rows = next((tmp_path / "cache").rglob("rows.db"))
    os.truncate(rows, rows.stat().st_size // 2)
    assert texts(Engine.open(vault, tmp_path / "cache"), "mango press") == ["the mango press is in the cellar"]


RESTATED = [
    "The staging gateway listens on port 8443.",
    "the staging gateway listens on port 8443",
    "Staging gateway listens on port 8443!",
    "port 8443: the staging gateway listens on it",
    "On port 8443 the staging gateway listens",
    "The `staging` gateway listens on port **8443**",
    "Staging: the gateway listens on port 8443",
    "The gateway on staging listens on port 8443",
    "Port 8443 is what the staging gateway listens on",
]


def test_f14_nine_notes_that_restate_one_fact_and_one_that_contradicts_it_are_one_marked_statement(tmp_path: Path) -> None:
    notes = {f"n{number}": f"- {text}" for number, text in enumerate(RESTATED)}
    engine = an_engine(tmp_path, {**notes, "other": "- The staging gateway listens on port 9443."})
    found = engine.search("which port does the staging gateway listen on?")
    assert block.render(found, max_chars=1600, language="en").splitlines()[2:-1] == [
        "- The staging gateway listens on port 8443. (n0.md)",
        "  ! contradicted by (undecided): The staging gateway listens on port 9443. (other.md)",
    ]


def test_f25_a_line_of_30_kb_is_found_by_what_stands_anywhere_in_it(tmp_path: Path) -> None:
    cells = " | ".join(f"cell {number} holds value-{number}" for number in range(1200))
    engine = an_engine(tmp_path, {"table": f"| {cells} |"})
    for number in (0, 600, 1199):
        assert f"value-{number} " in texts(engine, f"value-{number}")[0] + " "


def test_f26_a_link_that_names_no_note_leads_to_none_that_looks_alike(tmp_path: Path) -> None:
    notes = {f"area{number}/overview": f"- overview fact {number}" for number in range(5)}
    engine = an_engine(tmp_path, {**notes, "rules": "- see [[overview (state/session)]]"})
    rows, _ = neighbours(engine.index, "overview (state/session)")
    found = [row.entry.fact.text for row in engine.index.rows(rows).values()]
    assert set(found) == {"see [[overview (state/session)]]"}


def test_f27_each_form_of_link_names_its_note_and_code_names_none() -> None:
    text = "Mother [[Target]], [[note|alias]], [[note#heading]], ![[note]], `[[code]]`"
    assert [link.target for link in wikilinks(text)] == ["Target", "note", "note", "note"]


def test_f35_what_was_superseded_is_found_only_when_history_is_asked(tmp_path: Path) -> None:
    note = "- use B for search\n\n## Superseded\n- use A for search\n"
    engine = an_engine(tmp_path, {"tools": note})
    assert texts(engine, "what do we use for search?") == ["use B for search"]
    assert set(texts(engine, "use for search", history=True)) == {"use A for search", "use B for search"}


def test_f40_sync_copies_are_never_recalled(tmp_path: Path) -> None:
    vault = a_vault(tmp_path, {"x": "- alpha"})
    for name in ("x.sync-conflict-20260101-120000-ABC.md", "x (conflicted copy).md", ".~lock.x.md#", "x.md.tmp"):
        (vault.root / name).write_text("- alpha copy", encoding="utf-8")
    assert texts(Engine.open(vault, tmp_path / "cache"), "alpha", limit=20) == ["alpha"]
