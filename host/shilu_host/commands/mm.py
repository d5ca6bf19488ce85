"""`shilu mm`: the command line of an mm memory; a person runs it, and it writes directly."""

from __future__ import annotations

import argparse
import json
import sys

from shilu_host.context import Context
from shilu_host.mm.command_line import PLAIN_ONLY, Line, Said, carry_out, failure, read_line
from shilu_host.mm.errors import MmError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", default=None, help="the memory root")
    parser.add_argument("--json", action="store_true", help="print one JSON value")
    parser.add_argument("rest", nargs=argparse.REMAINDER, metavar="VERB ...", help="see: shilu mm help")


def run(arguments: argparse.Namespace, context: Context) -> int:
    line = _line(arguments)
    try:
        said = carry_out(line, context.environment, context.now)
    except MmError as error:
        print(failure(error), file=sys.stderr)
        return 1
    return _print(said, line)


def _line(arguments: argparse.Namespace) -> Line:
    """The whole line; flags before the verb were taken by the parser already."""
    before = ["--json"] if arguments.json else []
    if arguments.root is not None:
        before.append(f"--root={arguments.root}")
    return read_line([*before, *arguments.rest])


def _print(said: Said, line: Line) -> int:
    plain_only = not line.words or line.words[0] in PLAIN_ONLY or isinstance(said.value, str)
    if line.says("--json") and not plain_only:
        print(json.dumps(said.value, ensure_ascii=False, separators=(",", ":")))
        return said.status
    print(
        f"dsh-memory: {said.plain}" if said.complaint else said.plain,
        file=sys.stderr if said.complaint else sys.stdout,
    )
    return said.status if said.plain_status is None else said.plain_status
