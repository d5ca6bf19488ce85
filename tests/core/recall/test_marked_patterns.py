"""Patterns behind their literals find what the bare expression finds."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from shilu_core.recall.aspects import CONCEPTS
from shilu_core.recall.marked_patterns import MarkedPattern


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"\blogs?\b|日志", "the log", True),
        (r"\blogs?\b|日志", "日志在哪", True),
        (r"\blogs?\b|日志", "logged", False),
        (r"colou?r", "color", True),
        (r"colou?r", "colr", False),
        (r"ab*c", "ac", True),
        (r"ab{0,2}c", "ac", True),
        (r"ab+c", "abbc", True),
        (r"\d ?核|几核", "8核", True),
        (r"代理(?!人|分工)", "代理人", False),
        (r"代理(?!人|分工)", "走代理", True),
        (r"(?:one|two) way", "two way", True),
        (r"源(?=配|是)|x", "源是", True),
        (r"[|]|b", "|", True),
        (r"\(a|b\)", "b)", True),
    ],
)
def test_a_marked_pattern_finds_what_its_expression_does(pattern: str, text: str, found: bool) -> None:
    assert MarkedPattern(pattern).found_in(text) is found is (re.search(pattern, text) is not None)


def test_every_concept_is_found_where_its_bare_expression_is(project: Path) -> None:
    lines = (project / "bench" / "data" / "abstain" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["query"].lower() for line in lines]
    texts += [line.lower() for note in (project / "vault-example").rglob("*.md") for line in note.open(encoding="utf-8")]
    for concept in CONCEPTS:
        bare = re.compile(concept.pattern)
        assert [concept.found_in(text) for text in texts] == [bare.search(text) is not None for text in texts]
