"""`shilu quarantine list|purge`: dropped files that held a plaintext secret, by kind and line, never the value."""

from __future__ import annotations

import argparse

from shilu_core.files import remove
from shilu_inbox.drops import quarantine_folder

from shilu_host.context import Context


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("list", "purge"), nargs="?", default="list")


def run(arguments: argparse.Namespace, context: Context) -> int:
    folder = quarantine_folder(context.vault_state)
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    with context.ledger() as ledger:
        rows = ledger.rows("SELECT subject, detail, at FROM events WHERE kind = 'quarantined'")
    told = {row["subject"]: f"{row['detail']}, {row['at']}" for row in rows}
    for path in files:
        context.say(f"{path.name}: {told.get(path.name) or context.text('quarantine-secret')}")
        if arguments.action == "purge":
            remove(path)
    context.tell("purged" if arguments.action == "purge" else "quarantined", count=len(files), folder=folder)
    return 0
