"""`shilu retract FACT`: asks that a fact be taken back; like any change it waits for a decision."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from shilu_core.errors import UsageError
from shilu_core.facts import Fact
from shilu_inbox.identities import carried

from shilu_host.commands.submit import submit
from shilu_host.context import Context


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("fact", metavar="FACT", help="id of the fact (see `shilu search`), or its exact text")
    parser.add_argument("--agent", default=None, help="who asks")
    parser.add_argument("--session", default="")
    parser.add_argument("--workspace", default="")
    parser.add_argument("--tag", action="append", default=[])
    parser.set_defaults(target="")


def run(arguments: argparse.Namespace, context: Context) -> int:
    notes = (context.vault.parse(note) for note in context.vault.note_ids())
    facts = [fact for note in notes for fact in note.facts if not fact.superseded]
    meant = [fact for fact in facts if arguments.fact in (fact.id, fact.text)] or _edited_since(context, facts, arguments.fact)
    if len(meant) != 1:
        what = f"{len(meant)} facts have this text; give an id" if meant else "give its id or its whole text"
        raise UsageError(f"no single fact is {arguments.fact!r}: {what}; `shilu search WORDS --format compact` shows both")
    arguments.fact = meant[0].id
    submit(arguments, context, [meant[0].text], "retract")
    return 0


def _edited_since(context: Context, facts: Sequence[Fact], identity: str) -> list[Fact]:
    ledger = context.ledger()
    try:
        return list(carried(ledger, facts, [identity]).values())
    finally:
        ledger.close()
