"""What the streams found beyond the hits, for the question whether the hits answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shilu_core.index.index import Index
from shilu_core.index.postings import term_key
from shilu_core.recall.abstain import NEAREST, Evidence
from shilu_core.recall.ranking import EMPTY, Ranking


def evidence_of(index: Index, parts: Sequence[Mapping[str, Ranking]], model_id: str = "") -> Evidence:
    """The evidence of a turn; of several questions in it the one with the nearest line speaks.

    `model_id` names the embedder that the vector stream used.
    """

    def lines_with(field: str, token: str) -> int:
        return index.fields[field].holding(term_key(token))

    nearest = [rankings.get("vector", EMPTY).scores[:NEAREST].tolist() for rankings in parts]
    shares = [_share(rankings.get("bm25", EMPTY)) for rankings in parts]
    return Evidence(
        max(nearest, key=lambda scores: scores[0] if scores else 0.0, default=[]),
        max((share for share in shares if share is not None), default=0.5),
        lines_with,
        index.count,
        model_id,
    )


def _share(ranking: Ranking) -> float | None:
    """Best score as a share of the highest possible; None for a question without words."""
    if not ranking.ceiling > 0:
        return None
    return float(ranking.scores[0]) / ranking.ceiling if len(ranking.scores) else 0.0
