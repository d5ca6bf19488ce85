"""`shilu log`: what was written, ended, undone and decided, newest first."""

from __future__ import annotations

import argparse
import json

from shilu_inbox.history import changes, changes_of_edited
from shilu_inbox.lists import shown

from shilu_host.context import Context


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--fact", default="", metavar="ID", help="changes of one fact")
    parser.add_argument("--agent", default="", help="facts that this agent submitted")
    parser.add_argument("--since", default="", metavar="DATE", help="ISO date or time")
    parser.add_argument("--limit", type=int, default=50, help="at most so many rows (default 50)")
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace, context: Context) -> int:
    with context.ledger() as ledger:
        found = changes(ledger, "(? = '' OR fact = ?) AND at >= ?", (arguments.fact, arguments.fact, arguments.since))
        if arguments.fact and not found:
            found = changes_of_edited(context.vault, ledger, arguments.fact)
    if arguments.agent:
        found = [change for change in found if change.source.rsplit("/", 1)[-1].startswith(f"{arguments.agent}-")]
    rows = list(reversed(found))[: max(0, arguments.limit)]
    if arguments.json:
        fields = ("sequence", "plan", "note", "kind", "fact", "text", "source", "undone", "by", "at")
        context.say(
            json.dumps([{name: getattr(row, name) for name in fields} for row in rows], ensure_ascii=False, indent=2)
        )
        return 0
    for row in rows:
        undone = f"  (undone by {row.undone})" if row.undone else ""
        context.say(f"{row.at}  {row.plan}  {row.fact or '-':10}  {row.kind:7}  {row.note}: {shown(row.text)}{undone}")
    return 0
