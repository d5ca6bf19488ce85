"""What waits in the inbox, for status and the line that a person gets once a session."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from shilu_core.vault import Vault

_FRESH_SECONDS = 2.0  # a count this old is given again without looking


class Inbox:
    """Counts what waits; looks at the folder at most every two seconds."""

    def __init__(self, vault: Vault, state: Path) -> None:
        self._vault, self._state = vault, state
        self._counted = (0, 0)
        self._at = 0.0

    def waiting(self) -> tuple[int, int]:
        """Number of submissions that wait, and the whole days that the oldest has waited."""
        if time.monotonic() - self._at > _FRESH_SECONDS or not self._at:
            self._counted, self._at = self._count(), time.monotonic()
        return self._counted

    def submit(self, facts: str, *, agent: str, verified: bool, target: str) -> str:
        raise NotImplementedError

    def preview(self) -> str:
        raise NotImplementedError

    def pending(self) -> dict[str, Any]:
        raise NotImplementedError

    def _count(self) -> tuple[int, int]:
        times = []
        try:
            for path in self._vault.inbox.iterdir():
                if (
                    path.suffix == ".md"
                    and not path.name.startswith(".")
                    and path.name != "README.md"
                    and path.is_file()
                ):
                    times.append(path.stat().st_mtime)
        except OSError:
            pass
        oldest = max(0.0, time.time() - min(times)) if times else 0.0
        return len(times), int(oldest // 86_400)
