"""The vault as a networkx graph: for `--explain` and `shilu graph`; the search path never imports this.

Nodes are facts (their id) and things (`kind:key`); an edge says that a fact names a thing, or links a note.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from shilu_core.entities import Entity, defined_names, entities
from shilu_core.index.rows import Row

if TYPE_CHECKING:
    import networkx

    Graph = networkx.Graph[str]

MOST_SHARED = 50  # a thing that more facts name joins nothing


def network(rows: Iterable[Row]) -> Graph:
    """Facts and the things they name; plain words are things where some line defines them."""
    import networkx

    kept = list(rows)
    names = defined_names(row.entry.fact.text for row in kept)
    graph: Graph = networkx.Graph()
    for row in kept:
        fact = row.entry.fact
        graph.add_node(fact.id, kind="fact", text=fact.text, note=fact.note, superseded=fact.superseded)
        for entity in entities(fact.text, names):
            thing = thing_id(entity)
            graph.add_node(thing, kind="thing", text=entity.key)
            graph.add_edge(fact.id, thing)
    return graph


def thing_id(entity: Entity) -> str:
    """One node a thing, whatever form it was found by."""
    return f"thing:{entity.key}"


def orphans(graph: Graph) -> list[str]:
    """Facts that share no thing with any other fact."""
    return [
        node
        for node, data in graph.nodes(data=True)
        if data["kind"] == "fact" and all(graph.degree(thing) == 1 for thing in graph[node])
    ]


def communities(graph: Graph) -> list[list[str]]:
    """Groups of facts that name the same things, largest first (Louvain over facts joined by shared things)."""
    import networkx

    joined: Graph = networkx.Graph()
    for thing, data in graph.nodes(data=True):
        facts = sorted(graph[thing]) if data["kind"] == "thing" else []
        if 2 <= len(facts) <= MOST_SHARED:
            for one, other in itertools.combinations(facts, 2):
                weight = joined.get_edge_data(one, other, {"weight": 0.0})["weight"]
                joined.add_edge(one, other, weight=weight + 1 / (len(facts) - 1))
    found = networkx.community.louvain_communities(joined, seed=7)
    return sorted((sorted(group) for group in found), key=lambda group: (-len(group), group))


def neighbourhood(graph: Graph, fact: str) -> list[tuple[str, list[str]]]:
    """The things a fact names, each with the other facts that name it."""
    if fact not in graph:
        return []
    return [(graph.nodes[thing]["text"], sorted(set(graph[thing]) - {fact})) for thing in sorted(graph[fact])]
