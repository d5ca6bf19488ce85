"""Taking everything out: all runs back, newest first, then our own folders; nothing of ours is left."""

from __future__ import annotations

import shutil
from pathlib import Path

from shilu_setup import undoing
from shilu_setup.errors import SetupError
from shilu_setup.folders import Home
from shilu_setup.journal import Journal


def uninstall(home: Home) -> list[str]:
    """Rolls back every run that stands and removes journal, backups and copies; returns the ids of the runs.

    Raises `Foreign` where an entry is no longer ours: what was rolled back until then stays so, and the journal stays.
    """
    journal = Journal(home)
    _require_no_service(journal)
    done = []
    for run in reversed(journal.runs()):
        if run.standing:
            undoing.roll_back(home, run.id)
            done.append(run.id)
    return done


def _require_no_service(journal: Journal) -> None:
    """Raises where the system still starts the daemon: only it can let go of its own."""
    for run in journal.runs():
        for file in run.files if run.standing else ():
            if Path(file.path).suffix in (".service", ".plist", ".xml"):
                raise SetupError(f"the daemon is still a service ({file.path}); run first: shilu service remove")


def sweep(home: Home) -> None:
    """Removes the deployer's own folders, outside its lock; the ledger and whatever else lies beside them stay."""
    shutil.rmtree(Journal(home).folder, ignore_errors=True)
    for folder in (home.state, home.data):
        _remove_empty(folder, home.path)


def _remove_empty(folder: Path, home: Path) -> None:
    """The folder and those above it as long as they are empty; never the home."""
    while folder != home and folder.is_relative_to(home):
        if folder.exists():
            try:
                folder.rmdir()
            except OSError:  # not empty: somebody's files
                return
        folder = folder.parent
