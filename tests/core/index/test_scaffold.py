"""What a new vault says of itself is no memory; what a person adds to it is."""

from pathlib import Path

import pytest
from shilu_core.creation import create
from shilu_core.index.entries import entries_of
from shilu_core.layout import Language
from shilu_core.notes import parse
from shilu_core.vault import Vault


def _texts(vault: Vault) -> list[str]:
    return [entry.fact.text for note in vault.note_ids() for entry in entries_of(vault.parse(note))]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_new_vault_has_nothing_to_recall(tmp_path: Path, language: Language) -> None:
    vault = create(tmp_path / "vault", language)
    assert len(list(vault.note_ids())) == 7
    assert _texts(vault) == []


def test_a_persons_own_table_row_and_quotation_are_indexed() -> None:
    text = "# Environment\n\n> Ask Mina first.\n\n| port | host |\n|---|:-:|\n| 8443 | larch |\n"
    note = parse("environment.md", text.encode())
    assert [entry.fact.text for entry in entries_of(note)] == ["> Ask Mina first.", "| port | host |", "| 8443 | larch |"]


def test_a_row_that_only_names_a_topics_note_is_no_memory() -> None:
    note = parse("index.md", b"| topic | note |\n|---|---|\n| ports | [[environment]] |\n| kiosk, owner Mina | [[kiosk]] | since May |\n")
    assert [entry.fact.text for entry in entries_of(note)] == ["| kiosk, owner Mina | [[kiosk]] | since May |"]
