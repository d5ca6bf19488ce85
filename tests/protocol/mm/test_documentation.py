"""The mm part of docs/protocols.md is true: its blocks run."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from shilu_host.cli import main

PAGE = Path(__file__).parents[3] / "docs" / "protocols.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the docs are away: this run is against the installed wheel")


def block(language: str) -> str:
    section = PAGE.read_text(encoding="utf-8").split("\n## mm v1\n", 1)[1].split("\n## ", 1)[0]
    matched = re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)
    assert matched, f"the page has no {language} block"
    return matched[1]


def test_the_python_block_runs_and_prints_what_the_page_says() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", block("python")],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr, done.stdout) == (0, "", block("text"))


def test_the_commands_of_the_page_end_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in block("sh").splitlines():
        name, *words = shlex.split(line)
        assert (name, main(words)) == ("shilu", 0), line
    assert '"topic":"deploy-region"' in capsys.readouterr().out
    assert (tmp_path / "team-memory" / "memories" / "deploy-region.md").exists()
