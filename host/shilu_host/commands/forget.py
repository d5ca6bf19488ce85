"""`shilu forget --scan`: facts that could be forgotten, for a person to look through; takes nothing out."""

from __future__ import annotations

import argparse
import json

from shilu_core.errors import UsageError
from shilu_inbox.forgetting import candidates
from shilu_inbox.lists import shown

from shilu_host.context import Context
from shilu_host.desks import open_desk
from shilu_host.maintenance import under_way

LONG_AGO = 150
"""Days after which a superseded or never recalled fact is a candidate: below the 180 for which recall rows are
kept, so that `never recalled` is known and not guessed."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--scan", action="store_true", help="list candidates: ended long ago, or not recalled since long")
    parser.add_argument("--days", type=int, default=LONG_AGO, metavar="N", help=f"how long is long (default {LONG_AGO})")
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace, context: Context) -> int:
    with under_way(context.vault_state, "forget"):
        return _run(arguments, context)


def _run(arguments: argparse.Namespace, context: Context) -> int:
    if not arguments.scan:
        raise UsageError("forget only lists candidates: shilu forget --scan; take a fact back with: shilu retract FACT")
    if arguments.days < 1:
        raise UsageError(f"--days is {arguments.days}; give one day at least")
    with open_desk(context) as desk:
        found = candidates(desk, days=arguments.days)
    if arguments.json:
        rows = [
            {"kind": one.kind, "since": str(one.since), "id": one.fact.id, "note": one.fact.note, "text": one.fact.text}
            for one in found
        ]
        context.say(json.dumps(rows, ensure_ascii=False, indent=2))
        return 0
    for one in found:
        said = context.text(f"forget-{one.kind}", since=one.since)
        context.say(f"{one.fact.id}  {one.fact.note}:{one.fact.line}  {said}  {shown(one.fact.text)}")
    context.tell("forget-found" if found else "forget-nothing", count=len(found), days=arguments.days)
    return 0
