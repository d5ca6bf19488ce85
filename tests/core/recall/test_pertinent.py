"""A block that nobody asked for holds what is near the best hit; a search shows the rest, too."""

from __future__ import annotations

from pathlib import Path

import pytest
from shilu_core.facts import Fact
from shilu_core.recall import Hit, Recall, StreamRank
from shilu_core.recall.block import render
from shilu_core.recall.pertinent import PERTINENT, pertinent

from tests.core.recall.vaults import an_engine


def hit(text: str, score: float, **ranks: int) -> Hit:
    streams = {name: StreamRank(rank, 1.0, 1.0) for name, rank in ranks.items()}
    return Hit(Fact(text, text, "rules.md", 1, 2), score, streams)


def kept(*hits: Hit) -> list[str]:
    return [found.fact.text for found in pertinent(Recall("?", hits)).hits]


def test_a_hit_far_below_the_best_is_left_out() -> None:
    assert kept(hit("best", 1.0, bm25=1), hit("near", PERTINENT, bm25=2), hit("far", 0.49, bm25=3)) == ["best", "near"]


@pytest.mark.parametrize(("stream", "stays"), [("vector", True), ("trigram", True), ("graph", False)])
def test_a_hit_that_a_stream_finds_first_by_itself_stays(stream: str, stays: bool) -> None:
    assert ("own" in kept(hit("best", 1.0, bm25=1), hit("own", 0.2, **{stream: 1}))) is stays


def test_nothing_found_stays_nothing() -> None:
    assert pertinent(Recall("?")).hits == ()


def test_the_search_shows_what_the_block_leaves_out(tmp_path: Path) -> None:
    lines = ["- the kiosk gateway listens on port 8443", "- tea is green", "- a port of call is Lisbon"]
    found = an_engine(tmp_path, {"environment": "\n".join(lines)}).search("which port does the kiosk gateway listen on?")
    assert [line.fact.text for line in found.hits] == [lines[0][2:], lines[2][2:]]
    assert "Lisbon" not in render(pertinent(found), max_chars=900, language="en")
