"""Has new submissions reviewed once they stand still, and tells the person when more waits than before."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shilu_host.context import Context

STILL_SECONDS = 2.2  # a little over the time for which a file of others must not have changed
RETRY_SECONDS = 1.0
REVIEW_SECONDS = 900.0
TELL_SECONDS = 5.0
FOREIGN_EDIT_SECONDS = 5.0  # a person may still be editing a list that was saved this recently

Signature = frozenset[tuple[str, int, int]]


class Promoter:
    """A thread that starts one review at a time; `look` is called after every change in the vault."""

    def __init__(self, context: Context, told: Callable[[int, int], None], log: Callable[[str], None]) -> None:
        self._context, self._told, self._log = context, told, log
        self._vault = context.vault
        self._wake = threading.Condition()
        self._due: float | None = None
        self._reviewed: Signature | None = None
        self._seen: Signature | None = None
        self._waiting = 0
        self._ended = False
        self._child: subprocess.Popen[str] | None = None
        self._thread = threading.Thread(target=self._run, name="promoter", daemon=True)

    def start(self) -> None:
        self._thread.start()
        self.look()

    def look(self) -> None:
        """Plans a review where the inbox holds something that none has seen."""
        signature = self._signature()
        with self._wake:
            if signature == self._seen and (self._due is not None or signature == self._reviewed):
                return
            self._seen = signature
            if signature and signature != self._reviewed:
                self._due = time.monotonic() + STILL_SECONDS
                self._wake.notify_all()

    def stop(self) -> None:
        with self._wake:
            self._ended = True
            self._wake.notify_all()
        if self._child is not None:
            self._child.terminate()  # a plan that it left half-way is finished by the next run

    def _signature(self) -> Signature:
        found = set()
        try:
            for path in self._vault.inbox.iterdir():
                if path.is_file() and not path.name.startswith("."):
                    status = path.stat()
                    found.add((path.name, status.st_mtime_ns, status.st_size))
        except OSError:
            pass
        return frozenset(found)

    def _run(self) -> None:
        while self._wait():
            if not lists_are_still(self._vault.pending, self._vault.conflicts):
                with self._wake:
                    self._due = time.monotonic() + RETRY_SECONDS
                continue
            signature = self._signature()
            try:
                self._review()
            except (OSError, ValueError, subprocess.SubprocessError) as error:
                self._log(f"review: {type(error).__name__}: {error}")
            self._reviewed = signature

    def _wait(self) -> bool:
        with self._wake:
            while not self._ended:
                now = time.monotonic()
                if self._due is not None and now >= self._due:
                    self._due = None
                    return True
                self._wake.wait(None if self._due is None else self._due - now)
        return False

    def _review(self) -> None:
        command = [sys.executable, "-m", "shilu_host.daemon.promotion", "--state", str(self._context.state)]
        self._child = subprocess.Popen(
            [*command, "--vault", str(self._vault.folder)],
            env=dict(self._context.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        out, problems = self._child.communicate(timeout=REVIEW_SECONDS)
        if self._child.returncode:
            self._log(f"review ended with {self._child.returncode}: {problems.strip()[-400:]}")
            return
        outcome = json.loads(out)
        for line in (*outcome["held"], *outcome["problems"]):
            self._log(f"policy: {line}")
        self._told(outcome["waiting"], int(outcome["oldest_seconds"] // 86_400))
        if outcome["waiting"] > self._waiting:
            self._notify(outcome["waiting"])
        self._waiting = outcome["waiting"]

    def _notify(self, count: int) -> None:
        """The optional webhook and desktop command: how much waits, and never what."""
        import urllib.request  # 50 ms that a daemon's first answer need not wait for

        table = self._context.settings.tables.get("notify")
        given: dict[str, Any] = table if isinstance(table, dict) else {}
        text = f"Shilu: {count} memory items wait for your decision"
        try:
            if command := given.get("command"):
                subprocess.run([*map(str, command), text], timeout=TELL_SECONDS, check=False, capture_output=True)
            if url := str(given.get("webhook") or ""):
                body = json.dumps({"text": text, "count": count}).encode()
                request = urllib.request.Request(url, body, {"content-type": "application/json"})
                urllib.request.urlopen(request, timeout=TELL_SECONDS).close()
        except (OSError, ValueError, TypeError, subprocess.SubprocessError) as error:
            self._log(f"notify: {type(error).__name__}: {error}")


def lists_are_still(pending: Path, conflicts: Path) -> bool:
    """Whether nobody saved one of the lists in the last seconds; a date in the future comes of a clock set back."""
    for path in (pending, conflicts):
        try:
            if 0 <= time.time() - path.stat().st_mtime < FOREIGN_EDIT_SECONDS:
                return False
        except OSError:
            continue
    return True
