"""`shilu service`: the daemon at login, and the state of its regular runs."""

from __future__ import annotations

import argparse

from shilu_core.errors import VaultMissing
from shilu_setup import installing

from shilu_host.context import Context


def arguments(parser: argparse.ArgumentParser) -> None:
    installing.add_arguments(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    code = installing.run(arguments)
    if arguments.verb == "status" and not arguments.json:
        _tell_schedule(context)
    return code


def _tell_schedule(context: Context) -> None:
    from shilu_host import clockwork

    try:
        for line in clockwork.lines(context):
            context.say(clockwork.told(line, context))
    except VaultMissing as error:
        context.tell("run-none", reason=error)
