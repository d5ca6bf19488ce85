"""Meaning votes once most lines have a vector: with a few only it would speak for lines that nobody asked about."""

from __future__ import annotations

from pathlib import Path

import pytest
from shilu_core.embed import resolve
from shilu_core.embed.store import VectorStore
from shilu_core.recall import Engine

from .vaults import a_vault

LINES = ["staging 网关监听端口 8443", "发布窗口是每周四晚上十点", "猫喜欢睡在窗台上", "打印机在二楼走廊尽头", "备份每晚两点开始"]
QUESTION = "staging 网关监听哪个端口？"


@pytest.mark.parametrize(("embedded", "votes"), [(0, False), (1, False), (2, False), (3, True), (5, True)])
def test_meaning_votes_from_three_fifths_of_the_lines_on(tmp_path: Path, embedded: int, votes: bool) -> None:
    embedder = resolve()
    if embedder is None:
        pytest.skip("no embedder works here")
    vault = a_vault(tmp_path, {"env": "".join(f"- {line}\n" for line in LINES)})
    engine = Engine.open(vault, tmp_path / "cache")
    before = engine.search(QUESTION)
    store = VectorStore(engine.index.folder / "vectors", embedder.model_id, embedder.dimensions)
    if part := LINES[len(LINES) - embedded :]:  # the asked line is the last to get one
        store.add(part, embedder.passages(part))
    store.close()
    engine.embed_with(embedder)
    found = engine.search(QUESTION)
    assert ("vector" in {name for hit in found.hits for name in hit.streams}) is votes
    assert found.hits[0].fact.text == LINES[0]
    if not votes:
        assert (found.answered, found.weak) == (before.answered, False)
    engine.close()
