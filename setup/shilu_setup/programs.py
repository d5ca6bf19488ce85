"""Whether a program is here, and which version: by its files first, since starting it may take seconds."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from shilu_setup.errors import SetupError
from shilu_setup.folders import Home

ANSWER_SECONDS = 10
"""How long `--version` may take; node programs need up to 3 s on a busy machine."""

CHANGE_SECONDS = 60
"""How long a program may take to change its own settings; node programs need up to 5 s on a busy machine."""

_VERSION = re.compile(r"\d+\.\d+[\w.+-]*")


@dataclass(frozen=True)
class Presence:
    """A program's folder and executable, where found."""

    folder: Path | None
    program: Path | None

    @cached_property
    def version(self) -> str:
        """Its version, where known; looked up when asked for, as that may start the program."""
        return version_of(self.program) if self.program else ""

    @property
    def here(self) -> bool:
        return self.folder is not None or self.program is not None


def look(home: Home, program: str, folder: Path) -> Presence:
    """The program of that name on the search path, and the folder it keeps in the home."""
    return Presence(folder if folder.is_dir() else None, which(home, program))


def which(home: Home, program: str) -> Path | None:
    """The executable on the search path, or in the usual places of this home."""
    usual = [home.path / place for place in (".local/bin", ".npm-global/bin", ".bun/bin", ".opencode/bin")]
    path = home.environment.get("PATH", "")
    for places in (path, ":".join(str(place) for place in usual) if home.platform != "win32" else ""):
        found = shutil.which(program, path=places) if places else None
        if found:
            return Path(found)
    return None


def version_of(program: Path) -> str:
    """The version in the package around the executable; else what it says itself; else nothing."""
    real = program.resolve()
    if re.fullmatch(r"\d+\.\d+\.\d+\S*", real.name):
        return real.name
    for folder in list(real.parents)[:4]:
        try:
            version = json.loads((folder / "package.json").read_text(encoding="utf-8")).get("version")
        except (OSError, ValueError, AttributeError):
            continue
        if isinstance(version, str):
            return version
    return asked(program, "--version")


def asked(program: Path, *arguments: str) -> str:
    """The first version number in the program's answer; nothing where it fails or hangs."""
    try:
        done = subprocess.run(
            [program, *arguments],
            capture_output=True,
            timeout=ANSWER_SECONDS,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = _VERSION.search(done.stdout.decode("utf-8", "replace"))
    return match.group() if match else ""


def node_major(home: Home) -> int | None:
    """The major version of the node on the search path; None where there is none."""
    node = which(home, "node")
    version = asked(node, "--version") if node else ""
    return int(version.split(".")[0]) if version else None


def run_program(home: Home, program: str, arguments: tuple[str, ...]) -> None:
    """Lets a program change its own settings. Raises `SetupError` with its last words where it fails."""
    shown = f"{Path(program).name} {' '.join(arguments[:2])}"
    environment = {**home.environment, "HOME": str(home.path), "USERPROFILE": str(home.path)}
    try:
        done = subprocess.run(
            [program, *arguments], env=environment, cwd=home.path, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=CHANGE_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise SetupError(f"{shown}: did not end within {CHANGE_SECONDS} s") from None
    except OSError as error:
        raise SetupError(f"{shown}: cannot be started ({error.strerror})") from None
    if done.returncode:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
        raise SetupError(f"{shown}: failed with {done.returncode}: {said[-1] if said else 'no word'}")
