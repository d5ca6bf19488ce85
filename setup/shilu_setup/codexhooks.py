"""Asks Codex itself about its hooks, through its app server (JSON-RPC, one message a line)."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from shilu_setup.errors import SetupError

ANSWER_SECONDS = 30.0
"""How long one answer may take; the server needs about a second to start."""


class Server:
    """One run of `codex app-server`, ended on leaving."""

    def __init__(self, program: Path, environment: Mapping[str, str]) -> None:
        self._number = 0
        self._lines: queue.Queue[bytes] = queue.Queue()
        try:
            self._child = subprocess.Popen(
                [str(program), "app-server"],
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            raise SetupError(f"{program}: cannot be started ({error.strerror})") from None
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Server:
        self.call("initialize", {"clientInfo": {"name": "shilu", "version": "1"}})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.kill()
        self._child.wait()

    def hooks(self, folder: Path) -> list[dict[str, Any]]:
        """Every hook that Codex sees from a folder: `key`, `currentHash`, `trustStatus`, `command`, ..."""
        answer = self.call("hooks/list", {"cwds": [str(folder)]})
        return [hook for entry in answer["data"] for hook in entry["hooks"]]

    def call(self, method: str, params: Any) -> Any:
        """The result of one request. Raises `SetupError` for an error, or silence."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(json.dumps(message).encode() + b"\n")
            self._child.stdin.flush()
            while True:
                answer = json.loads(self._lines.get(timeout=ANSWER_SECONDS))
                if answer.get("id") == self._number:
                    break
        except (OSError, ValueError, queue.Empty):
            raise SetupError(f"codex app-server: no answer to {method}") from None
        if "result" not in answer:
            raise SetupError(f"codex app-server: {method}: {answer.get('error')}")
        return answer["result"]

    def _read(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            self._lines.put(line)
