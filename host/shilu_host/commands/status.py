"""`shilu status`: vault, inbox, index, what waits and since when."""

from __future__ import annotations

import argparse
import json
from typing import Any

from shilu_inbox.desk import Desk, examine
from shilu_inbox.drops import quarantine_folder
from shilu_inbox.texts import LABELS

from shilu_host.commands.review import age
from shilu_host.context import Context
from shilu_host.daemon.told import daemon_line, harness_lines
from shilu_host.daemon.vectors import vectors_line
from shilu_host.desks import open_desk
from shilu_host.maintenance import running


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace, context: Context) -> int:
    with open_desk(context, embed=True) as desk:  # judged as the review judges, or the counts differ
        status = gather(desk, context)
    if arguments.json:
        context.say(json.dumps(status, ensure_ascii=False, indent=2))
        return 0
    mark = LABELS[context.language].mark
    for name, value in status.items():
        said = _said(name, value, context)
        if said:
            context.say(f"{context.text(f'status-{name}')}{mark}{said}")
    if status["pending"] or status["conflicts"]:
        context.say(f"{context.text('status-next')}{mark}promoter --review")
    return 0


def _said(name: str, value: Any, context: Context) -> str:
    """A value for a person, `""` where there is nothing to say."""
    if value is None:
        return ""
    if name == "oldest":
        return age(value, context)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def gather(desk: Desk, context: Context) -> dict[str, Any]:
    """Everything worth knowing, as plain values; counts come from the files themselves."""
    notes = list(desk.vault.note_ids())
    facts = desk.facts()
    found, waiting = examine(desk)
    places = [item.place for item in found.items]
    quarantined = quarantine_folder(context.vault_state)
    unfinished = desk.ledger.rows("SELECT id FROM plans WHERE state != 'done'")
    return {
        "vault": str(desk.vault.folder),
        "layout": desk.vault.layout.language,
        "configuration": str(context.config_file),
        "ledger": str(desk.ledger.path),
        "notes": len(notes),
        "facts": sum(not fact.superseded for fact in facts),
        "superseded": sum(fact.superseded for fact in facts),
        "inbox files": len(waiting.arrivals) + len(waiting.unsettled),
        "pending": places.count("pending"),
        "conflicts": places.count("conflict"),
        "oldest": None if found.oldest is None else max(0.0, context.now().timestamp() - found.oldest),  # seconds
        "still being written": list(waiting.unsettled),
        "ignored": list(waiting.ignored),
        "quarantined": len(list(quarantined.iterdir())) if quarantined.is_dir() else 0,
        "interrupted": [row["id"] for row in unfinished],
        "settings out of range": list(context.settings.clamped),
        "vectors": vectors_line(context),
        "maintenance": [context.text(f"work-{work}") for work in running(context.vault_state)],
        "daemon": daemon_line(context),
        "harnesses": harness_lines(context),
    }
