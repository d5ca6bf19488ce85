"""A home with a copy of the example vault and a daemon, the fake model, and the real programs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from shilu_host.client import hook as hook_file
from shilu_host.client import mcp_stdio

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROGRAMS = {
    "dsh": "dsh/node_modules/@deepseek-ai/dsh/lib/bin.js",
    "claude": "claude/node_modules/.bin/claude",
    "codex": "codex/node_modules/.bin/codex",
    "gemini": "gemini/node_modules/.bin/gemini",
    "qwen": "qwen/node_modules/.bin/qwen",
    "opencode": "opencode/node_modules/.bin/opencode",
    "mcp": "mcp/node_modules/.bin",
    "pnpm": "pnpm/node_modules/.bin/pnpm",
}
PATIENCE = 60.0


@dataclass
class Stage:
    """One home: vault, state, a fake model, and what ran there."""

    folder: Path
    vault: Path
    environment: dict[str, str]
    log: Path
    port: int = 0
    children: list[subprocess.Popen[bytes]] = field(default_factory=list)
    python: str = sys.executable
    hook: str = hook_file.__file__
    mcp: str = mcp_stdio.__file__
    root: Path = ROOT

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def state(self) -> Path:
        return self.home / ".local/state/shilu"

    def hook_command(self, harness: str) -> str:
        return (
            f"'{self.python}' -S -E '{self.hook}' pre-step --limit-ms 8000 --harness {harness} --vault '{self.vault}'"
        )

    def write(self, path: str, content: Any) -> Path:
        """A file below the home, JSON unless it is text."""
        target = self.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        target.write_text(text, encoding="utf-8")
        return target

    def start_model(self, *more: str) -> None:
        portfile = self.folder / "port"
        command = [
            sys.executable,
            str(HERE / "programs/mock_llm.py"),
            "--log",
            str(self.log),
            "--portfile",
            str(portfile),
        ]
        self.children.append(subprocess.Popen([*command, *more], stdout=subprocess.DEVNULL))
        self.wait(portfile.exists)
        self.port = int(portfile.read_text())

    def start_daemon(self) -> subprocess.Popen[bytes]:
        child = subprocess.Popen(
            [self.python, "-m", "shilu_host.daemon", "--vault", str(self.vault)], env=self.environment
        )
        self.children.append(child)
        self.wait(self.answers)
        return child

    def answers(self) -> bool:
        """Whether a daemon can search."""
        pointer = dict(line.split(" ", 1) for line in (self.state / "daemon").read_text().splitlines())
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(pointer["socket"])
            connection.sendall(b"GET /alive HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            return b'"ready": true' in connection.recv(4096)

    def wait(self, true: Callable[[], bool], patience: float = PATIENCE) -> None:
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            with suppress(OSError):
                if true():
                    return
            time.sleep(0.05)
        raise AssertionError("it did not come true in time")

    def run(self, name: str, *arguments: str, limit: int = 120, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs a program in this home against the fake model."""
        project = self.folder / "project"
        extra = {**{"XENV": self.xenv(environment)}, "MOCK_PORT": str(self.port), "T": str(limit)}
        return subprocess.run(
            ["bash", str(HERE / "programs/run.sh"), name, str(self.home), str(project), *arguments],
            env={**os.environ, **extra},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=limit + 30,
        )

    def xenv(self, more: dict[str, str]) -> str:
        return " ".join(f"{name}={value}" for name, value in more.items())

    def requests(self) -> list[Any]:
        """The bodies that reached the model, in order."""
        if not self.log.exists():
            return []
        rows = [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]
        return [row["body"] for row in rows if row["method"] == "POST"]

    def turns(self) -> list[list[Any]]:
        """The messages of each chat request that offered tools: requests for titles are left out."""
        return [body["messages"] for body in self.requests() if body.get("tools")]

    def apply_fact(self, text: str) -> None:
        """A fact goes the whole way into a note."""
        for words in (["submit", "--agent", "codex", text], ["review"], ["apply"]):
            command = [self.python, "-m", "shilu_host", "--vault", str(self.vault), *words]
            subprocess.run(command, env=self.environment, capture_output=True, check=True)

    def web(self) -> Web:
        return Web(self)

    def end(self) -> None:
        for child in self.children:
            child.kill()
            child.wait()
        if self.vault.exists():  # a daemon that a hook has just asked for finds nothing to serve, and ends
            self.vault.rename(self.vault.with_name("ended"))
        for path in self.state.glob("**/daemon"):
            pid = dict(line.split(" ", 1) for line in path.read_text().splitlines()).get("pid", "")
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)


