"""Running one wired thing and looking at what it does: a hook, a server, the program's own commands."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shilu_setup.errors import SetupError
from shilu_setup.folders import Home
from shilu_setup.wiring import Setting

INSTALL = "python3 setup/bootstrap.py install"  # from the project's folder

ANSWER_SECONDS = 60.0
"""How long one of our own commands may take; the first start with an embedder loads it from the disk."""


def environment(home: Home) -> dict[str, str]:
    """What a harness of that home hands to its children."""
    return {**home.environment, "HOME": str(home.path), "USERPROFILE": str(home.path)}


def hook(home: Home, argv: Sequence[str], event: str) -> float:
    """Runs a hook with a harmless turn; seconds it took. Raises `SetupError` where it failed or logged a failure."""
    log = home.state / "hook.log"
    before = log.read_bytes() if log.exists() else b""
    payload = {
        "hook_event_name": event,
        "session_id": f"selfcheck-{os.getpid()}",
        "prompt": "selfcheck",
        "cwd": str(home.path),
    }
    began = time.monotonic()
    done = _run(home, argv, json.dumps(payload).encode())
    seconds = time.monotonic() - began
    logged = (log.read_bytes() if log.exists() else b"")[len(before) :].decode("utf-8", "replace").strip()
    if done.returncode:
        raise SetupError(f"the hook ended with {done.returncode}: {_last(done.stderr)}")
    if logged:
        raise SetupError(f"the hook printed nothing, its log says: {logged.splitlines()[-1]}")
    return seconds


def sleeping_daemon(home: Home, argv: Sequence[str], limit: float) -> float:
    """Runs the hook against a listener that never answers; seconds until it ended by itself, with nothing printed."""
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as listener:
        pointer = f"port {listener.getsockname()[1]}\ntoken none\n"
        Path(folder, "daemon").write_text(pointer, encoding="utf-8")
        began = time.monotonic()
        done = _run(home, [*_without_vault(argv), "--state", folder], b'{"prompt": "sleep"}', limit)
        seconds = time.monotonic() - began
        if done.returncode or done.stdout:
            raise SetupError(f"the hook ended with {done.returncode} and printed {len(done.stdout)} bytes")
        if "timeout" not in Path(folder, "hook.log").read_text(encoding="utf-8"):
            raise SetupError("the hook ended before its limit: it did not reach the sleeping listener")
        return seconds


def tools(home: Home, argv: Sequence[str]) -> list[str]:
    """The tools that an MCP server on standard input and output lists."""
    client = {"name": "shilu-selfcheck", "version": "1"}
    opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}},
    ]
    done = _run(home, argv, "".join(json.dumps(message) + "\n" for message in messages).encode())
    for line in done.stdout.splitlines():
        try:
            answer = json.loads(line)
        except ValueError:
            continue
        if answer.get("id") == 2 and "result" in answer:
            return [str(tool["name"]) for tool in answer["result"]["tools"]]
    raise SetupError(f"the server did not list its tools: {_last(done.stderr)}")


def start_daemon(setting: Setting) -> None:
    """Starts the daemon and waits until it answers. Raises `SetupError` with its word."""
    done = _run(setting.home, _shilu(setting, "daemon", "start"), b"")
    if done.returncode:
        raise SetupError(f"the daemon does not start: {_last(done.stderr)}")


def status(setting: Setting) -> dict[str, Any]:
    """What `shilu status --json` says."""
    done = _run(setting.home, _shilu(setting, "status", "--json"), b"")
    if done.returncode:
        raise SetupError(_last(done.stderr))
    return dict(json.loads(done.stdout))


def search(setting: Setting) -> float:
    """Seconds that one search took; that nothing is found (exit code 1, no word) is an answer, too."""
    began = time.monotonic()
    done = _run(setting.home, _shilu(setting, "search", "selfcheck", "--json"), b"")
    if done.returncode not in (0, 1) or done.stderr.strip():
        raise SetupError(f"the search failed: {_last(done.stderr)}")
    return time.monotonic() - began


def output(home: Home, argv: Sequence[str]) -> str:
    """What a program prints. Raises `SetupError` where it fails."""
    done = _run(home, argv, b"")
    if done.returncode:
        raise SetupError(f"{Path(argv[0]).name} ended with {done.returncode}: {_last(done.stderr or done.stdout)}")
    return done.stdout.decode("utf-8", "replace")


def writable(folder: Path) -> None:
    """Makes a file in the folder and takes it away again. Raises `SetupError` where that fails."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".shilu-selfcheck-"):
            pass
    except OSError as error:
        raise SetupError(f"{folder}: cannot be written ({error.strerror})") from None


def _shilu(setting: Setting, *arguments: str) -> list[str]:
    vault = ["--vault", setting.parts.vault] if setting.parts.vault else []
    return [str(setting.parts.python), "-m", "shilu_host", *arguments, *vault]


def _without_vault(argv: Sequence[str]) -> list[str]:
    """The command without the vault, whose pointer would be asked for in place of ours."""
    if "--vault" not in argv:
        return list(argv)
    at = list(argv).index("--vault")
    return [*argv[:at], *argv[at + 2 :]]


def _run(
    home: Home, argv: Sequence[str], data: bytes, limit: float = ANSWER_SECONDS
) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            list(argv),
            input=data,
            env=environment(home),
            cwd=home.path,
            capture_output=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise SetupError(f"it did not end within {limit:g} s: {' '.join(argv[:3])}") from None
    except OSError as error:
        raise SetupError(f"{argv[0]}: cannot be run ({error.strerror})") from None


def _last(said: bytes) -> str:
    """The last line that a program said; for our own one that is missing, how to install it."""
    lines = said.decode("utf-8", "replace").strip().splitlines()
    if lines and lines[-1].endswith("No module named shilu_host"):
        return f"{lines[-1]}; install it first: {INSTALL}"
    return lines[-1] if lines else "no word"
