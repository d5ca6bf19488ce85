"""`shilu export [--adapter ID] [--output FILE]`: the memory protocol's entries as one document."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from shilu_core.errors import UsageError

from shilu_host.context import Context


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--adapter", metavar="ID", help="mem0, hermes-memory-md or claude-code-memory-md")
    parser.add_argument("--output", metavar="FILE", help="a new file instead of standard output")


def run(arguments: argparse.Namespace, context: Context) -> int:
    from shilu_core.files import create_exclusive

    from shilu_host.protocol.provider import Provider
    from shilu_host.rpc.rulings import opened
    from shilu_host.rpc.vault_store import configured

    with opened(context) as ledger:
        provider = Provider(ledger, configured(context.settings))
        document: Any = provider.export({})
        if arguments.adapter:
            document = provider.adapters.export(arguments.adapter, document["entries"])
    text = _text(document)
    if not arguments.output:
        context.say(text.rstrip("\n"))
        return 0
    try:
        create_exclusive(Path(arguments.output), text.encode("utf-8"), private=True)
    except FileExistsError as error:
        raise UsageError(f"{arguments.output} exists already; name a new file") from error
    context.tell("written-to", file=arguments.output)
    return 0


def _text(document: Any) -> str:
    """Markdown as it is, everything else as JSON."""
    if isinstance(document, dict) and set(document) == {"plugin", "text"}:
        return str(document["text"]) + "\n"
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
