"""`python -m shilu_host.daemon.promotion`: reviews what waits and does what the written policy says; one line of JSON.

A process of its own, at low priority: a review of many submissions must not hold up a turn, and nothing that
it meets can take the daemon along.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass

from shilu_core.errors import ShiluError
from shilu_inbox.apply import apply, entries
from shilu_inbox.decide import decide
from shilu_inbox.desk import Desk, examine, show

from shilu_host.context import Context
from shilu_host.daemon.inbox import VERIFIED
from shilu_host.daemon.policy import Choice, choose, read
from shilu_host.desks import open_desk

NICENESS = 10


@dataclass(frozen=True)
class Outcome:
    """What waits for a person now, and what the policy did."""

    waiting: int
    oldest_seconds: float
    written: int = 0
    held: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def promote(context: Context) -> Outcome:
    """One review, and what the policy allows."""
    policy = read(context.settings.tables.get("promote"))
    by = f"policy: mode {policy.base.mode}, conflicts {policy.base.conflicts} ({context.config_file.name})"
    with open_desk(context, by=by, embed=True) as desk:
        found = show(desk)
        choices = choose(policy, found, entries(desk), _bound(desk))
        written, held = _carry_out(desk, choices)
        if written or held:
            found, _ = examine(desk)
    waiting = [item for item in found.items if item.place in ("pending", "conflict")]
    age = 0.0 if found.oldest is None else max(0.0, time.time() - found.oldest)
    return Outcome(len(waiting), age, written, held, policy.problems)


def _carry_out(desk: Desk, choices: list[Choice]) -> tuple[int, tuple[str, ...]]:
    if not choices:
        return 0, ()
    held = []
    chosen = []
    for choice in choices:
        try:
            if choice.ruling != "accept":
                decide(desk, choice.item, choice.ruling)
            chosen.append(choice.item)
        except ShiluError as error:
            held.append(f"{choice.item}: {error}")
    done = apply(desk, only=frozenset(chosen))
    return len(done.written), (*held, *done.held)


def _bound(desk: Desk) -> dict[str, str]:
    rows = desk.ledger.rows("SELECT subject, detail FROM events WHERE kind = ?", (VERIFIED,))
    return {row["subject"]: row["detail"] for row in rows}


def main(arguments: list[str]) -> int:
    """`--state FOLDER --vault PATH`, as the daemon starts it."""
    given = dict(zip(arguments[::2], arguments[1::2], strict=False))
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    environment = {**os.environ, **({"SHILU_STATE_DIR": given["--state"]} if "--state" in given else {})}
    context = Context(environment, {"vaultPath": given["--vault"]} if "--vault" in given else {})
    try:
        print(json.dumps(vars(promote(context)), ensure_ascii=False))
    except ShiluError as error:
        print(str(error), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
