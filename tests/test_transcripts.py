"""Transcripts: commands with their exact output, run as real processes in a home of their own.

A line `$ command` is run by the shell; what stands below it, up to the next one, is what it prints, standard error
after standard output. `~` stands for the home folder and `<batch>` for the id of a batch, which is random.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "transcripts"
STEP = re.compile(r"^\$ (?P<command>.+)\n(?P<output>(?:(?!\$ |```).*\n)*)", re.MULTILINE)
BATCH = re.compile(r"\b[0-9a-f]{16}\b")


def run(command: str, home: Path) -> str:
    """What one command prints, with what differs from run to run replaced."""
    tools = Path(sys.executable).parent
    environment = {**os.environ, "HOME": str(home), "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    environment |= {"SHILU_NOW": "2026-11-30T09:28:25+00:00", "COLUMNS": "100", "LANG": "C.UTF-8", "TZ": "UTC"}
    done = subprocess.run(["bash", "-c", command], cwd=home, env=environment, capture_output=True, timeout=120, check=False)
    told = done.stdout.decode() + done.stderr.decode() + (f"[exit {done.returncode}]\n" if done.returncode else "")
    told = "".join(line.rstrip() + "\n" for line in told.splitlines() if line.strip())
    return BATCH.sub("<batch>", told.replace(str(home), "~"))


@pytest.mark.skipif(os.name == "nt", reason="the commands are for a POSIX shell")
@pytest.mark.parametrize("name", ["en.md", "zh.md"])
def test_the_commands_print_what_the_transcript_shows(name: str, tmp_path: Path) -> None:
    home = tmp_path / "a b 用户"
    home.mkdir()
    text = (FOLDER / name).read_text(encoding="utf-8")
    shown = STEP.sub(lambda step: f"$ {step['command']}\n{run(step['command'], home)}", text)
    assert shown == text
