"""`shilu decide ID accept|use-new|keep-old|keep-both|edit TEXT|reject|skip`."""

from __future__ import annotations

import argparse

from shilu_inbox.decide import RULINGS, decide
from shilu_inbox.lists import shown
from shilu_inbox.texts import LABELS

from shilu_host.context import Context
from shilu_host.desks import open_desk


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("item", metavar="ID", help="id of the item, as `shilu review` shows it")
    parser.add_argument("ruling", choices=RULINGS)
    parser.add_argument("text", metavar="TEXT", nargs="?", help="the new text, for edit")


def run(arguments: argparse.Namespace, context: Context) -> int:
    with open_desk(context) as desk:
        entry = decide(desk, arguments.item, arguments.ruling, arguments.text)
    ruling = LABELS[context.language].rulings[arguments.ruling]
    context.say(f"{entry.identity} {ruling}{LABELS[context.language].mark}{shown(arguments.text or entry.text)}")
    context.tell("decided-next")
    return 0
