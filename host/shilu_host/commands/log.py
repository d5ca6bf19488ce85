"""`shilu log`: what was written, ended, taken back and undone, newest first."""

from __future__ import annotations

import argparse
import json
from datetime import datetime

from shilu_inbox.history import changes, changes_of_edited
from shilu_inbox.lists import shown

from shilu_host.context import Context


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--fact", default="", metavar="ID", help="changes of one fact")
    parser.add_argument("--agent", default="", help="facts that this agent submitted")
    parser.add_argument("--since", type=_moment, default=None, metavar="DATE", help="ISO date or time")
    parser.add_argument("--limit", type=_count, default=50, help="at most so many rows (default 50)")
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace, context: Context) -> int:
    with context.ledger() as ledger:
        found = changes(ledger, "(? = '' OR fact = ?) AND at >= ?", (arguments.fact, arguments.fact, arguments.since or ""))
        if arguments.fact and not found:
            found = changes_of_edited(context.vault, ledger, arguments.fact)
    if arguments.agent:
        found = [change for change in found if change.source.rsplit("/", 1)[-1].startswith(f"{arguments.agent}-")]
    rows = list(reversed(found))[: arguments.limit]
    if arguments.json:
        fields = ("sequence", "plan", "note", "kind", "fact", "text", "source", "undone", "by", "at")
        context.say(
            json.dumps([{name: getattr(row, name) for name in fields} for row in rows], ensure_ascii=False, indent=2)
        )
        return 0
    if not rows:
        context.complain("log-no-match" if arguments.fact or arguments.agent or arguments.since else "log-nothing")
    for row in rows:
        undone = context.text("undone-by", plan=row.undone) if row.undone else ""
        kind = context.text(f"kind-{row.kind}")
        context.say(f"{row.at}  {row.plan}  {row.fact or '-':10}  {kind:7}  {row.note}: {shown(row.text)}{undone}")
    return 0


def _moment(text: str) -> str:
    """An ISO date or time as it is compared with the ledger's; raises ArgumentTypeError for anything else."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no date; write it as 2026-11-30 or 2026-11-30T09:28") from None
    return text.replace(" ", "T")


def _count(text: str) -> int:
    """A number of rows; raises ArgumentTypeError where it is none or below one."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of rows; ask for one at least")
    return int(text)
