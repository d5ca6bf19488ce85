"""The ledger as JSON lines: a header, then one row a line; bytes are base64."""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from shilu_core.errors import ShiluError
from shilu_core.ledger.schema import STEPS
from shilu_core.ledger.store import Ledger

FORMAT = "shilu-ledger/1"


def export_lines(ledger: Ledger) -> Iterator[str]:
    """Every row of every table, in a form that `import_lines` reads."""
    yield json.dumps({"format": FORMAT, "schema": len(STEPS)})
    for table in _tables(ledger):
        for row in ledger.rows(f"SELECT * FROM {table}"):
            values = {name: _plain(row[name]) for name in row.keys()}  # noqa: SIM118  (sqlite3.Row iterates values)
            yield json.dumps({"table": table, "row": values}, ensure_ascii=False)


def import_lines(ledger: Ledger, lines: Iterable[str]) -> int:
    """Fills an empty ledger from an export, all or nothing; returns the number of rows.

    Raises ShiluError where the lines are no export, are of a newer schema, or the ledger holds history already.
    """
    rows = iter(lines)
    _check_header(next(rows, ""))
    if ledger.row("SELECT 1 FROM plans") or ledger.row("SELECT 1 FROM changes"):
        raise ShiluError(f"the ledger {ledger.path} holds history already; move it away first, then import")
    known, count = set(_tables(ledger)), 0
    with ledger.transaction():
        for number, line in enumerate(rows, 2):
            count += _import_row(ledger, line, number, known)
    return count


def _check_header(line: str) -> None:
    try:
        header = json.loads(line)
    except json.JSONDecodeError:
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ShiluError(f"this is no ledger export: its first line must name the format {FORMAT!r}")
    if int(header.get("schema", 0)) > len(STEPS):
        raise ShiluError(f"the export is of schema {header['schema']}, newer than {len(STEPS)}; update shilu")


def _import_row(ledger: Ledger, line: str, number: int, known: set[str]) -> int:
    if not line.strip():
        return 0
    try:
        entry = json.loads(line)
        table, row = entry["table"], entry["row"]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise ShiluError(f"line {number} of the export is damaged; nothing was imported") from error
    columns = {found["name"] for found in ledger.rows(f"PRAGMA table_info({table})")} if table in known else set()
    if not columns or not isinstance(row, dict) or not set(row) <= columns:
        raise ShiluError(f"line {number} names a table or column that this version does not have; nothing was imported")
    if table == "meta" and row.get("key") == "schema_version":
        return 0  # the version is this ledger's own
    marks = ", ".join("?" * len(row))
    try:
        values = [_value(value) for value in row.values()]
        ledger.execute(f"INSERT OR REPLACE INTO {table} ({', '.join(row)}) VALUES ({marks})", values)
    except (sqlite3.Error, KeyError, TypeError, ValueError) as error:
        raise ShiluError(f"line {number} of the export is damaged; nothing was imported") from error
    return 1


def _tables(ledger: Ledger) -> list[str]:
    rows = ledger.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    return [row["name"] for row in rows]


def _plain(value: Any) -> Any:
    return {"base64": base64.b64encode(value).decode("ascii")} if isinstance(value, bytes) else value


def _value(value: Any) -> Any:
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else value
