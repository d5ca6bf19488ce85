"""`shilu doctor`: what recall or the next apply would stumble over; `--repair` makes the index anew and proves it."""

from __future__ import annotations

import argparse
import json
import sys

from shilu_core.errors import ShiluError
from shilu_core.recall import Engine
from shilu_inbox.checkup import Finding, checkup
from shilu_inbox.desk import Desk
from shilu_inbox.lists import shown

from shilu_host.commands.index import remove_index
from shilu_host.context import Context
from shilu_host.desks import open_desk
from shilu_host.maintenance import under_way
from shilu_host.sources import sources


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "tell what is wrong or odd; 0: no fault, 1: a fault, each with what to do. Notes are never changed"
    parser.add_argument("--repair", action="store_true", help="make the search index anew, and prove it by a real search")
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace, context: Context) -> int:
    with under_way(context.vault_state, "doctor"):
        return _run(arguments, context)


def _run(arguments: argparse.Namespace, context: Context) -> int:
    with open_desk(context) as desk:
        if arguments.repair:
            remove_index(context)
        counts, findings = _index(desk, context)
        findings += checkup(desk)
    faults = sum(finding.is_fault for finding in findings)
    if arguments.json:
        context.say(json.dumps({**counts, "findings": [vars(finding) for finding in findings]}, ensure_ascii=False, indent=2))
        return 1 if faults else 0
    for finding in findings:
        told = context.text(f"find-{finding.kind}", place=shown(finding.place), detail=shown(finding.detail))
        context.say(f"{'!' if finding.is_fault else '-'} {told}")
    context.tell("doctor-index", **counts)
    context.tell("doctor-done", count=len(findings), faults=faults)
    if faults:
        print(f"shilu: doctor found {faults} fault(s); run it to read them", file=sys.stderr)
    return 1 if faults else 0


def _index(desk: Desk, context: Context) -> tuple[dict[str, int], list[Finding]]:
    """Counts of the vault and of the index, brought up to date, and what is wrong with it, proved by a real search."""
    notes, facts = list(desk.vault.note_ids()), desk.facts()
    findings = []
    known = sources(desk.vault, desk.ledger, context.settings, context.environment)
    engine = Engine.open(desk.vault, context.vault_cache, source=known)
    try:
        if engine.index.notice:
            findings.append(Finding("index-rebuilt", str(engine.index.folder), engine.index.notice))
        status = engine.status()
        findings += [Finding("index-stale", note, is_fault=True) for note in status.stale]
        if facts and not _finds(engine, facts[0].text, facts[0].id):
            findings.append(Finding("index-blind", str(engine.index.folder), facts[0].text, is_fault=True))
        found = sum(row.entry.kind == "fact" and row.entry.fact.note in notes for row in engine.index.every())
    finally:
        engine.close()
    if found != len(facts):
        findings.append(Finding("index-counts", str(found), str(len(facts)), is_fault=True))
    return {"notes": len(notes), "facts": len(facts), "indexed": found}, findings


def _finds(engine: Engine, text: str, identity: str) -> bool:
    """Whether a search for a fact's own words finds it, or one that says the same."""
    try:
        hits = engine.search(text, limit=10, history=True).hits
    except ShiluError:
        return False
    return any(fact.id == identity or fact.text == text for hit in hits for fact in (hit.fact, *hit.restatements))
