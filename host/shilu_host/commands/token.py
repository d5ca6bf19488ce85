"""`shilu token new|list|revoke`: tokens that are bound to one agent, whose name then counts."""

from __future__ import annotations

import argparse

from shilu_core.errors import UsageError
from shilu_inbox.submissions import check_agent

from shilu_host.context import Context
from shilu_host.http.tokens import Tokens


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "step", choices=("new", "list", "revoke", "read"), help="read: print the read-only token of /search"
    )
    parser.add_argument("agent", nargs="?", default="", help="the agent's name")


def run(arguments: argparse.Namespace, context: Context) -> int:
    tokens = Tokens(context.vault_state)
    if arguments.step == "list":
        for agent in tokens.agents():
            context.say(agent)
        if not tokens.agents():
            context.complain("token-none")
        return 0
    if arguments.step == "read":
        context.say(tokens.value("read"))
        return 0
    if not arguments.agent:
        raise UsageError(f"name the agent: shilu token {arguments.step} AGENT")
    agent = check_agent(arguments.agent)
    if arguments.step == "new":
        context.say(tokens.bind(agent))
        return 0
    context.tell("token-revoked", count=tokens.revoke(agent), agent=agent)
    return 0
