"""`shilu hook pre-step --harness NAME`: what a harness calls; the deployed form is the client file itself."""

from __future__ import annotations

import argparse

from shilu_host.client import hook
from shilu_host.context import Context
from shilu_host.turns.dialects import DIALECTS


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("step", choices=("pre-step", "path"), help="pre-step: one turn; path: print the client's file")
    parser.add_argument("--harness", choices=tuple(DIALECTS), default="generic")
    parser.add_argument("--recall", choices=("auto", "always", "off"), help="over every other setting")
    parser.add_argument("--limit-ms", type=int, default=0, help="the hook's own limit")


def run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.step == "path":
        context.say(hook.__file__)
        return 0
    given = ["pre-step", "--harness", arguments.harness, "--state", str(context.state)]
    for name, value in (
        ("--vault", arguments.vault),
        ("--recall", arguments.recall),
        ("--limit-ms", arguments.limit_ms),
    ):
        given += [name, str(value)] if value else []
    hook.main(given)
    return 0
