"""The five streams, one module each: five ways of ranking the same lines for a question.

bm25, bigram and trigram need the question only; vector its vector; graph the best lines of the others.
"""

from __future__ import annotations

from types import ModuleType

from shilu_core.recall.streams import bigram, bm25, graph, trigram, vector

STREAMS: dict[str, ModuleType] = {
    "bm25": bm25,
    "bigram": bigram,
    "trigram": trigram,
    "vector": vector,
    "graph": graph,
}
