"""The inbox, as tools and status see it: drop facts, tell what waits and what the next apply would do.

What judges and applies is imported where it is used: it takes as long as all the rest of a daemon's start, and a
session's first turn waits for that.
"""

from __future__ import annotations

import re
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from shilu_core.ledger import Ledger, ledger_path
from shilu_core.recall import block
from shilu_core.vault import Vault

_FRESH_SECONDS = 2.0  # a count this old is given again without looking
VERIFIED = "verified-agent"  # ledger event: the submission came through a channel whose token is bound to the agent
DEFAULT_AGENT = "agent"


# What we gave into a turn is no new fact, even where an agent hands its whole context back (faults F13).
RECALLED = re.compile(r"<\s*memory-data\b.*?(?:<\s*/\s*memory-data\s*>|\Z)", re.IGNORECASE | re.DOTALL)


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
        from shilu_inbox.drops import drop
        from shilu_inbox.submissions import Header, SubmissionRefused

        fresh = RECALLED.sub("\n", facts)
        if not fresh.strip():
            raise SubmissionRefused("that is a recall block, which memory holds already; submit what is new")
        lines = [line.strip().removeprefix("- ").strip() for line in fresh.splitlines()]
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
        from shilu_inbox.waiting import look

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
        """What the next apply would write and what waits for a person; writes nothing."""
        from shilu_inbox.apply import apply
        from shilu_inbox.desk import Desk, examine
        from shilu_inbox.lists import shown

        with Ledger.open(ledger_path(self._vault, self._state)) as ledger:
            desk = Desk(self._vault, ledger, self._vault_state, datetime.now().astimezone())
            planned = apply(desk, dry_run=True)
            found, _ = examine(desk)
        lines = [f"the next apply would write {len(planned.written)} facts; nothing was written"]
        lines += [f"+ {one.note}: {block.neutral(shown(one.text))}" for one in planned.written]
        lines += [f"held: {block.neutral(reason)}" for reason in planned.held]
        waiting = [item for item in found.items if item.place in ("pending", "conflict")]
        lines.append(f"{len(waiting)} items wait for a person: shilu review, then shilu adjudicate")
        lines += [f"? {item.id} {item.verdict}: {block.neutral(shown(item.submitted.text))}" for item in waiting]
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
