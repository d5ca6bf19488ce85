"""docs/architecture.md names modules that exist, and every package of the house stands in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDERS = {"shilu_core": "core", "shilu_inbox": "inbox", "shilu_host": "host", "shilu_setup": "setup"}
ROW = re.compile(r"^\| [^|]+ \| (?P<modules>`shilu_[^|]+) \|$", re.MULTILINE)


def named(text: str) -> Iterator[str]:
    """Modules of the tables: a bare name stands below the package of the full name before it."""
    for row in ROW.finditer(text):
        package = ""
        for name in re.findall(r"`([\w.]+)`", row["modules"]):
            if name.startswith("shilu_"):
                package = name.rpartition(".")[0] or name
                yield name
            else:
                yield f"{package}.{name}"


def test_every_module_that_it_names_exists(project: Path) -> None:
    path = project / "docs/architecture.md"
    if not (project / "core").is_dir():
        pytest.skip("the sources are away: this run is against the installed wheel")
    modules = [name for name in named(path.read_text(encoding="utf-8")) if "." in name]
    places = [project / FOLDERS[name.split(".")[0]] / name.replace(".", "/") for name in modules]
    assert len(modules) > 60
    assert [str(place) for place in places if not (place.with_suffix(".py").is_file() or place.is_dir())] == []


def test_every_package_of_the_house_stands_in_it(project: Path) -> None:
    if not (project / "core").is_dir():
        pytest.skip("the sources are away: this run is against the installed wheel")
    text = (project / "docs/architecture.md").read_text(encoding="utf-8")
    told = {name.split(".")[1] for name in named(text) if "." in name}
    packages = {path.parent.name for name, folder in FOLDERS.items() for path in (project / folder / name).glob("*/__init__.py")}
    assert packages - told == set()
