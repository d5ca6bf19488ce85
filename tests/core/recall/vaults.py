"""Small vaults on disk for the tests of recall."""

from __future__ import annotations

from pathlib import Path

from shilu_core.recall import Engine
from shilu_core.vault import Vault, recognise


def a_vault(folder: Path, notes: dict[str, str]) -> Vault:
    root = folder / "保险库 vault" / "memory"
    (root / "inbox").mkdir(parents=True)
    for name, text in notes.items():
        path = root / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return recognise(root.parent)


def an_engine(folder: Path, notes: dict[str, str]) -> Engine:
    return Engine.open(a_vault(folder, notes), folder / "cache")


def texts(engine: Engine, query: str, **options: object) -> list[str]:
    return [hit.fact.text for hit in engine.search(query, **options).hits]  # type: ignore[arg-type]
