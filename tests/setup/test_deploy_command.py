"""The command line, on a bare Python: no site packages, nothing of ours installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from shilu_setup.harnesses import HARNESSES
from shilu_setup.wiring import Setting


@pytest.fixture
def bare(checkout: Path, setting: Setting):
    """`python -I -S setup/deploy.py`: only the standard library can be imported."""

    def run(*arguments: str, code: int = 0) -> str:
        line = [sys.executable, "-I", "-S", str(checkout / "setup/deploy.py"), *arguments]
        done = subprocess.run(
            [*line, "--home", str(setting.home.path)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done.stdout

    return run


def test_detect_tells_what_is_here(bare) -> None:
    rows = {row["name"]: row for row in json.loads(bare("detect", "--json"))}
    assert list(rows) == ["dsh", "claude", "codex", "gemini", "qwen", "opencode", "cursor", "mcp"]
    assert [name for name, row in rows.items() if row["here"]] == list(rows)[:7]
    states = {file["state"] for row in rows.values() for file in row["files"]}
    assert states == {"missing", "not wired"}
    assert rows["codex"]["findings"] == ["its hook is not trusted yet: start codex, type /hooks"]


def test_preview_shows_the_exact_difference_and_writes_nothing(bare, setting: Setting, tree) -> None:
    before = tree(setting.home, without="-")
    shown = bare("preview", "--target", *HARNESSES)
    assert tree(setting.home, without="-") == before
    assert '+default_tools_approval_mode = "approve"' in shown
    assert "+    - id: shilu" in shown
    assert "+- 不提交秘密" not in shown  # English unless --lang zh
    assert "+- Never submit secrets" in shown


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        (".codex/AGENTS.md", ["AGENTS.md"]),
        (".codex/config.toml", ["config.toml"]),
        (".codex/hooks.json", ["hook.py", "hooks.json"]),
        (".dsh/cordis.patch.yml", ["index.mjs", "package.json", "cordis.patch.yml"]),
        (".config/opencode/opencode.json", ["opencode.json"]),
    ],
)
def test_the_preview_of_one_file_shows_that_file_and_what_it_needs(
    bare, setting: Setting, file: str, shown: list[str]
) -> None:
    planned = json.loads(bare("preview", "--json", "--target", str(setting.home.path / file)))
    assert [Path(entry["path"]).name for entry in planned["files"]] == shown


def test_credentials_beside_a_change_are_masked(bare, setting: Setting) -> None:
    path = setting.home.path / ".cursor/mcp.json"
    path.write_text('{\n  "mcpServers": {},\n  "apiKey": "s3cr3t-value"\n}\n')
    shown = bare("preview", "--target", "cursor")
    assert "s3cr3t-value" not in shown
    assert '"apiKey": ***' in shown


def test_apply_and_rollback_give_the_same_bytes_without_any_package(bare, setting: Setting, tree) -> None:
    before = tree(setting.home)
    done = bare("apply", "--target", *HARNESSES)
    assert "take it back with: shilu deploy rollback --run 20" in done
    assert bare("apply", "--target", *HARNESSES).startswith("nothing to do: everything is wired as it should be\n")
    assert "is taken back" in bare("rollback")
    assert tree(setting.home) == before


def test_toml_that_needs_its_library_is_refused_with_the_way_to_get_it(bare, setting: Setting, checkout: Path) -> None:
    (setting.home.path / ".codex/config.toml").write_text("mcp_servers = {}\n")
    line = [sys.executable, "-I", "-S", str(checkout / "setup/deploy.py"), "apply", "--target", "codex"]
    done = subprocess.run([*line, "--home", str(setting.home.path)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "needs the package tomlkit" in done.stderr
    assert "setup/bootstrap.py" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="makes an environment by links")
def test_deploy_starts_again_in_the_environment_of_the_bootstrap(setting: Setting, checkout: Path) -> None:
    (setting.home.path / ".codex/config.toml").write_text("mcp_servers = {}\n")
    made = checkout / ".venv/bin"
    made.mkdir(parents=True)
    (made / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (made / "python").chmod(0o755)
    line = [sys.executable, "-I", "-S", str(checkout / "setup/deploy.py"), "apply", "--target", "codex"]
    done = subprocess.run([*line, "--home", str(setting.home.path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "shilu" in (setting.home.path / ".codex/config.toml").read_text()
