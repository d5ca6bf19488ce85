"""The ledger's schema only rises: a file of any earlier version opens with its rows, and without what nothing uses."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from shilu_core.ledger import SCHEMA_VERSION, Ledger
from shilu_core.ledger.entry_schema import PROTOCOL_STEPS
from shilu_core.ledger.schema import APPLICATION_ID, STEPS

OWN = range(len(PROTOCOL_STEPS) + 1, len(STEPS) + 1)


def made(path: Path, version: int) -> Path:
    """A ledger as the release with this schema left it, with one receipt."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for step in STEPS[:version]:
            connection.executescript(step)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("INSERT INTO meta VALUES ('schema_version', ?)", (str(version),))
        values = ("codex-20261130-092825-01.md", "d", 1, "applied", "一条事实", "2026-11-30")
        connection.execute("INSERT INTO receipts (name, digest, line, outcome, text, at) VALUES (?, ?, ?, ?, ?, ?)", values)
    return path


@pytest.mark.parametrize("version", OWN)
def test_a_ledger_of_every_earlier_schema_opens_with_its_rows(tmp_path: Path, version: int) -> None:
    with Ledger.open(made(tmp_path / "ledger.db", version)) as ledger:
        assert ledger.row("SELECT value FROM meta WHERE key = 'schema_version'")["value"] == str(SCHEMA_VERSION)  # type: ignore[index]
        assert [row["text"] for row in ledger.rows("SELECT text FROM receipts")] == ["一条事实"]
        tables = {row["name"] for row in ledger.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert "items" not in tables
