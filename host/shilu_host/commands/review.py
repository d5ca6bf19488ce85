"""`shilu review` (`promoter --review`): judges what waits, brings the lists up to date, prints a table."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from shilu_core.facts import Fact
from shilu_inbox.desk import show
from shilu_inbox.lists import old_text, shown
from shilu_inbox.review import Item, Review
from shilu_inbox.submissions import FACT_CHARACTERS
from shilu_inbox.texts import LABELS, Labels

from shilu_host.context import Context
from shilu_host.desks import open_desk

if TYPE_CHECKING:
    from rich.table import Table

SHORT = 160  # characters of a text in the table


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="the whole review as JSON")


def run(arguments: argparse.Namespace, context: Context) -> int:
    with open_desk(context, embed=True) as desk:
        found = show(desk)
    if arguments.json:
        context.say(json.dumps(as_json(found, context), ensure_ascii=False, indent=2))
        return 0
    print_review(found, context)
    return 0


def print_review(found: Review, context: Context) -> None:
    """The table of what waits, then counts, the oldest item's age, and where the lists lie."""
    labels = LABELS[context.vault.layout.language]
    waiting = [item for item in found.items if item.place in ("pending", "conflict")]
    if waiting:
        context.console.print(_table(waiting, found, labels))
    context.say(counts_line(found, labels, context))
    for arrival in found.quarantined:
        context.say(f"! {labels.words['quarantined']}: {shown(arrival.name)} ({arrival.secret})")
    for item in found.at("refused"):
        name = f"{item.submitted.submission}:{item.submitted.line}"
        context.say(f"- {labels.words['refused']}: {shown(name)}: {shown(item.judgement.reason)}")
    if waiting:
        context.say(str(context.vault.pending))
    if found.at("conflict"):
        context.say(str(context.vault.conflicts))


def counts_line(found: Review, labels: Labels, context: Context) -> str:
    """`pending 3 | conflicts 1 | ...`, with the age of the oldest item in days."""
    words = labels.words
    restatements = sum(len(item.restatements) for item in found.items)
    parts = [
        f"{words['pending']} {len(found.at('pending'))}",
        f"{words['conflicts']} {len(found.at('conflict'))}",
        f"{words['duplicates']} {len(found.at('settled')) + restatements}",
        f"{words['refused']} {len(found.at('refused'))}",
    ]
    if found.unsettled:
        parts.append(f"{words['unsettled']} {len(found.unsettled)}")
    if found.oldest is not None:
        age = max(0.0, context.now().timestamp() - found.oldest) / 86400
        parts.append(f"{words['oldest']} {age:.1f} {words['days']}")
    return labels.separator.join(parts)


def as_json(found: Review, context: Context) -> dict[str, Any]:
    """The review as plain values; hidden characters stay as they are, JSON escapes nothing for a person here."""
    oldest = found.oldest
    return {
        "vault": str(context.vault.folder),
        "items": [_item(item, found) for item in found.items],
        "quarantined": [{"name": arrival.name, "secret": arrival.secret} for arrival in found.quarantined],
        "unsettled": list(found.unsettled),
        "oldestSeconds": None if oldest is None else max(0.0, context.now().timestamp() - oldest),
    }


def _item(item: Item, found: Review) -> dict[str, Any]:
    judgement = item.judgement
    return {
        "id": item.id,
        "place": item.place,
        "verdict": item.verdict,
        "text": item.submitted.text[:FACT_CHARACTERS],
        "shown": shown(item.submitted.text),
        "old": old_text(item, found),
        "category": judgement.category,
        "note": judgement.note,
        "reason": judgement.reason,
        "confidence": judgement.confidence,
        "ticked": item.is_ticked,
        "contested": item.contested,
        "other": item.other,
        "flags": [{"kind": flag.kind, "detail": flag.detail} for flag in judgement.flags],
        "target": _fact(judgement.target),
        "nearest": [{"similarity": near.similarity, **(_fact(near.fact) or {})} for near in judgement.nearest],
        "evidence": dict(judgement.evidence),
        "source": {"submission": item.submitted.submission, "line": item.submitted.line, "agent": item.submitted.agent},
        "restatements": [
            {"submission": one.submission, "line": one.line, "text": one.text} for one in item.restatements
        ],
    }


def _fact(fact: Fact | None) -> dict[str, Any] | None:
    if fact is None:
        return None
    return {"id": fact.id, "text": fact.text, "note": fact.note, "line": fact.line, "written": str(fact.written or "")}


def _table(waiting: list[Item], found: Review, labels: Labels) -> Table:
    from rich.table import Table

    table = Table(show_lines=True)
    for name in ("mark", "item", "verdict", "fact", "note", "reason"):
        table.add_column(labels.words[name], overflow="fold")
    for item in waiting:
        text = shown(item.submitted.text)[:SHORT]
        old = old_text(item, found)
        if old:
            text += f"\n← {shown(old)[:SHORT]}"
        reason = shown(item.judgement.reason)
        reason += "".join(f"\n⚠ {labels.flags[flag.kind]}: {shown(flag.detail)}" for flag in item.judgement.flags)
        mark = "x" if item.is_ticked else "?" if item.place == "conflict" else " "
        name = f"{item.submitted.agent}\n{item.id}"
        table.add_row(f"[{mark}]", name, labels.verdicts[item.verdict], text, item.judgement.note, reason)
    return table
