"""The selfcheck runs what was wired: with the real hook client, server and memory, and with broken ones."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from shilu_core.layout import LAYOUTS
from shilu_setup import probes, selfcheck
from shilu_setup.folders import Home, Parts
from shilu_setup.wiring import Setting

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def real(home: Home) -> Iterator[Setting]:
    """The home with a vault of its own and this project's own parts."""
    vault = home.path / "我的 vault"
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    kept["SHILU_EMBEDDER"] = "none"  # a start without a model is quick, and shows the same
    parts = replace(Parts.find(vault=str(vault)), python=Path(sys.executable))
    setting = Setting(Home(home.path, kept, sys.platform), parts)
    probes.output(setting.home, [sys.executable, "-m", "shilu_host", "init", str(vault), "--lang", "zh"])
    yield setting
    probes.output(setting.home, [sys.executable, "-m", "shilu_host", "daemon", "stop", "--vault", str(vault)])


def rows(setting: Setting, *names: str) -> dict[tuple[str, str], selfcheck.Check]:
    return {(check.harness, check.name): check for check in selfcheck.selfcheck(setting, names)}


@pytest.mark.skipif(sys.platform == "win32", reason="ends the daemon by a signal")
def test_what_is_wired_answers_and_what_sleeps_is_cut(real: Setting, wire) -> None:
    wire(real, "gemini", "qwen", "cursor")
    found = rows(real, "gemini", "qwen", "cursor")
    assert {key: check.words for key, check in found.items() if not check.ok} == {}
    assert list(found) == [
        ("gemini", "hook answers"),
        ("gemini", "limit cuts a sleeper"),
        ("gemini", "tools are listed"),
        ("qwen", "hook answers"),
        ("qwen", "limit cuts a sleeper"),
        ("qwen", "tools are listed"),
        ("cursor", "tools are listed"),
        ("memory", "index is healthy"),
        ("memory", "inbox is writable"),
    ]
    assert found["gemini", "limit cuts a sleeper"].words.endswith("the harness would wait 10 s")
    assert found["cursor", "tools are listed"].words == "6 tools"


def test_a_limit_in_the_wrong_unit_is_found(real: Setting, wire) -> None:
    """F17: ten seconds written where milliseconds are meant."""
    wire(real, "gemini")
    path = real.home.path / ".gemini/settings.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"timeout": 10000', '"timeout": 10'), encoding="utf-8")
    found = rows(real, "gemini")
    assert not found["gemini", "limit cuts a sleeper"].ok
    assert "did not end within 0.01 s" in found["gemini", "limit cuts a sleeper"].words


def test_a_hook_without_a_limit_is_found(real: Setting, wire) -> None:
    wire(real, "gemini")
    path = real.home.path / ".gemini/settings.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(',\n\t\t\t\t\t\t"timeout": 10000', ""), encoding="utf-8")
    assert "has no limit" in rows(real, "gemini")["gemini", "limit cuts a sleeper"].words


def test_a_client_that_is_gone_or_broken_is_found(real: Setting, wire) -> None:
    wire(real, "gemini")
    (real.home.data / "hook.py").write_text("raise SystemExit('broken')\n")
    found = rows(real, "gemini")
    assert found["gemini", "hook answers"].words == "the hook ended with 1: broken"
    assert found["gemini", "limit cuts a sleeper"].ok is False


def test_an_inbox_that_is_gone_is_found(real: Setting) -> None:
    check = selfcheck._tried("memory", "inbox", lambda: probes.writable(real.home.path / "none") or "")
    assert check.words.endswith("none: cannot be written (No such file or directory)")


def test_the_inboxes_are_those_of_the_layouts() -> None:
    assert {layout.language: f"{layout.root}/{layout.inbox}" for layout in LAYOUTS} == selfcheck.INBOXES


def test_selfcheck_as_json_is_a_list_of_rows(real: Setting, wire, capsys: pytest.CaptureFixture[str]) -> None:
    from shilu_setup import cli

    wire(real, "cursor")
    code = cli.main(
        ["selfcheck", "--json", "--target", "cursor", "--home", str(real.home.path), "--vault", real.parts.vault]
    )
    told = json.loads(capsys.readouterr().out)
    assert [row["ok"] for row in told] == [True, True, True]
    assert code == 0
