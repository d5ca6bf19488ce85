"""`shilu search QUERY`: the best facts, wrapped as data; 1 where nothing was found."""

from __future__ import annotations

import argparse
import json
import os
import sys
from datetime import date
from typing import Any

from shilu_core import hidden
from shilu_core.errors import UsageError
from shilu_core.index.source import Source
from shilu_core.recall import Engine, Hit, Recall
from shilu_core.recall.block import CLOSE, OPEN, neutral, render

from shilu_host import remote
from shilu_host.context import Context
from shilu_host.sources import sources, viewer_of

WIDEST = 20_000  # characters of a block on the terminal
FORMATS = ("full", "compact", "narrative")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUERY")
    parser.add_argument("--limit", type=int, default=8, help="at most so many hits (default 8)")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default=None,
        help="full: the block for a program; compact: id, fact and place, a line each; narrative: sentences "
        "(default: compact on a terminal, else full)",
    )
    parser.add_argument("--budget", type=int, default=WIDEST, metavar="CHARS", help="at most so many characters")
    parser.add_argument("--as-of", type=_day, metavar="DATE", help="what was in force on that day (YYYY-MM-DD)")
    parser.add_argument("--history", action="store_true", help="superseded facts, too")
    parser.add_argument("--explain", action="store_true", help="rank, score and weight of each hit in every stream")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--remote", metavar="URL", help="ask another machine's daemon (https, or a tunnel's end)")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no date; write it as 2026-11-30") from None


def _remote(arguments: argparse.Namespace, context: Context) -> int:
    """The other machine's answer, wrapped anew: what it sends is data like any other."""
    hits = remote.search(arguments.remote, arguments.query, arguments.limit, context.environment)["hits"]
    if arguments.json:
        context.say(json.dumps(hits, ensure_ascii=False, indent=2))
    elif hits:
        lines = [f"- {neutral(str(hit.get('text')))} ({neutral(str(hit.get('note')))})" for hit in hits]
        context.say("\n".join([OPEN, *lines, CLOSE]))
    else:
        context.tell("search-nothing")
    return 0 if hits else 1


def run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.limit < 1:
        raise UsageError(f"--limit is {arguments.limit}; ask for one hit at least")
    if arguments.remote:
        try:
            return _remote(arguments, context)
        except remote.RemoteSilent as error:
            print(f"shilu: {error}; searching the local index instead", file=sys.stderr)
    with context.ledger() as ledger:
        known = sources(context.vault, ledger, context.settings, context.environment)
        engine = opened(context, known)
        try:
            viewer = viewer_of(os.getcwd(), "")
            wide = known.widened(arguments.limit, viewer)
            found = engine.search(arguments.query, limit=wide, as_of=arguments.as_of, history=arguments.history)
            found = known.seen(found, arguments.limit, viewer)
            links = _links(engine, found) if arguments.explain else {}
        finally:
            engine.close()
    if arguments.json:
        context.say(json.dumps([as_json(hit) for hit in found.hits], ensure_ascii=False, indent=2))
    else:
        for line in (*found.notices, *(context.text("search-left-out", reason=reason) for reason in found.left_out)):
            print(line, file=sys.stderr)  # what stands on stdout is hits, for a program to read
        if found.hits and found.weak:
            context.complain("search-weak", answered=found.answered)
        form = arguments.format or ("compact" if sys.stdout.isatty() else "full")
        context.say(shown(found, context, form, arguments.budget))
        if arguments.explain:
            context.say(explained(found, links))
    return 0 if found.hits else 1


def opened(context: Context, source: Source) -> Engine:
    """The vault's engine; with the embedder only where vectors stand ready, so that nothing is embedded first."""
    cache = context.vault_cache
    if any(cache.glob("index/*/vectors/*")):
        from shilu_host.embedders import embedder

        return Engine.open(context.vault, cache, embedder=embedder(context), source=source)
    return Engine.open(context.vault, cache, source=source)


def shown(found: Recall, context: Context, form: str, budget: int) -> str:
    """The hits in one of `FORMATS`, cut to `budget` characters."""
    if not found.hits:
        return context.text("search-nothing")
    if form == "full":
        return render(found, max_chars=budget, language=context.language)
    lines: list[str] = []
    for hit in found.hits:
        line = _compact(hit) if form == "compact" else _sentence(hit, context.language)
        if sum(map(len, lines)) + len(lines) + len(line) <= budget:
            lines.append(line)
    return "\n".join(lines) if form == "compact" else (" " if context.language == "en" else "").join(lines)


def _compact(hit: Hit) -> str:
    former = "~ " if hit.fact.superseded else ""
    return f"{hit.fact.id}  {former}{neutral(hit.fact.text)}  [{hit.fact.note}:{hit.fact.line}]"


def _sentence(hit: Hit, language: str) -> str:
    fact, text = hit.fact, neutral(hit.fact.text).rstrip("。.")
    if language == "zh":
        origin = f"（{fact.written}，{fact.agent}）" if fact.written and fact.agent else ""
        return f"{'过去：' if fact.superseded else ''}{text}{origin}。"
    origin = f" ({fact.agent}, {fact.written})" if fact.written and fact.agent else ""
    return f"{'Formerly: ' if fact.superseded else ''}{text}{origin}."


def explained(found: Recall, links: dict[str, list[tuple[str, list[str]]]]) -> str:
    """A table of every hit's rank, score, weight and share in each stream, with what links it to other hits."""
    lines = ["", f"{'id':10}  {'fused':>7}  stream   rank    score   weight   share"]
    for hit in found.hits:
        for number, (name, rank) in enumerate(hit.streams.items()):
            head = f"{hit.fact.id:10}  {hit.score:7.3f}" if number == 0 else " " * 19
            share = rank.score * rank.weight
            lines.append(f"{head}  {name:7}  {rank.rank:4}  {rank.score:7.3f}  {rank.weight:7.4f}  {share:6.3f}")
        for thing, others in links.get(hit.fact.id, []):
            if others:
                lines.append(f"{'':21}over {neutral(thing)}: {', '.join(others[:6])}")
    return "\n".join(lines)


def _links(engine: Engine, found: Recall) -> dict[str, list[tuple[str, list[str]]]]:
    """For each hit the things it names and the other hits' neighbours over them."""
    from shilu_core.recall.network import neighbourhood, network

    graph = network(engine.index.every())
    return {hit.fact.id: neighbourhood(graph, hit.fact.id) for hit in found.hits}


def as_json(hit: Hit) -> dict[str, Any]:
    """One hit as plain values."""
    fact = hit.fact
    return {
        "id": fact.id,
        "text": fact.text,
        "shown": hidden.visible(fact.text),
        "note": fact.note,
        "line": fact.line,
        "kind": hit.kind,
        "written": str(fact.written or ""),
        "ended": str(fact.ended or ""),
        "agent": fact.agent,
        "superseded": fact.superseded,
        "restatements": [other.id for other in hit.restatements],
        "contradicts": [other.id for other in hit.contradicts],
        "score": hit.score,
        "streams": {
            name: {"rank": rank.rank, "score": rank.score, "weight": rank.weight} for name, rank in hit.streams.items()
        },
    }
