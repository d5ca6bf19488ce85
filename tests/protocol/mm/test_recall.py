"""Notes of configured mm roots are found by recall, beside the vault's, with their URI as source."""

from pathlib import Path

import pytest
from shilu_core.errors import UsageError
from shilu_core.index.index import Index
from shilu_core.index.source import VaultSource
from shilu_core.ledger import Ledger
from shilu_core.recall.engine import Engine
from shilu_core.settings import Settings
from shilu_core.vault import recognise
from shilu_host.mm import Memory, Options
from shilu_host.mm.recall import MmSource, configured
from shilu_host.protocol.recall import EntrySource
from shilu_host.sources import Sources

from tests.fixtures import old_vault


def memory(root: Path, memory_id: str = "team") -> Memory:
    return Memory.ensure(Options(root=str(root), memory_id=memory_id), environment={})


def source(*roots: Path) -> MmSource:
    found = configured(Settings({}, {"mm": {"roots": [str(root) for root in roots]}}), {})
    assert found
    return found


def test_bullets_are_facts_and_the_summary_is_searchable(root: Path) -> None:
    memory(root).write("deploy", "- 部署区域在北京\n\nWe deploy on Fridays.\n", summary="Where and when")
    _, lines = source(root).load("mm://team/deploy")
    assert [(line.fact.text, line.kind, line.title, line.fact.line) for line in lines] == [
        ("部署区域在北京", "fact", "deploy", 9),
        ("We deploy on Fridays.", "text", "deploy", 11),
        ("Where and when", "text", "deploy", 1),
    ]


def test_a_change_of_body_or_summary_is_seen(root: Path) -> None:
    written = memory(root)
    written.write("a", "text", summary="one")
    found = source(root)
    digests = [found.digest("mm://team/a")]
    written.write("a", "text", summary="two")
    digests.append(found.digest("mm://team/a"))
    written.write("a", "other", summary="two")
    assert len({*digests, found.digest("mm://team/a")}) == 3


def test_two_roots_with_one_memory_id_are_told_apart(root: Path, tmp_path: Path) -> None:
    for folder, topics in ((root, ("a", "b")), (tmp_path / "other", ("a",))):
        for topic in topics:
            memory(folder, "local").write(topic, f"text of {folder.name}")
    found = source(root, tmp_path / "other")
    assert sorted(found.notes()) == ["mm://local.2/a", "mm://local/a", "mm://local/b"]
    assert found.load("mm://local.2/a")[1][0].fact.text == "text of other"


def test_a_root_that_can_not_be_read_is_told_and_gives_nothing(root: Path, tmp_path: Path) -> None:
    root.mkdir()
    (root / "MEMORY.md").write_text("## no topic\n", encoding="utf-8")
    found = source(root, tmp_path / "missing")
    assert (found.notes(), found.load("mm://team/a"), found.digest("mm://team/a")) == ({}, (b"", ()), b"")
    assert ["line 1" in found.problems()[0], "shilu mm init" in found.problems()[1]] == [True, True]


def test_no_roots_mean_no_source_and_a_wrong_table_is_a_usage_error() -> None:
    assert configured(Settings({}, {}), {}) is None
    with pytest.raises(UsageError, match="roots must be a list"):
        configured(Settings({}, {"mm": {"roots": "x"}}), {})


def test_recall_finds_vault_and_mm_notes_and_follows_changes(root: Path, tmp_path: Path) -> None:
    written = memory(root)
    written.write("on-call", "- 值班电话由李娜负责到周五\n")
    vault = VaultSource(recognise(old_vault.write(tmp_path / "vault")))
    ledger = Ledger.open(tmp_path / "ledger.db")
    joined = Sources(vault, EntrySource(ledger), (source(root),))
    engine = Engine(Index.open(tmp_path / "index", joined), joined)
    engine.refresh()
    assert engine.search("谁负责值班电话").hits[0].fact.note == "mm://team/on-call"
    assert engine.search("Go 工具链版本").hits[0].fact.note == "常用路径与环境.md"
    written.write("on-call", "- 值班电话由王强负责到周日\n")
    engine.refresh()
    assert engine.search("谁负责值班电话").hits[0].fact.text == "值班电话由王强负责到周日"
    written.delete("on-call")
    engine.refresh()
    assert all(not hit.fact.note.startswith("mm://") for hit in engine.search("谁负责值班电话").hits)
    engine.close()
    ledger.close()
