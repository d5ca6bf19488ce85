"""Long work on what belongs to a vault, which `status` tells of while it goes on: it blocks nobody, and is no secret."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shilu_core.files import make_folder, remove, replace_whole
from shilu_core.platforms import process_is_alive

FOLDER = "maintenance"  # in the vault's state folder: one empty file for each run, named by work and process


@contextmanager
def under_way(vault_state: Path, work: str) -> Iterator[None]:
    """Tells of `work` for as long as the block runs; where that can't be written, it runs all the same."""
    path = vault_state / FOLDER / f"{work}-{os.getpid()}"
    with suppress(OSError):
        make_folder(path.parent, private=True)
        replace_whole(path, b"", private=True)
    try:
        yield
    finally:
        with suppress(OSError):
            remove(path)


def running(vault_state: Path) -> list[str]:
    """The work that goes on now; what a killed process left is taken away."""
    found = []
    try:
        paths = sorted((vault_state / FOLDER).iterdir())
    except OSError:
        return []
    for path in paths:
        work, _, number = path.name.rpartition("-")
        if number.isdigit() and process_is_alive(int(number)):
            found.append(work)
        elif number.isdigit():
            with suppress(OSError):
                remove(path)
    return found
