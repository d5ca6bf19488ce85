"""The table of requirements in README.md names tests that exist, and leaves none out."""

import re
from pathlib import Path

HERE = Path(__file__).parent


def numbered() -> set[tuple[str, str]]:
    """(requirement, file) of every numbered test."""
    found = set()
    for path in HERE.glob("test_*.py"):
        for matched in re.finditer(
            r"^def test_(\d+)(?:_(\d+[a-e]?))?_", path.read_text(encoding="utf-8"), re.MULTILINE
        ):
            found.add((".".join(part for part in matched.groups() if part), f"mm/{path.name}"))
    return found


def listed() -> set[tuple[str, str]]:
    rows = re.findall(
        r"^\| ([\d.]+[a-e]?) \|.*\| (.*) \|$", (HERE / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    return {(number, file) for number, files in rows for file in re.findall(r"`([^`]+)`", files)}


def test_the_table_and_the_tests_say_the_same() -> None:
    assert listed() == {pair for pair in numbered() if pair[0] != "9"}


def test_every_requirement_with_a_mark_is_listed() -> None:
    counts = {1: 3, 2: 3, 3: 6, 4: 12, 5: 4, 6: 9, 7: 8, 8: 7, 9: 7, 10: 2, 12: 1}
    wanted = {f"{section}.{number}" for section, last in counts.items() for number in range(1, last + 1)}
    wanted = wanted - {"9.4"} | {f"9.4{letter}" for letter in "abcde"} | {"11", "12", "14", "16"}
    assert {number for number, _ in listed()} == wanted
