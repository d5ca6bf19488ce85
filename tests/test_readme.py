"""The README's commands run, in order, in a home of their own; both languages show the same commands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANY_BLOCK = re.compile(r"^```(?:sh)?\n((?:python3|shilu|promoter|echo).*?)^```$", re.MULTILINE | re.DOTALL)


def read(project: Path, name: str) -> str:
    path = project / name
    if not path.exists():
        pytest.skip("the README is away: this run is against the installed wheel")
    return path.read_text(encoding="utf-8")


def test_both_languages_show_the_same_commands(project: Path) -> None:
    assert ANY_BLOCK.findall(read(project, "README.md")) == ANY_BLOCK.findall(read(project, "README.zh.md"))


@pytest.mark.skipif(os.name == "nt", reason="the blocks are for a POSIX shell")
def test_the_commands_of_the_readme_do_what_it_says(project: Path, tmp_path: Path) -> None:
    home = tmp_path / "a b 用户"
    home.mkdir()
    tools = Path(sys.executable).parent
    environment = {**os.environ, "HOME": str(home), "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    script = "set -e\n" + "\n".join(BLOCK.findall(read(project, "README.md")))
    done = subprocess.run(
        ["bash", "-c", script], cwd=home, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=240
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "applied 4 fact(s)" in done.stdout
    assert "(ends: The staging gateway listens on port 8443)" in done.stdout
    assert "equal: " in done.stdout
    assert "took back (add) " in done.stdout
