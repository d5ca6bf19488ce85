"""`shilu search --remote`: another machine's daemon with the read-only token, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest


def search(world: Any, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shilu_host", "search", *arguments, world.question],
        env={**world.environment, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_remote_answers_and_its_text_is_wrapped(running: Any) -> None:
    token = (running.vault_state / "read-token").read_text().strip()
    url = f"http://127.0.0.1:{running.pointer()['port']}"
    done = search(running, "--remote", url, SHILU_REMOTE_TOKEN=token)
    assert running.fact in done.stdout and done.stdout.startswith("<memory-data>")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_silent_remote_is_said_and_the_local_index_answers(running: Any) -> None:
    done = search(running, "--remote", "http://127.0.0.1:9", SHILU_REMOTE_TOKEN="x")
    assert "did not answer" in done.stderr and "searching the local index instead" in done.stderr
    assert running.fact in done.stdout


@pytest.mark.parametrize(
    "url", ["http://memory.example.com", "ftp://127.0.0.1", "http://127.0.0.1.example.com:80", "x"]
)
def test_plain_http_beyond_loopback_is_refused_before_anything_is_sent(running: Any, url: str) -> None:
    done = search(running, "--remote", url, SHILU_REMOTE_TOKEN="x")
    assert (done.returncode, done.stdout) == (2, "")
    assert "https" in done.stderr


def test_without_a_token_it_says_where_to_get_one(running: Any) -> None:
    done = search(running, "--remote", "http://127.0.0.1:9")
    assert done.returncode == 2 and "shilu token read" in done.stderr
