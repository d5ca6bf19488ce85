"""`shilu verify`: replays the ledger over the kept starting bytes; tells the lines a person changed by hand."""

from __future__ import annotations

import argparse

from shilu_inbox.lists import shown
from shilu_inbox.verify import verify

from shilu_host.context import Context


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "0: every note is what the ledger says; 1: lines differ, each is printed"


def run(arguments: argparse.Namespace, context: Context) -> int:
    with context.ledger() as ledger:
        found = verify(context.vault, ledger)
        notes = ledger.rows("SELECT count(*) AS n FROM origins")[0]["n"]
    for difference in found:
        context.say(f"{difference.note}: {difference.broken or context.text('verify-by-hand')}")
        for hunk in difference.hunks:
            for line in hunk.removed:
                context.say(f"  -{hunk.start + 1}: {shown(line.strip())}")
            for line in hunk.inserted:
                context.say(f"  +{hunk.start + 1}: {shown(line.strip())}")
    if not found:
        context.tell("verify-equal", count=notes)
    return 1 if found else 0
