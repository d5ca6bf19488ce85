"""Every row of the format table finds its example and passes its near miss."""

from __future__ import annotations

import codecs

import pytest
from shilu_core import secrets
from shilu_core.secrets.formats import FORMATS, Format

ROWS = pytest.mark.parametrize("row", FORMATS, ids=lambda row: f"{row.kind}-{row.hints[0].strip()}")


@ROWS
def test_the_example_is_matched_by_its_own_row(row: Format) -> None:
    example = codecs.decode(row.example, "rot13")
    assert any(hint in example for hint in row.hints)
    assert row.compiled.search(example)


@ROWS
def test_the_example_is_found_and_masked(row: Format) -> None:
    example = codecs.decode(row.example, "rot13")
    found = secrets.find(example)
    assert found
    assert f"[masked: {found[0].kind}]" in secrets.mask(example)


@ROWS
def test_the_near_miss_passes(row: Format) -> None:
    assert secrets.find(row.counter) == ()
