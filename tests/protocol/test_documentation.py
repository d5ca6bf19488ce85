"""The v1 part of docs/protocols.md is true: its client runs, its commands and its configuration work."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from shilu_host.cli import main
from shilu_host.protocol.settings import read_settings
from shilu_host.rpc.vault_store import FIELDS

PAGE = Path(__file__).parents[2] / "docs" / "protocols.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the docs are away: this run is against the installed wheel")


def block(language: str) -> str:
    section = PAGE.read_text(encoding="utf-8").split("\n## dsh-memory-protocol v1\n", 1)[1].split("\n## ", 1)[0]
    found = re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)
    assert found, f"the page has no {language} block"
    return found[1]


def test_the_client_of_the_page_runs_in_30_lines_and_prints_what_the_page_says():
    code = block("python")
    done = subprocess.run([sys.executable, "-X", "utf8", "-c", code], capture_output=True, encoding="utf-8", timeout=60)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", block("text"))
    assert len([line for line in code.splitlines() if line.strip()]) <= 30


def test_the_commands_of_the_page_end_well(tmp_path, monkeypatch, capsys):
    for name, value in (("SHILU_STATE_DIR", "state"), ("SHILU_CACHE_DIR", "cache"), ("SHILU_CONFIG", "config.toml")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("SHILU_VAULT", str(tmp_path / "vault"))
    monkeypatch.chdir(tmp_path)
    assert main(["init", str(tmp_path / "vault")]) == 0
    (tmp_path / "CLAUDE.md").write_text("- 提交前先运行测试\n", encoding="utf-8")
    lines = block("sh").splitlines()
    for line in [lines[2], lines[0], lines[1], lines[3]]:  # an empty export is no import
        name, *words = shlex.split(line)
        assert (name, main(words)) == ("shilu", 0), line
    assert '"memory": "提交前先运行测试"' in capsys.readouterr().out


def test_the_configuration_of_the_page_is_read():
    table = tomllib.loads(block("toml"))["protocol"]
    settings = read_settings(table)
    assert set(table) <= set(FIELDS)
    assert settings.audit_retention_days == 90 and settings.limits[("agent", "workspace")] == 8000
    assert settings.policies.effective("user", "user-global", "ci") == "auto"
    assert settings.policies.effective("user", "user-global", "other") == "off"
