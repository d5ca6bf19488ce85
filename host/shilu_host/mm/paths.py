"""Where a memory lies, and which files an index may name (sections 2 and 4.5)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shilu_host.mm.errors import unparsable
from shilu_host.mm.text import trim

INDEX_NAME = "MEMORY.md"
DETAIL_FOLDER = "memories"
_VARIABLE = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?")
_DRIVE = re.compile("[A-Za-z]:")


@dataclass(frozen=True)
class Root:
    """A memory root: an absolute folder that may not exist yet."""

    folder: Path

    @property
    def index(self) -> Path:
        return self.folder / INDEX_NAME

    @property
    def details(self) -> Path:
        return self.folder / DETAIL_FOLDER

    def locate(self, file: str) -> Path:
        """The path of a `file:` value; raises E_PARSE where it leads out of the root or to the index itself.

        Links are followed, which the reference does not do, so that no link in a root opens or deletes a
        file elsewhere.
        """
        path = self.folder / assert_safe_rel_path(file)
        if not path.resolve().is_relative_to(self.folder.resolve()):
            raise unparsable(f"file {file!r} leads out of the root {self.folder}; name a file below it")
        if self._is_index(path):
            raise unparsable(f"file {file!r} is the index; name a detail file below {DETAIL_FOLDER}/")
        return path

    def _is_index(self, path: Path) -> bool:
        if os.path.normpath(path) == os.path.normpath(self.index):
            return True
        try:
            return os.path.samefile(path, self.index)
        except OSError:
            return False


def detail_file(topic: str) -> str:
    """The `file:` value of a topic's own detail file."""
    return f"{DETAIL_FOLDER}/{topic}.md"


def assert_safe_rel_path(path: object) -> str:
    """`path` itself; raises E_PARSE unless it is a relative POSIX path that goes down only (4.5)."""
    if not isinstance(path, str) or not path:
        raise unparsable("file must be a non-empty relative path")
    if "\\" in path or "\0" in path:
        raise unparsable(f"file {path!r} must use '/' between its parts, no backslash and no NUL")
    if path.startswith("/") or _DRIVE.match(path):
        raise unparsable(f"file {path!r} must be relative to the memory root")
    if ".." in path.split("/"):
        raise unparsable(f"file {path!r} must not climb with '..'")
    return path


def resolve_root(explicit: str | None, environment: Mapping[str, str]) -> Root:
    """The root that is meant: given, `$DSH_MEMORY_ROOT`, or `$DSH_HOME/memory` (2.2)."""
    given = trim(explicit or "") or trim(environment.get("DSH_MEMORY_ROOT", ""))
    raw = given or os.path.join(_home_of_dsh(environment), "memory")
    return Root(_absolute(raw, environment))


def sessions_folder(environment: Mapping[str, str]) -> Path:
    """Where the harness keeps its session logs."""
    return _absolute(_home_of_dsh(environment), environment) / "sessions"


def _home_of_dsh(environment: Mapping[str, str]) -> str:
    return trim(environment.get("DSH_HOME", "")) or "~/.dsh"


def _absolute(raw: str, environment: Mapping[str, str]) -> Path:
    expanded = _VARIABLE.sub(lambda matched: environment.get(matched[1], ""), raw)
    home = environment.get("HOME") or os.path.expanduser("~")
    if expanded == "~":
        expanded = home
    elif expanded.startswith(("~/", "~\\")):
        expanded = os.path.join(home, expanded[2:])
    return Path(os.path.abspath(expanded))
