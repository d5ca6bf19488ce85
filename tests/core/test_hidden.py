"""Hidden characters are shown and sentences that instruct the reader are flagged; harmless ones pass."""

from __future__ import annotations

import pytest
from shilu_core import hidden
from shilu_core.hidden.wording import ROWS, Wording

EACH_ROW = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.example[:30])


@EACH_ROW
def test_the_example_is_matched_by_its_own_row(row: Wording) -> None:
    from shilu_core.hidden.instructions import _folded

    assert row.compiled.search(_folded(row.example))


@EACH_ROW
def test_a_strong_row_flags_its_example(row: Wording) -> None:
    kinds = {flag.kind for flag in hidden.flags(row.example)}
    assert kinds == ({"hidden-instruction"} if row.strong else kinds)


@EACH_ROW
def test_the_near_miss_is_left_alone(row: Wording) -> None:
    assert hidden.flags(row.counter) == ()
