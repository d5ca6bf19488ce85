"""`shilu graph`: what facts share, as a graph: export it, list its communities and its orphans."""

from __future__ import annotations

import argparse
import json

from shilu_core.recall import Engine
from shilu_core.recall.block import neutral

from shilu_host.context import Context

ACTIONS = ("export", "communities", "orphans")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=ACTIONS, help="the graph as JSON, groups of facts, or facts without links")
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace, context: Context) -> int:
    import networkx
    from shilu_core.recall.network import communities, network, orphans

    engine = Engine.open(context.vault, context.vault_cache)
    try:
        graph = network(row for row in engine.index.every() if row.entry.kind == "fact")
    finally:
        engine.close()
    if arguments.action == "export":
        context.say(json.dumps(networkx.node_link_data(graph, edges="edges"), ensure_ascii=False, indent=2))
        return 0
    groups = communities(graph) if arguments.action == "communities" else [[fact] for fact in orphans(graph)]
    if arguments.json:
        context.say(json.dumps(groups, ensure_ascii=False, indent=2))
        return 0
    if not groups:
        context.tell("graph-none")
    for number, group in enumerate(groups, 1):
        if arguments.action == "communities":
            context.tell("graph-group", number=number, count=len(group))
        for fact in group:
            context.say(f"  {fact}  {neutral(graph.nodes[fact]['text'])}")
    return 0
