"""A home with blanks and Chinese in its path (F20), rich configuration files, and parts to wire."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from shilu_setup import applying, plan
from shilu_setup.folders import Home, Parts
from shilu_setup.wiring import Setting

REPOSITORY = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 11, 30, 9, 28, 25)

RICH = {
    ".claude/settings.json": '{\r\n  "model": "opus",\r\n  "hooks": {\r\n    "UserPromptSubmit": [\r\n      '
    '{ "hooks": [{ "type": "command", "command": "mine" }] }\r\n    ]\r\n  }\r\n}\r\n',
    ".claude/CLAUDE.md": "# 我的规则\r\n\r\n- 用中文\r\n",
    ".claude.json": '{"numStartups": 3, "mcpServers": {"other": {"command": "x"}}}\n',
    ".codex/config.toml": '# mine\nmodel = "gpt" # keep\n\n[mcp_servers.other]\ncommand = "x"\n\n[tui]\ntheme = "dark"',
    ".codex/hooks.json": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "bell"}]}]}}',
    ".codex/AGENTS.md": "no newline at the end",
    ".gemini/settings.json": '{\n\t// comment\n\t"security": {"auth": {"selectedType": "gemini-api-key"}},\n\t"mcpServers": {},\n}\n',
    ".gemini/GEMINI.md": "",
    ".qwen/settings.json": "\ufeff{}\n",
    ".qwen/QWEN.md": "# Qwen\n",
    ".config/opencode/opencode.json": '{\n  "$schema": "https://opencode.ai/config.json",\n  "instructions": []\n}\n',
    ".config/opencode/AGENTS.md": "# Open\n",
    ".dsh/cordis.patch.yml": "# my rows\n- insert:\n    - id: mine\n      name: ./x.mjs # deep\n      config: {a: !!js 1 + 1}\n",
    ".dsh/AGENTS.md": "# D\n\n\n",
    ".cursor/mcp.json": '{"mcpServers": {"a": {"command": "b"}}}',
}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """On a memory disk where there is one: the tests that stop at every step sync thousands of times."""
    memory = Path("/dev/shm")
    base = Path(tempfile.mkdtemp(dir=memory if os.access(memory, os.W_OK) else tmp_path)).resolve()
    folder = base / "a b" / "用户"
    for name, text in RICH.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode("utf-8"))
    yield Home(folder, {}, "linux")
    shutil.rmtree(base)


@pytest.fixture
def parts(tmp_path: Path) -> Parts:
    host = tmp_path / "程序 x" / "host"
    files = {
        "shilu_host/client/hook.py": "print('hook')\n",
        "shilu_host/client/mcp_stdio.py": "print('mcp')\n",
        "dsh/package.json": '{"main": "./lib/index.mjs"}\n',
        "dsh/lib/index.mjs": "export const name = 'shilu'\n",
        "opencode/shilu.js": "export const Shilu = async () => ({})\n",
    }
    for name, text in files.items():
        (host / name).parent.mkdir(parents=True, exist_ok=True)
        (host / name).write_text(text, encoding="utf-8")
    client = host / "shilu_host" / "client"
    return Parts(
        python=Path("/opt/py thon/python3"),
        hook=client / "hook.py",
        mcp=client / "mcp_stdio.py",
        dsh=host / "dsh",
        opencode=host / "opencode" / "shilu.js",
    )


@pytest.fixture
def checkout(parts: Parts) -> Path:
    """A checkout with the real deployer and the parts above, as a person has it before installing anything."""
    folder = parts.dsh.parents[1]
    shutil.copytree(REPOSITORY / "setup", folder / "setup", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture
def setting(home: Home, parts: Parts) -> Setting:
    return Setting(home, parts, "zh")


def _wire(setting: Setting, *targets: str, create: bool = False):
    """Plans and applies; the run, or None where there was nothing to do."""
    return applying.apply(setting.home, plan.make(setting, targets, create=create), NOW)


def _tree(home: Home, *, without: str = ".local/state") -> dict[str, str]:
    """Every file of the home with its digest, our journal aside."""
    return {
        str(path.relative_to(home.path)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(home.path.rglob("*"))
        if path.is_file() and not str(path.relative_to(home.path)).startswith(without)
    }


@pytest.fixture
def wire():
    return _wire


@pytest.fixture
def tree():
    return _tree
