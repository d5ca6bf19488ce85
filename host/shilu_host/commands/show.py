"""`shilu show DOC|FACT`: a note as it stands, or one fact with where it comes from; secrets masked."""

from __future__ import annotations

import argparse

from shilu_core import hidden, secrets
from shilu_core.errors import UsageError
from shilu_core.facts import Fact
from shilu_core.notes import decode

from shilu_host.context import Context


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="DOC|FACT", help="index, prefs, env, rules, tools, ui, coord, a note, or a fact's id")


def run(arguments: argparse.Namespace, context: Context) -> int:
    vault = context.vault
    note = vault.document(arguments.name)
    if note is not None:
        context.say(f"# {note} ({vault.note_path(note)})")
        context.say(hidden.visible(secrets.mask(decode(vault.read(note)))))
        return 0
    facts = (fact for known in vault.note_ids() for fact in vault.parse(known).facts)
    fact = next((fact for fact in facts if fact.id == arguments.name), None)
    if fact is None:
        documents = ", ".join(vault.layout.documents)
        raise UsageError(f"no note and no fact is called {arguments.name!r}; documents are {documents}")
    context.say(_described(fact, context))
    return 0


def _described(fact: Fact, context: Context) -> str:
    lines = [f"{fact.id}  {fact.note}:{fact.line}", hidden.visible(secrets.mask(fact.text))]
    if fact.stamp is not None:
        source, agent = fact.stamp.source or "-", fact.agent or "-"
        lines.append(context.text("fact-written", when=fact.written or "-", source=source, agent=agent))
    if fact.superseded:
        lines.append(context.text("fact-ended", when=fact.ended or "-"))
    return "\n".join(lines)
