"""`shilu protocol`: the JSON-RPC surface of both memory protocols."""

from __future__ import annotations

import argparse

from shilu_core.errors import UsageError

from shilu_host.context import Context


def arguments(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    serve = verbs.add_parser("serve", help="serve dsh-memory-protocol/v1 and mm/v1 to one client")
    serve.add_argument("--stdio", action="store_true", help="on standard input and output, one JSON object a line")


def run(arguments: argparse.Namespace, context: Context) -> int:
    if not arguments.stdio:
        raise UsageError("`shilu protocol serve` needs --stdio; over HTTP the daemon serves POST /rpc")
    from shilu_host.rpc.further import MmMethods
    from shilu_host.rpc.opening import Opener
    from shilu_host.rpc.server import Server
    from shilu_host.rpc.stdio import serve
    from shilu_host.rpc.vault_store import open_vault_store

    opener = Opener(lambda: open_vault_store(context))
    return serve(lambda send: Server(send, opener, MmMethods()))
