"""`shilu import [--adapter ID] FILE`: entries of the memory protocol into the vault's own store, by a person."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from shilu_core.errors import UsageError

from shilu_host.context import Context


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", help="an export, or a document that the adapter reads; - for standard input"
    )
    parser.add_argument("--adapter", metavar="ID", help="mem0, hermes-memory-md or claude-code-memory-md")
    parser.add_argument("--store", action="store_true", help="FILE is the database of another provider")
    parser.add_argument("--dry-run", action="store_true", help="show what would be stored")


def run(arguments: argparse.Namespace, context: Context) -> int:
    inputs = _inputs(arguments)
    if arguments.dry_run:
        for item in inputs:
            context.say(f"{item['track']}/{item['scope']}: {item['text']}")
        context.tell("import-dry", count=len(inputs))
        return 0
    added = _seed(inputs, context)
    context.tell("imported", count=added)
    return 0


def _inputs(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """What is to be added, whichever way it is given."""
    from shilu_host.protocol import envelope

    if arguments.store:
        from shilu_host.protocol.foreign_store import read_entries

        entries = read_entries(Path(arguments.file))
        return envelope.seed_inputs({"plugin": envelope.PLUGIN, "schema": envelope.SCHEMA, "entries": entries})
    document = _document(arguments.file, as_text=arguments.adapter is not None)
    if arguments.adapter:
        from shilu_host.protocol.adapters import built_in

        return built_in().adapt(arguments.adapter, document)
    return envelope.seed_inputs(document)


def _seed(inputs: list[dict[str, Any]], context: Context) -> int:
    """One approval (the person who runs this), one transaction (12.3)."""
    from shilu_host.protocol.approvals import ALLOWED
    from shilu_host.protocol.provider import Provider
    from shilu_host.rpc.rulings import opened
    from shilu_host.rpc.vault_store import configured

    session = {"id": None, "header": {"cwd": os.getcwd()}}
    with opened(context) as ledger:
        provider = Provider(ledger, configured(context.settings), transport=lambda ask: ALLOWED)
        result = provider.write("seed", {"inputs": inputs, "write": {"agent": {"session": session}, "gate": True}})
    return int(result["added"])


def _document(file: str, *, as_text: bool) -> Any:
    """The file's JSON; with an adapter, what is no JSON is handed over as text."""
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(
            f"can't read {file}: {error.strerror}; give an existing file, or - for standard input"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is no UTF-8 text (byte {error.start}); convert it first") from error
    try:
        return json.loads(text)
    except ValueError as error:
        if as_text:
            return text
        raise UsageError(f"{file} is no JSON ({error}); for Markdown name its adapter with --adapter") from error
