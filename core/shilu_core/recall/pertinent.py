"""Which hits belong into a block that nobody asked for.

A search fills up to its limit with what is left. Whoever searched may want to see it; put into a turn, it distracts.
"""

from __future__ import annotations

from dataclasses import replace

from shilu_core.recall.results import Hit, Recall

# Share of the best score that a line needs. Measured on two vaults, with and without an embedder: 96 to 100 of 100
# facts that answer have it, and 44 to 77 of 100 other lines.
PERTINENT = 0.5


def pertinent(recall: Recall) -> Recall:
    """The hits near the best one, and those that a stream ranks first by itself."""
    best = max((hit.score for hit in recall.hits), default=0.0)
    return replace(recall, hits=tuple(hit for hit in recall.hits if hit.score >= PERTINENT * best or _is_first(hit)))


def _is_first(hit: Hit) -> bool:
    """Whether the line has evidence of its own; the graph only follows the other streams."""
    return any(found.rank == 1 for name, found in hit.streams.items() if name != "graph")
