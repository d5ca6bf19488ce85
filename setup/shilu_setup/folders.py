"""Where things are: the home whose programs are wired, our own folders in it, and the parts that get
wired."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from shilu_setup.errors import SetupError


@dataclass(frozen=True)
class Home:
    """One person's home folder; every file the deployer writes lies in it (after links are followed)."""

    path: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    platform: str = sys.platform

    @classmethod
    def of(cls, path: str | None, environment: Mapping[str, str]) -> Home:
        """The named home, or the user's own. A named home has no environment but the search path."""
        if path is None:
            return cls(Path(os.path.expanduser("~")).absolute(), environment)
        named = Path(path).expanduser().absolute()
        if not named.is_dir():
            raise SetupError(f"{named}: there is no such home folder")
        return cls(
            named,
            {name: environment[name] for name in ("PATH", "PATHEXT", "SYSTEMROOT") if name in environment},
        )

    def folder(self, variable: str, default: str) -> Path:
        """A program's own folder: the environment's, where that is inside this home, else the usual one."""
        named = self.environment.get(variable, "")
        if named and self.holds(Path(named)):
            return Path(named)
        return self.path / default

    def holds(self, path: Path) -> bool:
        """Whether the path lies in this home, links followed."""
        try:
            return path.resolve().is_relative_to(self.path.resolve())
        except (OSError, RuntimeError):
            return False

    @property
    def data(self) -> Path:
        """Our copies of what harnesses run; constant across releases."""
        return self._own("XDG_DATA_HOME", ".local/share")

    @property
    def state(self) -> Path:
        """Journal, backups and lock of the deployer."""
        return self._own("XDG_STATE_HOME", ".local/state")

    @property
    def config(self) -> Path:
        """The folder of the user's `config.toml`."""
        return self._own("XDG_CONFIG_HOME", ".config")

    def _own(self, variable: str, default: str) -> Path:
        if self.platform == "darwin":
            return self.path / "Library" / "Application Support" / "shilu"
        if self.platform == "win32":
            return self.folder("LOCALAPPDATA", "AppData/Local") / "shilu"
        return self.folder(variable, default) / "shilu"


@dataclass(frozen=True)
class Parts:
    """What gets wired: the interpreter that has the program installed, and our files for the harnesses."""

    python: Path
    hook: Path  # the hook client, self-contained
    mcp: Path  # the MCP server; needs the package around it
    dsh: Path  # folder of the DSH bundle
    opencode: Path  # the OpenCode plug-in file
    vault: str = ""  # named in the wiring only where the user named one

    @classmethod
    def find(cls, *, vault: str = "", python: Path | None = None) -> Parts:
        """The parts beside this package: in a checkout `../host`, in an installation the sibling package."""
        own = Path(__file__).resolve().parent
        checkout = own.parents[1] / "host"
        host = checkout / "shilu_host" if (checkout / "shilu_host").is_dir() else own.parent / "shilu_host"
        plugins = checkout if (checkout / "dsh").is_dir() else host / "plugins"
        return cls(
            python=python or _interpreter(own.parents[1]),
            hook=host / "client" / "hook.py",
            mcp=host / "client" / "mcp_stdio.py",
            dsh=plugins / "dsh",
            opencode=plugins / "opencode" / "shilu.js",
            vault=str(Path(vault).expanduser().absolute()) if vault else "",
        )


def _interpreter(checkout: Path) -> Path:
    """The bootstrap's interpreter where this one is a bare system Python; never resolved, a venv is its
    path."""
    inside = "Scripts/python.exe" if sys.platform == "win32" else "bin/python"
    made = checkout / ".venv" / inside
    if sys.prefix == sys.base_prefix and made.exists():
        return made
    return Path(sys.executable).absolute()
