"""`shilu mcp`: the MCP server on standard input and output."""

from __future__ import annotations

import argparse

from shilu_host.client import mcp_stdio
from shilu_host.context import Context


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "step", nargs="?", choices=("serve", "path"), default="serve", help="path: print the server's file"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.step == "path":
        context.say(mcp_stdio.__file__)
        return 0
    mcp_stdio.main(["--state", str(context.state), *(["--vault", arguments.vault] if arguments.vault else [])])
    return 0
