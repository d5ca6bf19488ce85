"""Every numbered requirement of dsh-memory-protocol v1 has a test that bears its number."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# Requirements of sections 1 to 16; 4.8 is a corner that the document says to ignore, 17 and 18 are orientation.
SECTIONS = {1: 5, 2: 11, 3: 8, 4: 7, 5: 24, 6: 11, 7: 6, 8: 11, 9: 7, 10: 4, 11: 5, 12: 4, 13: 11, 14: 7, 15: 3, 16: 3}
NUMBERS = [f"{section}.{number}" for section, count in SECTIONS.items() for number in range(1, count + 1)]
SUITE = ["A1", "A2", "A3", "A4", "A5", "A6", "A7", "B1", "B2", "B3", "B4", "B5", "B6", "B7", "C1", "C2", "C3", "D1", "D2", "D3", "E1", "E2"]  # fmt: skip


def rows() -> list[tuple[str, str, str]]:
    text = (HERE / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^\| ([^|]+?) \| (test_\w+\.py) \| (test_\w+) \|$", text, re.MULTILINE)


def test_the_table_names_tests_that_exist():
    files = {path.name: path.read_text(encoding="utf-8") for path in HERE.glob("test_*.py")}
    assert [row for row in rows() if f"\ndef {row[2]}(" not in files[row[1]]] == []


def test_every_requirement_case_difference_and_trap_has_a_test():
    named = {row[0] for row in rows()}
    wanted = {*NUMBERS, *(f"suite {case}" for case in SUITE), *(f"difference D{n}" for n in range(1, 10)), "21"}
    assert wanted - named == set()


def test_a_test_bears_the_number_of_its_requirement():
    def bears(number: str, test: str) -> bool:
        return re.search(rf"(^test|_){number.replace('.', '_')}_", test) is not None

    numbered = [row for row in rows() if re.fullmatch(r"\d+\.\d+", row[0])]
    assert [row for row in numbered if not bears(row[0], row[2])] == []


def test_the_numbers_are_those_of_the_document():
    folder = os.environ.get("SHILU_SHARED")
    if not folder:
        pytest.skip("SHILU_SHARED names no folder with the protocols' documents")
    text = (Path(folder) / "protocols" / "dsh-memory-protocol-v1.md").read_text(encoding="utf-8")
    found = [number for number in re.findall(r"^(\d+\.\d+) ", text, re.MULTILINE) if int(number.split(".")[0]) <= 16]
    assert found == [*NUMBERS[: NUMBERS.index("5.1")], "4.8", *NUMBERS[NUMBERS.index("5.1") :]]
