"""MCP from outside: the inspector's command line, and the official conformance scenarios over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.needs("mcp"), pytest.mark.usefixtures("program")]

SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
    "server-sse-multiple-streams",
)


def run(stage: Any, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    root = Path(os.environ["HARNESS_HOME"])
    path = f"{root}/node22/node_modules/node/bin:/usr/local/bin:/usr/bin:/bin"
    return subprocess.run(
        [str(root / "mcp/node_modules/.bin" / name), *arguments],
        env={**stage.environment, "PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        cwd=stage.folder,
    )


@pytest.mark.parametrize("method", ["tools/list", "resources/list", "resources/templates/list", "prompts/list"])
def test_the_inspector_lists(stage: Any, method: str) -> None:
    stage.start_daemon()
    link = stage.folder / "vault"
    link.symlink_to(stage.vault)
    server = [stage.python, "-S", "-E", stage.mcp, f"--vault={link}"]
    done = run(stage, "mcp-inspector", "--cli", *server, "--method", method)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


def test_the_inspector_calls_a_tool(stage: Any) -> None:
    stage.start_daemon()
    link = stage.folder / "vault"
    link.symlink_to(stage.vault)
    server = [stage.python, "-S", "-E", stage.mcp, f"--vault={link}"]
    call = ["--method", "tools/call", "--tool-name", "memory_search", "--tool-arg", "query=深色模式背景"]
    done = run(stage, "mcp-inspector", "--cli", *server, *call)
    assert "#1C211A" in done.stdout, done.stderr


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_conformance(stage: Any, scenario: str) -> None:
    stage.start_daemon()
    with with_token(stage) as port:
        done = run(stage, "conformance", "server", "--url", f"http://127.0.0.1:{port}/mcp", "--scenario", scenario)
    assert done.returncode == 0, done.stdout + done.stderr


@contextlib.contextmanager
def with_token(stage: Any) -> Iterator[int]:
    """A port whose connections reach the daemon with its token added, as the tool can't send one.

    Everything else passes as it is; the host name's port is put right, since the daemon checks it.
    """
    token = next(stage.state.glob("*/token")).read_text().strip()
    target = int(next(stage.state.glob("*/port")).read_text())
    loop = asyncio.new_event_loop()
    started: list[asyncio.Server] = []

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", target)
        own = str(started[0].sockets[0].getsockname()[1])

        async def there() -> None:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode("latin-1").replace(f":{own}", f":{target}").split("\r\n")
                lines.insert(1, f"Authorization: Bearer {token}")
                far_writer.write("\r\n".join(lines).encode("latin-1"))
                sizes = [line.split(":")[1] for line in lines if line.lower().startswith("content-length:")]
                far_writer.write(await reader.readexactly(int(sizes[0])) if sizes else b"")
                await far_writer.drain()

        async def back() -> None:
            while data := await far_reader.read(65536):
                writer.write(data)
                await writer.drain()

        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            await asyncio.wait(
                [asyncio.ensure_future(there()), asyncio.ensure_future(back())], return_when="FIRST_COMPLETED"
            )
        far_writer.close()
        writer.close()

    async def serve() -> None:
        started.append(await asyncio.start_server(relay, "127.0.0.1", 0))
        ready.set()
        with contextlib.suppress(asyncio.CancelledError):
            await started[0].serve_forever()

    ready = threading.Event()
    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    ready.wait(20)
    try:
        yield int(started[0].sockets[0].getsockname()[1])
    finally:
        loop.call_soon_threadsafe(started[0].close)
        thread.join(5)
