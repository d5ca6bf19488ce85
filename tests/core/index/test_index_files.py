"""The index's files: whatever happens to them, search answers rightly or says that it cannot just now."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from shilu_core.embed.vectors import Vectors, normalised
from shilu_core.index.rows import IndexBusy
from shilu_core.recall import Engine
from shilu_core.recall.stored_meaning import StoredMeaning
from shilu_core.vault import Vault, recognise

LINES = 700  # more than the rows that need no array file


def a_vault(folder: Path, lines: int = LINES) -> Vault:
    root = folder / "库 vault" / "memory"
    (root / "inbox").mkdir(parents=True)
    text = "".join(f"- service-{n} listens on port {4000 + n}\n" for n in range(lines))
    (root / "environment.md").write_text(text, encoding="utf-8")
    return recognise(root.parent)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Vault, Path]:
    """A vault and a cache folder with its index, made once; tests work on copies of the cache."""
    folder = tmp_path_factory.mktemp("built")
    vault = a_vault(folder)
    Engine.open(vault, folder / "cache").close()
    return vault, folder / "cache"


@pytest.fixture
def indexed(built: tuple[Vault, Path], tmp_path: Path) -> tuple[Vault, Path]:
    shutil.copytree(built[1], tmp_path / "cache")
    return built[0], tmp_path / "cache"


def folder_of(cache: Path) -> Path:
    return next((cache / "index").glob("????????????????"))


def first(engine: Engine, query: str = "which port does service-42 listen on?") -> str:
    return engine.search(query).hits[0].fact.text


RIGHT = "service-42 listens on port 4042"


def truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def emptied(path: Path) -> None:
    os.truncate(path, 0)


def removed(path: Path) -> None:
    path.unlink()


def foreign(path: Path) -> None:
    path.write_bytes(b"not an index at all\n" * 50)


def older(path: Path) -> None:
    if path.suffix == ".db":
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA user_version=0")
        connection.commit()
        connection.close()


def newer(path: Path) -> None:
    if path.suffix == ".db":
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA user_version=99")
        connection.commit()
        connection.close()


DAMAGES = [truncated, emptied, removed, foreign, older, newer]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("which", ["rows.db", "arrays-*.bin"])
def test_a_damaged_file_is_rebuilt_at_opening(
    indexed: tuple[Vault, Path], damage: Callable[[Path], None], which: str
) -> None:
    vault, cache = indexed
    damage(next(folder_of(cache).glob(which)))
    engine = Engine.open(vault, cache)
    assert first(engine) == RIGHT
    assert engine.status().facts == LINES


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("which", ["rows.db", "arrays-*.bin"])
def test_a_file_damaged_under_an_open_engine_never_gives_a_wrong_answer(
    indexed: tuple[Vault, Path], damage: Callable[[Path], None], which: str
) -> None:
    vault, cache = indexed
    engine = Engine.open(vault, cache)
    damage(next(folder_of(cache).glob(which)))
    assert first(engine) == RIGHT
    engine.refresh()
    assert first(engine, "service-77 port") == "service-77 listens on port 4077"


def test_a_rebuild_is_said_once(indexed: tuple[Vault, Path]) -> None:
    vault, cache = indexed
    truncated(folder_of(cache) / "rows.db")
    engine = Engine.open(vault, cache)
    assert engine.search("service-1").notices[0].startswith("the index was rebuilt: ")
    assert engine.search("service-1").notices == ()


def test_the_first_build_is_no_news(tmp_path: Path) -> None:
    engine = Engine.open(a_vault(tmp_path), tmp_path / "cache")
    assert engine.search("service-1").notices == ()


def test_the_index_of_another_vault_is_not_used(indexed: tuple[Vault, Path], tmp_path: Path) -> None:
    vault, cache = indexed
    other = a_vault(tmp_path / "second", 5)
    Engine.open(other, cache).close()
    folders = sorted((cache / "index").glob("????????????????"))
    assert len(folders) == 2
    (folders[0] / "rows.db").write_bytes((folders[1] / "rows.db").read_bytes())
    assert Engine.open(vault, cache).status().facts == LINES
    assert Engine.open(other, cache).status().facts == 5


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may open anything")
def test_missing_rights_are_no_reason_to_rebuild(indexed: tuple[Vault, Path]) -> None:
    vault, cache = indexed
    rows = folder_of(cache) / "rows.db"
    rows.chmod(0)
    with pytest.raises(IndexBusy, match="try again"):
        Engine.open(vault, cache)
    rows.chmod(0o600)


def test_a_lock_held_elsewhere_is_no_reason_to_rebuild(tmp_path: Path) -> None:
    vault = a_vault(tmp_path, 5)
    engine = Engine.open(vault, tmp_path / "cache")
    engine.index._rows._connection.execute("PRAGMA busy_timeout=10")
    rows = folder_of(tmp_path / "cache") / "rows.db"
    before = rows.stat().st_ino
    other = sqlite3.connect(rows, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(IndexBusy, match="try again"):
        engine.search("service-1")
    other.execute("ROLLBACK")
    assert first(engine, "service-1 port") == "service-1 listens on port 4001"
    assert rows.stat().st_ino == before


def test_no_array_file_is_left_behind(indexed: tuple[Vault, Path]) -> None:
    vault, cache = indexed
    for _ in range(2):
        truncated(folder_of(cache) / "rows.db")
        Engine.open(vault, cache).close()
    names = sorted(path.name for path in folder_of(cache).iterdir())
    assert [name.split("-")[0] for name in names] == ["arrays", "lock", "rows.db"]


def cuts(size: int) -> list[int]:
    return sorted({cut % size for cut in (1, 15, 16, 63, 100, 4096, 4097, size // 3, size - 4096, size - 8, size - 1)})


@pytest.mark.parametrize("which", ["rows.db", "arrays-*.bin"])
def test_wherever_a_file_is_cut_under_open_engines_the_answer_is_right(indexed: tuple[Vault, Path], which: str) -> None:
    vault, cache = indexed
    engine = Engine.open(vault, cache)
    for cut in cuts(next(folder_of(cache).glob(which)).stat().st_size):
        path = next(folder_of(cache).glob(which))
        os.truncate(path, min(cut, path.stat().st_size - 1))
        assert first(engine) == RIGHT, cut
        engine.refresh()
        assert engine.status().facts == LINES, cut
        other = Engine.open(vault, cache)
        assert first(other) == RIGHT, cut
        other.close()


def test_a_page_of_rows_that_turned_to_rubbish_is_made_anew(indexed: tuple[Vault, Path]) -> None:
    vault, cache = indexed
    engine = Engine.open(vault, cache)
    path = folder_of(cache) / "rows.db"
    held = path.read_bytes()
    page = held.rindex(RIGHT.encode()) // 4096 * 4096  # opening does not read it, the search does
    path.write_bytes(held[:page] + b"\xff" * 4096 + held[page + 4096 :])
    for asked in (engine, Engine.open(vault, cache)):
        assert first(asked) == RIGHT
        assert asked.status().facts == LINES


def test_the_whole_folder_removed_under_an_open_engine_is_made_anew(indexed: tuple[Vault, Path]) -> None:
    vault, cache = indexed
    engine = Engine.open(vault, cache)
    folder = folder_of(cache)
    shutil.rmtree(folder)
    assert first(engine) == RIGHT
    engine.refresh()
    assert (folder / "rows.db").exists()
    assert engine.status().facts == LINES


def test_a_file_cut_in_the_middle_of_a_search_ends_nothing(indexed: tuple[Vault, Path]) -> None:
    vault, cache = indexed
    engine = Engine.open(vault, cache)
    os.truncate(next(folder_of(cache).glob("arrays-*.bin")), 0)
    assert engine._search("which port does service-42 listen on?", 5, None, False).hits[0].fact.text == RIGHT


def test_a_reader_that_has_not_looked_again_answers_from_what_another_process_wrote(tmp_path: Path) -> None:
    vault = a_vault(tmp_path)
    reader, writer = (Engine.open(vault, tmp_path / "cache") for _ in range(2))
    note = vault.root / "environment.md"
    note.write_text(note.read_text(encoding="utf-8").replace(" on port", " there on port"), encoding="utf-8")
    writer.refresh()
    assert first(reader) == "service-42 listens there on port 4042"


@pytest.mark.parametrize("damage", [truncated, emptied, removed, foreign], ids=lambda damage: damage.__name__)
def test_vectors_damaged_under_an_open_engine_cost_no_answer(
    indexed: tuple[Vault, Path], damage: Callable[[Path], None]
) -> None:
    vault, cache = indexed
    engine = Engine.open(vault, cache, embedder=Counting())
    assert isinstance(engine.meaning, StoredMeaning)
    engine.meaning.fill(lambda progress: None)
    damage(folder_of(cache) / "vectors" / "vectors.sqlite")
    assert first(engine) == RIGHT
    engine.refresh()
    assert (first(engine), engine.search("service-1").left_out) == (RIGHT, ())
    assert engine.meaning.fill(lambda progress: None).total in (0, LINES)
    assert len(engine.meaning) == LINES


class Counting:
    """An embedder whose vectors are made of the text's characters."""

    name = model_id = "counting"
    dimensions = 64
    scripts = frozenset({"latin"})

    def may_vote(self, text: str) -> bool:
        return True

    def passages(self, texts: Sequence[str]) -> Vectors:
        counts = np.array([[text.count(chr(32 + n)) + 0.01 for n in range(64)] for text in texts], np.float32)
        return normalised(counts)

    def query(self, text: str) -> Vectors:
        return np.asarray(self.passages([text])[0])
