"""`shilu ledger export|import FILE`: the ledger as JSON lines, one row each."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from shilu_core.ledger import Ledger, ledger_path
from shilu_core.ledger.exchange import export_lines, import_lines

from shilu_host.context import Context


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("export", "import"))
    parser.add_argument("file", metavar="FILE", nargs="?", default="-", help="`-`: standard output or input")


def run(arguments: argparse.Namespace, context: Context) -> int:
    from shilu_core.files import replace_whole

    with Ledger.open(ledger_path(context.vault, context.state)) as ledger:
        if arguments.action == "export":
            text = "".join(line + "\n" for line in export_lines(ledger))
            if arguments.file == "-":
                sys.stdout.write(text)
            else:
                replace_whole(Path(arguments.file), text.encode(), private=True)
                context.tell("written-to", file=arguments.file)
            return 0
        data = sys.stdin.buffer.read() if arguments.file == "-" else Path(arguments.file).read_bytes()
        count = import_lines(ledger, data.decode("utf-8", "replace").split("\n"))
    context.tell("imported-rows", count=count)
    return 0
