"""The inbox, as tools and status see it: drop facts, tell what waits and what the next apply would do."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from typing import Any

from shilu_core.ledger import Ledger, ledger_path
from shilu_core.vault import Vault
from shilu_inbox.drops import drop
from shilu_inbox.submissions import Header
from shilu_inbox.waiting import look

_FRESH_SECONDS = 2.0  # a count this old is given again without looking
VERIFIED = "verified-agent"  # ledger event: the submission came through a channel whose token is bound to the agent
DEFAULT_AGENT = "agent"


class Inbox:
    """One vault's inbox; safe from any thread."""

    def __init__(self, vault: Vault, vault_state: Path, state: Path) -> None:
        self._vault, self._vault_state, self._state = vault, vault_state, state
        self._counted = (0, 0)
        self._at = 0.0
        self._reviewed: tuple[int, int] | None = None  # by the last review, while the inbox is as it was then
        self._files = 0

    def told(self, count: int, oldest_days: int) -> None:
        """Takes what a review found: items are what a person decides, not files."""
        self._files = self._count()[0]
        self._reviewed, self._at = (count, oldest_days), 0.0

    def waiting(self) -> tuple[int, int]:
        """Number of items that wait, and the whole days that the oldest has waited; at most two seconds
        old."""
        if not self._at or time.monotonic() - self._at > _FRESH_SECONDS:
            counted = self._count()
            same = self._reviewed is not None and counted[0] == self._files
            self._counted = self._reviewed if same and self._reviewed is not None else counted
            self._at = time.monotonic()
        return self._counted

    def submit(self, facts: str, *, agent: str, verified: bool, target: str) -> str:
        """Drops facts, one a line; raises what `drop` raises before anything is written."""
        lines = [line.strip().removeprefix("- ").strip() for line in facts.splitlines()]
        header = Header(agent=agent or DEFAULT_AGENT, target=target)
        path = drop(
            self._vault,
            [line for line in lines if line],
            header,
            now=datetime.now(),
            vault_state=self._vault_state,
        )
        if verified:
            self._remember_verified(path.name, agent)
        self._at = 0.0
        where = f"{self._vault.layout.inbox}/{path.name}"
        if self._vault.layout.language == "zh":
            return f"已提交到 {where}，等待审核（shilu review）；审核通过前不会写入正式笔记。"
        return f"Submitted to {where}. It waits for review (shilu review); no note changes before that."

    def pending(self) -> dict[str, Any]:
        """What waits, as plain values."""
        waiting = look(self._vault)
        count, days = self.waiting()
        return {
            "count": count,
            "oldest_days": days,
            "submissions": [
                {
                    "name": arrival.name,
                    "facts": [fact.text for fact in arrival.facts],
                    "refused": arrival.refused or arrival.secret,
                }
                for arrival in waiting.arrivals
            ],
            "unsettled": list(waiting.unsettled),
        }

    def preview(self) -> str:
        """What the next apply would write and what waits for a person."""
        pending = self.pending()
        lines = [f"{len(pending['submissions'])} submissions wait; the review judges them: shilu review"]
        for submission in pending["submissions"]:
            lines.append(f"- {submission['name']}: {submission['refused'] or str(len(submission['facts'])) + ' facts'}")
        return "\n".join(lines)

    def _count(self) -> tuple[int, int]:
        times = []
        try:
            for path in self._vault.inbox.iterdir():
                hidden = path.name.startswith(".") or path.name == "README.md"
                if path.suffix in (".md", ".txt") and not hidden and path.is_file():
                    times.append(path.stat().st_mtime)
        except OSError:
            return (0, 0)
        oldest = max(0.0, time.time() - min(times)) if times else 0.0
        return len(times), int(oldest // 86_400)

    def _remember_verified(self, name: str, agent: str) -> None:
        with Ledger.open(ledger_path(self._vault, self._state)) as ledger, ledger.transaction():
            ledger.execute(
                "INSERT INTO events (kind, subject, detail, at) VALUES (?, ?, ?, ?)",
                (VERIFIED, name, agent, datetime.now().astimezone().isoformat(timespec="seconds")),
            )
