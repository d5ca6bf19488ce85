"""The regular runs for real: a vault, a submission, the false clock in SHILU_NOW, real processes."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from shilu_host.commands import COMMANDS
from shilu_host.schedule import JOBS


@pytest.fixture
def promoter(tmp_path: Path):
    """`promoter --cron` at a given time, on a vault of its own with one waiting submission."""
    vault = tmp_path / "a b" / "记忆"
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "SHILU_STATE_DIR": str(tmp_path / "state"),
        "SHILU_CACHE_DIR": str(tmp_path / "cache"),
        "SHILU_CONFIG": str(tmp_path / "config.toml"),
        "SHILU_VAULT": str(vault),
    }

    def run(module: str, *arguments: str, now: str = "2026-11-30T08:00:00") -> tuple[int, str]:
        line = [sys.executable, "-m", module, *arguments]
        done = subprocess.run(
            line, env={**environment, "SHILU_NOW": now}, capture_output=True, text=True, encoding="utf-8", check=False
        )
        assert done.returncode in (0, 1), done.stderr
        return done.returncode, done.stdout

    run("shilu_host", "init", str(vault), "--lang", "zh")
    run("shilu_host", "submit", "演示环境的端口是 8731", "--agent", "codex")
    return run


def test_cron_reviews_once_a_day_and_says_when_the_next_review_is_due(promoter, tmp_path: Path) -> None:
    assert promoter("shilu_host.promoter_cli", "--cron") == (0, "审阅（2026-11-29）：完成\n")
    assert "8731" in (tmp_path / "a b/记忆/50-Agent-Context/情境信息/待晋升.md").read_text(encoding="utf-8")
    code, said = promoter("shilu_host.promoter_cli", "--cron", now="2026-11-30T08:30:00")
    assert code == 0
    assert said.startswith("审阅：上次 2026-11-30 08:00")
    assert "（完成），下次 2026-11-30 09:00" in said
    assert promoter("shilu_host.promoter_cli", "--cron", now="2026-12-03T07:00:00") == (
        0,
        "审阅（2026-12-02）：完成\n"
        "遗忘扫描（2026-11-30）：完成: 没有可遗忘的：没有 150 天以上的候选\n"
        "体检（2026-11-30）：完成: 共 0 项，其中故障 0 项\n",
    )


def test_status_of_the_service_shows_the_regular_runs(promoter, tmp_path: Path) -> None:
    promoter("shilu_host.promoter_cli", "--cron")
    _, said = promoter("shilu_host", "service", "status", "--kind", "systemd", "--home", str(tmp_path))
    assert said.splitlines()[0] == "systemd: not installed"
    assert said.splitlines()[1].startswith("审阅：上次 2026-11-30 08:00")
    [record] = (tmp_path / "state").rglob("schedule.json")
    assert [run["outcome"] for run in json.loads(record.read_text())["jobs"]["review"]] == ["done"]


def test_every_regular_run_names_a_command_that_takes_its_arguments() -> None:
    for job in JOBS:
        module = importlib.import_module(next(command.module for command in COMMANDS if command.name == job.command[0]))
        parser = argparse.ArgumentParser()
        module.arguments(parser)
        parser.parse_args(job.command[1:])
