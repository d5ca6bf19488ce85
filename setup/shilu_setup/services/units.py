"""What is to run at login, and for whom."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from shilu_setup.folders import Home


@dataclass(frozen=True)
class Command:
    """One command of the system; `input` is its standard input. Some may fail (already gone, not loaded)."""

    argv: tuple[str, ...]
    may_fail: bool = False
    input: str | None = None


@dataclass(frozen=True)
class Unit:
    """The daemon of one vault, run by the interpreter that has the program installed."""

    home: Home
    python: Path
    vault: str = ""  # empty: the configured one

    @property
    def name(self) -> str:
        """`shilu`; with a vault named, a name of its own, so that several vaults do not collide."""
        return "shilu" + ("-" + hashlib.sha256(self.vault.encode()).hexdigest()[:8] if self.vault else "")

    @property
    def argv(self) -> tuple[str, ...]:
        return (
            str(self.python),
            "-m",
            "shilu_host",
            "daemon",
            "run",
            *(("--vault", self.vault) if self.vault else ()),
        )

    @property
    def daily(self) -> tuple[str, ...]:
        """The daily run by itself, for systems where nothing keeps a daemon alive."""
        vault = ("--vault", self.vault) if self.vault else ()
        return (str(self.python), "-m", "shilu_host.promoter_cli", "--cron", *vault)
