"""A vault with Chinese names below a path with a blank, a state folder of its own, and daemons that are
ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from shilu_host.client import hook as hook_file

PORT_FACT = "staging 网关监听端口 8443"
NOTE = f"""# 常用路径与环境

- {PORT_FACT}（写入 2026-10-01｜来源：Agent提交区/codex-20261001-092825-01.md）
- The production database host is db-prod-3.internal
- 部署脚本放在 /srv/deploy/bin
- 发布窗口是每周四晚上十点
"""
QUESTION = "staging 网关监听哪个端口？"
PATIENCE = 30.0  # seconds; a bound for a loaded machine, never a claim about speed


@dataclass
class World:
    """One person's home with one vault, as processes see it."""

    home: Path
    vault: Path
    environment: dict[str, str]
    fact: str = PORT_FACT
    question: str = QUESTION
    children: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def state(self) -> Path:
        return self.home / ".local/state/shilu"

    @property
    def vault_state(self) -> Path:
        return self.state / (self.vault / ".shilu/id").read_text().strip()

    @property
    def notes(self) -> Path:
        return self.vault / "50-Agent-Context"

    @property
    def hook_log(self) -> str:
        path = self.state / "hook.log"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def pointer(self) -> dict[str, str]:
        text = (self.state / "daemon").read_text(encoding="utf-8")
        return dict(line.split(" ", 1) for line in text.splitlines())

    def start(self) -> subprocess.Popen[bytes]:
        """Starts a daemon and waits until it can search."""
        child = subprocess.Popen([sys.executable, "-m", "shilu_host.daemon"], env=self.environment)
        self.children.append(child)
        self.wait(lambda: self.alive() and self.get("/alive")[1]["ready"])
        return child

    def start_without_socket(self) -> subprocess.Popen[bytes]:
        """A daemon as on systems without unix sockets: HTTP alone."""
        code = (
            "import sys; from shilu_host.daemon import places; places.SOCKET_BYTES = 1; "
            "from shilu_host.daemon.main import main; sys.exit(main([]))"
        )
        child = subprocess.Popen([sys.executable, "-c", code], env=self.environment)
        self.children.append(child)
        self.wait(self.alive)
        return child

    def alive(self) -> bool:
        return (self.state / "daemon").exists()

    def wait(self, true: Any, patience: float = PATIENCE) -> None:
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            try:
                if true():
                    return
            except OSError:
                pass
            time.sleep(0.03)
        raise AssertionError("it did not come true in time")

    def hook(self, payload: Any, *arguments: str, harness: str = "claude", **environment: str) -> Any:
        """Runs the hook's file as deployed; what it printed, decoded, or None for nothing."""
        done = self.hook_process(payload, *arguments, harness=harness, **environment)
        return json.loads(done.stdout) if done.stdout else None

    def hook_process(
        self, payload: Any, *arguments: str, harness: str = "claude", **environment: str
    ) -> subprocess.CompletedProcess[bytes]:
        command = [
            sys.executable,
            "-S",
            "-E",
            hook_file.__file__,
            "pre-step",
            "--harness",
            harness,
            *arguments,
        ]
        done = subprocess.run(
            command,
            input=json.dumps(payload).encode(),
            capture_output=True,
            env={**self.environment, **environment},
            timeout=PATIENCE,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return done

    def prompt(self, text: str = QUESTION, session: str = "s1", **more: Any) -> dict[str, Any]:
        return {"hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": text, **more}

    def get(self, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and decoded body of a request through the unix socket."""
        connection, opening = hook_file.connect(self.pointer())
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{'GET' if body is None else 'POST'} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{opening}"
        head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        connection.settimeout(PATIENCE)
        connection.sendall(head.encode() + data)
        status, _, answer = hook_file.read_answer(connection)
        connection.close()
        return status, json.loads(answer) if answer else None

    def end(self) -> None:
        """Ends every daemon of this world, those that clients started included."""
        for child in self.children:
            child.kill()
            child.wait()
        if self.vault.exists():  # a daemon that a hook has just asked for finds nothing to serve, and ends
            self.vault.rename(self.vault.with_name("ended"))
        for path in self.state.glob("**/daemon"):
            pid = dict(line.split(" ", 1) for line in path.read_text().splitlines()).get("pid", "")
            if pid.isdigit() and int(pid) not in [child.pid for child in self.children]:
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)


def make_world(folder: Path) -> World:
    home = folder / "a b" / "用户"
    vault = home / "记忆库"
    notes = vault / "50-Agent-Context"
    (notes / "Agent提交区").mkdir(parents=True)
    (notes / "常用路径与环境.md").write_text(NOTE, encoding="utf-8")
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "PYTHONPATH") if name in os.environ}
    environment = {**kept, "HOME": str(home), "SHILU_VAULT": str(vault), "SHILU_EMBEDDER": "none"}
    return World(home, vault, environment)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = make_world(tmp_path)
    yield made
    made.end()


@pytest.fixture
def deep_world(tmp_path: Path) -> Iterator[World]:
    """A home so deep that no socket's path fits into it."""
    made = make_world(tmp_path / "很深的文件夹" / "里面还有一层" / "再往里面走一层" / "这里才是家目录")
    yield made
    made.end()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A world with a daemon that the tests of a module share."""
    made = make_world(tmp_path_factory.mktemp("world"))
    made.start()
    yield made
    made.end()
