"""`shilu apply` (`promoter --apply`): writes what is ticked in the last shown review."""

from __future__ import annotations

import argparse
import sys

from shilu_inbox.apply import Applied, apply
from shilu_inbox.lists import shown

from shilu_host.context import Context
from shilu_host.desks import open_desk


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="say what would be written, write nothing")


def run(arguments: argparse.Namespace, context: Context) -> int:
    with open_desk(context, embed=True) as desk:
        done = apply(desk, dry_run=arguments.dry_run)
    return tell(done, context, dry_run=arguments.dry_run)


def tell(done: Applied, context: Context, *, dry_run: bool) -> int:
    """Says what was written, rejected and held; 1 where a ticked item was held."""
    verb = "would write" if dry_run else "applied"
    context.say(f"{verb} {len(done.written)} fact(s), rejected {len(done.rejected)}, settled {done.settled}")
    for one in done.written:
        arrow = f"  (ends: {shown(one.supersedes)})" if one.supersedes else ""
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
        context.say(
            f"moved {len(done.moved)} submission(s) to {context.vault.processed}"
            if not dry_run
            else f"would move {len(done.moved)}"
        )
    if done.written and not dry_run:
        context.say(f"batch {done.plan} (take it back with: shilu undo {done.plan})")
    return 1 if done.held else 0
