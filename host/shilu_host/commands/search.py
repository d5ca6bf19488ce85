"""`shilu search QUERY`: the best facts, wrapped as data; 1 where nothing was found."""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

from shilu_core import hidden
from shilu_core.recall import Engine, Hit, Recall
from shilu_core.recall.block import render

from shilu_host.context import Context
from shilu_host.sources import sources, viewer_of

WIDEST = 20_000  # characters of a block on the terminal


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUERY")
    parser.add_argument("--limit", type=int, default=8, help="at most so many hits (default 8)")
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace, context: Context) -> int:
    limit = max(1, arguments.limit)
    with context.ledger() as ledger:
        known = sources(context.vault, ledger, context.settings, context.environment)
        engine = Engine.open(context.vault, context.vault_cache, source=known)
        try:
            viewer = viewer_of(os.getcwd(), "")
            found = known.seen(engine.search(arguments.query, limit=known.widened(limit, viewer)), limit, viewer)
        finally:
            engine.close()
    if arguments.json:
        context.say(json.dumps([as_json(hit) for hit in found.hits], ensure_ascii=False, indent=2))
    else:
        context.say(text_of(found, context))
    return 0 if found.hits else 1


def text_of(found: Recall, context: Context) -> str:
    if not found.hits:
        return "没有找到。" if context.language == "zh" else "no matches"
    return render(found, max_chars=WIDEST, language=context.language)


def as_json(hit: Hit) -> dict[str, Any]:
    fact = hit.fact
    return {
        "id": fact.id,
        "text": fact.text,
        "shown": hidden.visible(fact.text),
        "note": fact.note,
        "line": fact.line,
        "written": str(fact.written or ""),
        "agent": fact.agent,
        "superseded": fact.superseded,
        "score": hit.score,
        "streams": {
            name: {"rank": rank.rank, "score": rank.score, "weight": rank.weight} for name, rank in hit.streams.items()
        },
    }
