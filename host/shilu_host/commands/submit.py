"""`shilu submit "fact" ...`: facts from the command line or standard input, into the inbox."""

from __future__ import annotations

import argparse
import sys

from shilu_core.errors import UsageError
from shilu_inbox.drops import drop
from shilu_inbox.submissions import OPERATIONS, Header, read
from shilu_inbox.verdicts import Operation

from shilu_host.context import Context


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "facts", metavar="FACT", nargs="*", help="one fact each; none: standard input, one a line or bullet"
    )
    parser.add_argument("--agent", default=None, help="who submits (default: configuration, else `me`)")
    parser.add_argument("--session", default="", help="session of the agent")
    parser.add_argument("--workspace", default="", help="folder or project that the facts are about")
    parser.add_argument("--tag", action="append", default=[], help="may be given several times")
    parser.add_argument("--target", default="", help="document id or note that the facts belong in")
    parser.add_argument("--op", choices=OPERATIONS, default="add", help="replace and retract need --fact")
    parser.add_argument("--fact", default="", metavar="ID", help="the fact that is replaced or taken back")


def run(arguments: argparse.Namespace, context: Context) -> int:
    facts = arguments.facts or _from_standard_input(arguments)
    submit(arguments, context, facts, arguments.op)
    return 0


def submit(arguments: argparse.Namespace, context: Context, facts: list[str], operation: Operation) -> None:
    """Drops one submission and says where it lies."""
    if operation != "add" and not arguments.fact:
        raise UsageError(f"{operation} needs the fact: --fact ID (see `shilu search`)")
    agent = arguments.agent or context.settings.text("agent") or "me"
    header = Header(
        agent, arguments.session, arguments.workspace, tuple(arguments.tag), arguments.target, operation, arguments.fact
    )
    path = drop(context.vault, facts, header, now=context.now(), vault_state=context.vault_state)
    context.tell("submitted", count=sum(bool(fact.strip()) for fact in facts), path=path)


def _from_standard_input(arguments: argparse.Namespace) -> list[str]:
    """The facts of a piped submission; what its front matter says counts where no flag says otherwise."""
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(
            'give a fact: shilu submit "the staging gateway listens on 8443", or pipe facts in, one a line'
        )
    found = read("standard input", sys.stdin.buffer.read())
    for fact in found[:1]:
        for name in ("session", "workspace", "target", "fact"):
            setattr(arguments, name, getattr(arguments, name) or getattr(fact, name))
        arguments.tag = arguments.tag or list(fact.tags)
        arguments.op = fact.operation if arguments.op == "add" else arguments.op
    return [fact.text for fact in found]
