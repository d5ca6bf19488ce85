"""Natural questions over the example vault find their fact, with and without an embedder.

`bench/data/recall/questions.jsonl` names in `needs` a part of the fact; `embedder` marks questions in another language
than their fact, `within` a place below the third.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from shilu_core.embed import resolve
from shilu_core.recall import Engine
from shilu_core.vault import recognise

ROOT = Path(__file__).parents[3]
EXAMPLE, QUESTIONS = ROOT / "vault-example", ROOT / "bench" / "data" / "recall" / "questions.jsonl"
CASES = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def lexical(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    opened = Engine.open(recognise(EXAMPLE), tmp_path_factory.mktemp("cache"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def with_embedder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    embedder = resolve()
    if embedder is None:
        pytest.skip("no embedder works here")
    opened = Engine.open(recognise(EXAMPLE), tmp_path_factory.mktemp("cache"), embedder=embedder)
    assert opened.meaning is not None
    opened.meaning.fill(lambda progress: None)  # type: ignore[attr-defined]
    yield opened
    opened.close()


@pytest.mark.parametrize("case", [case for case in CASES if not case.get("embedder")], ids=lambda case: case["query"])
def test_words_alone_find_the_fact(lexical: Engine, case: dict[str, str]) -> None:
    assert any(case["needs"] in hit.fact.text for hit in lexical.search(case["query"], limit=3).hits)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["query"])
def test_all_streams_find_the_fact(with_embedder: Engine, case: dict[str, object]) -> None:
    limit = int(str(case.get("within", 3)))
    found = [hit.fact.text for hit in with_embedder.search(str(case["query"]), limit=limit).hits]
    assert any(str(case["needs"]) in text for text in found)
