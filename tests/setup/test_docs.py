"""What docs/deploy.md says is what the table does."""

from __future__ import annotations

from pathlib import Path

import pytest
from shilu_setup.cli import VERBS
from shilu_setup.harnesses import HARNESSES
from shilu_setup.services import KINDS
from shilu_setup.wiring import Setting

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "deploy.md"


@pytest.mark.parametrize("name", list(HARNESSES))
def test_every_file_that_a_harness_gets_is_named_in_the_document(name: str, setting: Setting) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert HARNESSES[name].title in text
    for file in HARNESSES[name].wiring(setting).files:
        if not file.path.is_relative_to(setting.home.data):
            shown = f"~/{file.path.relative_to(setting.home.path).as_posix()}"
            assert f"`{shown}`" in text or f"`{file.path.name}`" in text, shown


def test_every_verb_and_kind_stands_in_the_document() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert [verb for verb in VERBS if f"deploy {verb}" not in text] == []
    assert "--kind cron" in text and len(KINDS) == 4
