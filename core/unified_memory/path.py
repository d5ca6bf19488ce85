"""Finds the other packages where only `core/` is on the path, as the DSH plug-in's `corePath` puts it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

Main = Callable[[Sequence[str] | None], int]


def _find() -> None:
    top = Path(__file__).resolve().parents[2]
    for part in ("core", "inbox", "host", "setup"):
        folder = str(top / part)
        if (top / part / f"shilu_{part}").is_dir() and folder not in sys.path:
            sys.path.append(folder)


def shilu_main() -> Main:
    _find()
    from shilu_host.cli import main

    return main


def promoter_main() -> Main:
    _find()
    from shilu_host.promoter_cli import main

    return main
