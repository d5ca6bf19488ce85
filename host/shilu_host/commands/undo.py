"""`shilu undo FACT|BATCH [--dry-run] [--reject]`."""

from __future__ import annotations

import argparse
import sys

from shilu_inbox.lists import shown
from shilu_inbox.undo import undo

from shilu_host.context import Context
from shilu_host.desks import open_desk


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="FACT|BATCH", help="id of a fact or of a batch (see `shilu log`)")
    parser.add_argument("--dry-run", action="store_true", help="say what would be taken back, write nothing")
    parser.add_argument("--reject", action="store_true", help="also remember the value as rejected")


def run(arguments: argparse.Namespace, context: Context) -> int:
    with open_desk(context) as desk:
        undone = undo(desk, arguments.name, dry_run=arguments.dry_run, reject=arguments.reject)
    for clash in undone.clashes:
        print(f"clash: {shown(clash)}", file=sys.stderr)
    if undone.clashes:
        print("nothing was changed", file=sys.stderr)
        return 1
    key = "would-take-back" if arguments.dry_run else "took-back"
    for kind, note, text in undone.taken_back:
        context.tell(key, kind=context.text(f"kind-{kind}"), note=note, text=shown(text))
    return 0
