"""`shilu review` (`promoter --review`): judges what waits, brings the lists up to date, prints a table."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from shilu_core.facts import Fact
from shilu_inbox.apply import entries
from shilu_inbox.desk import show
from shilu_inbox.lists import WAIT, Entry, old_text, shown
from shilu_inbox.review import Item, Review
from shilu_inbox.submissions import FACT_CHARACTERS
from shilu_inbox.texts import LABELS

from shilu_host.context import Context
from shilu_host.desks import open_desk
from shilu_host.review_table import show_items


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="the whole review as JSON")


def run(arguments: argparse.Namespace, context: Context) -> int:
    with open_desk(context, embed=True) as desk:
        found = show(desk)
        listed = entries(desk)
    if arguments.json:
        context.say(json.dumps(as_json(found, context), ensure_ascii=False, indent=2))
        return 0
    print_review(found, listed, context)
    if not getattr(arguments, "auto", False):  # `promoter --auto` goes on to apply by itself
        _tell_next(found, [entry.mark for entry in listed], context)
    return 0


def print_review(found: Review, listed: Sequence[Entry], context: Context) -> None:
    """What waits, then counts and age, what was refused, and where the lists lie.

    `listed` is what stands in the lists: the marks shown are the person's own.
    """
    marks = {entry.identity: entry.mark for entry in listed}
    waiting = [item for item in found.items if item.place in ("pending", "conflict")]
    if waiting:
        show_items(waiting, found, marks, context)
    context.say(counts_line(found, context))
    for arrival in found.quarantined:
        context.tell("quarantined-file", name=shown(arrival.name), secret=arrival.secret)
    for item in found.at("refused"):
        name = f"{item.submitted.submission}:{item.submitted.line}" if item.submitted.line else item.submitted.submission
        context.tell("refused-line", name=shown(name), reason=shown(item.judgement.reason))
    if waiting:
        context.say(str(context.vault.pending))
    if found.at("conflict"):
        context.say(str(context.vault.conflicts))


def _tell_next(found: Review, marks: Sequence[str], context: Context) -> None:
    """The commands that lead on from here."""
    ruled, open_ = sum(mark != WAIT for mark in marks), sum(mark == WAIT for mark in marks)
    settled = len(found.at("settled")) + len(found.at("refused"))
    if ruled:
        context.tell("review-apply", count=ruled)
    elif settled and not open_:
        context.tell("review-settle", count=settled)
    if open_:
        context.tell("review-rule", count=open_)


def counts_line(found: Review, context: Context) -> str:
    """`pending 3 | conflicts 1 | ...`, with the age of the oldest item."""
    labels = LABELS[context.language]
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
        parts.append(f"{words['oldest']} {age(context.now().timestamp() - found.oldest, context)}")
    return labels.separator.join(parts)


def age(seconds: float, context: Context) -> str:
    """An age as people say it: minutes up to two hours, hours up to two days, then days."""
    minutes = max(0, int(seconds // 60))
    if minutes < 120:
        return context.text("age-minutes", count=minutes)
    if minutes < 48 * 60:
        return context.text("age-hours", count=minutes // 60)
    return context.text("age-days", count=minutes // (24 * 60))


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