class Web:
    """DSH's web profile on a free port."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def __enter__(self) -> Web:
        root = Path(os.environ["HARNESS_HOME"])
        node = root / "node22/node_modules/node/bin"
        self._out = self._stage.folder / "web.log"
        environment = {
            "HOME": str(self._stage.home),
            "DSH_HOME": str(self._stage.home / ".dsh"),
            "PATH": f"{node}:/usr/bin:/bin",
            "DEEPSEEK_API_KEY": "sk-dummy",
            "DEEPSEEK_BASE_URL": f"http://127.0.0.1:{self._stage.port}",
            "DSH_TELEMETRY_DISABLED": "1",
        }
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [str(node / "node"), str(root / "dsh/node_modules/@deepseek-ai/dsh/lib/bin.js")]
        command += ["--profile", "web", "--no-open", "--port", str(self.port)]
        with open(self._out, "wb") as out:
            self._child = subprocess.Popen(
                command, env=environment, stdout=out, stderr=out, cwd=self._stage.folder / "project"
            )
        self._stage.wait(self.is_ready)
        return self

    def __exit__(self, *_: object) -> None:
        self._child.terminate()
        self._child.wait(20)

    def status(self, headers: dict[str, str]) -> int:
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/api/shilu/status", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def told(self) -> Any:
        """What the status route tells the holder of the token."""
        token = next(self._stage.state.glob("*/token")).read_text().strip()
        url, headers = f"http://127.0.0.1:{self.port}/api/shilu/status", {"Authorization": f"Bearer {token}"}
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20) as answer:
            return json.loads(answer.read())

    def is_ready(self) -> bool:
        """Whether the bridge serves its methods: its routes come after the plug-ins'."""
        return "result" in self.rpc("session.list", {})

    def rpc(self, method: str, payload: Any) -> Any:
        body = {"type": "client-request", "rpcId": f"r{time.monotonic_ns()}", "method": method, "payload": payload}
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/{method}",
            json.dumps(body).encode(),
            {"content-type": "application/json", "Origin": f"http://127.0.0.1:{self.port}"},
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.loads(answer.read() or b"null")

    def create(self) -> str:
        answer = self.rpc("session.create", {"cwd": str(self._stage.folder / "project")})
        return str(answer["result"]["value"]["sessionId"])

    def say(self, session: str, text: str) -> None:
        content = [{"type": "text", "text": text}]
        answer = self.rpc("session.prompt", {"sessionId": session, "mode": "queue", "content": content})
        assert answer["result"]["value"]["accepted"] is True

    def settled(self) -> None:
        time.sleep(1.0)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    home = tmp_path / "home"
    (tmp_path / "project").mkdir()
    home.mkdir()
    vault = tmp_path / "云杉 vault"
    shutil.copytree(ROOT / "vault-example", vault)
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    made = Stage(tmp_path, vault, {**kept, "HOME": str(home)}, tmp_path / "requests.jsonl")
    made.start_model()
    yield made
    made.end()


@pytest.fixture
def program(request: pytest.FixtureRequest) -> str:
    """The name of the program a test is about, from its `needs` mark; skips where it isn't there."""
    mark = request.node.get_closest_marker("needs")
    for name in mark.args:
        need(name)
    return str(mark.args[0])


def need(name: str) -> Path:
    root = os.environ.get("HARNESS_HOME")
    if not root:
        pytest.skip("HARNESS_HOME is not set; see tests/harness/README.md")
    path = Path(root) / PROGRAMS[name]
    if not path.exists():
        pytest.skip(f"{name} is not installed in HARNESS_HOME; see tests/harness/README.md")
    return path


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(*names): the real programs that a test runs")
