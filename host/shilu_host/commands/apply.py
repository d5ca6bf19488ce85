"""`shilu apply` (`promoter --apply`): writes what is ticked in the last shown review."""

from __future__ import annotations

import argparse
import sys

from shilu_inbox.apply import Applied, apply, entries
from shilu_inbox.lists import WAIT, shown

from shilu_host.context import Context
from shilu_host.desks import open_desk


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="say what would be written, write nothing")


def run(arguments: argparse.Namespace, context: Context) -> int:
    with open_desk(context, embed=True) as desk:
        done = apply(desk, dry_run=arguments.dry_run)
        left = [] if arguments.dry_run else [entry for entry in entries(desk) if entry.mark == WAIT]
    return tell(done, context, dry_run=arguments.dry_run, left=len(left))


def tell(done: Applied, context: Context, *, dry_run: bool, left: int) -> int:
    """Says what was written, rejected, held and left for a person; 1 where a ticked item was held."""
    counts = {"written": len(done.written), "rejected": len(done.rejected), "settled": done.settled}
    if any(counts.values()) or done.held:
        context.tell("would-apply" if dry_run else "applied", **counts)
    elif not left:
        context.tell("apply-nothing")
    for one in done.written:
        arrow = context.text("ends", text=shown(one.supersedes)) if one.supersedes else ""
        context.say(
            f"  + {one.fact} {one.note}: {shown(one.text)}{arrow}"
            if one.text
            else f"  - {one.note}: {shown(one.supersedes)}"
        )
    for text in done.rejected:
        context.say(f"  x {shown(text)}")
    for reason in done.held:
        print(f"held: {shown(reason)}", file=sys.stderr)
    if done.moved:
        context.tell("would-move" if dry_run else "moved", count=len(done.moved), folder=context.vault.processed)
    if done.plan and not dry_run:
        context.tell("batch", plan=done.plan)
    if left:
        context.tell("apply-waiting", count=left)
    return 1 if done.held else 0
