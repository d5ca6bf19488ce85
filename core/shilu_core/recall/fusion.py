"""Five rankings made one, on scores: a stream that found little cannot shout, whatever its ranks.

Lexical scores are divided by the best one, but by no less than a share of what the question could reach
(damping); cosines count above the store's mean. Reciprocal ranks were measured first and lose .03 nDCG to
this on the dev sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shilu_core.index.index import Index
from shilu_core.index.postings import term_key
from shilu_core.index.terms import speaker
from shilu_core.index.traits import CJK, CODE, CONTINUES, PASSAGE, SPOKEN, SUPERSEDED
from shilu_core.recall.context import Neighbours, neighbours, with_context
from shilu_core.recall.question import Question
from shilu_core.recall.ranking import EMPTY, Ranking, Rows, Scores
from shilu_core.recall.results import StreamRank
from shilu_core.recall.weights import WEIGHTS


@dataclass(frozen=True)
class Fused:
    """Candidate rows (ascending) with their scores, and each stream's share of them for `--explain`."""

    rows: Rows
    scores: Scores
    shares: Mapping[str, Scores]


def fuse(question: Question, index: Index, rankings: Mapping[str, Ranking], *, past: bool) -> Fused:
    """The scores of all rows that any of the streams proposes; superseded ones only for the past."""
    rows = _candidates(index, rankings, past)
    if not len(rows):
        return Fused(rows, np.zeros(0, np.float32), {})
    traits = index.traits[rows]
    beside = neighbours(index, rows)
    own = {name: ranking.at(rows) for name, ranking in rankings.items()}
    shares = _lexical(rankings, own, rows, beside)
    lexical = np.zeros(len(rows), np.float32)
    for share in shares.values():
        lexical = lexical + share
    total = lexical
    if "vector" in rankings and len(rankings["vector"].rows):
        meaning = _meaning(rankings["vector"], own["vector"], lexical, beside)
        other = (traits & CJK > 0) != question.cjk
        granted = np.maximum(lexical, WEIGHTS.across * meaning * lexical.max(initial=0.0))
        weight = _vector_weight(traits)
        level = (1.0 + WEIGHTS.vector) / (1.0 + weight)  # lines of all kinds on one scale
        shares = {name: np.asarray(share * level, np.float32) for name, share in shares.items()}
        shares["vector"] = np.asarray(weight * meaning * level, np.float32)
        total = np.where(other, granted, lexical) * level + shares["vector"]
    # Both multiply the evidence: what is no evidence of its own must not outvote a question's few words.
    total = total * (1.0 + WEIGHTS.speaker * _said(question, index, rows))
    total = total * (1.0 + WEIGHTS.states * (traits & question.asked > 0))
    total = np.where(traits & PASSAGE > 0, total * WEIGHTS.passage, total)
    return Fused(rows, total.astype(np.float32), shares)


def united(parts: Sequence[Fused]) -> Fused:
    """The candidates of several questions of one turn: a line is worth what it is to one of them."""
    if len(parts) == 1:
        return parts[0]
    rows = np.unique(np.concatenate([part.rows for part in parts])).astype(np.int32)
    scores = np.zeros(len(rows), np.float32)
    shares: dict[str, Scores] = {}
    for part in parts:
        peak = max(float(part.scores.max(initial=0.0)), 1e-9)
        place = np.searchsorted(rows, part.rows)
        scores[place] = np.maximum(scores[place], part.scores / peak)
        for name, values in part.shares.items():
            share = shares.setdefault(name, np.zeros(len(rows), np.float32))
            share[place] = np.maximum(share[place], values / peak)
    return Fused(rows, scores, shares)


def with_links(fused: Fused, links: Ranking) -> Fused:
    """The graph's rows among the others: each gets the score of its link, if that is more than its own."""
    if not len(links.rows):
        return fused
    rows = distinct([fused.rows, links.rows])
    place = np.searchsorted(rows, fused.rows)

    def spread(values: Scores) -> Scores:
        out = np.zeros(len(rows), np.float32)
        out[place] = values
        return out

    granted = links.at(rows)
    shares = {name: spread(values) for name, values in fused.shares.items()}
    return Fused(rows, np.maximum(spread(fused.scores), granted), {**shares, "graph": granted})


def _candidates(index: Index, rankings: Mapping[str, Ranking], past: bool) -> Rows:
    """What the streams propose, and the lines beside it in the same dialogue or paragraph."""
    found = distinct([ranking.rows for ranking in rankings.values()])
    if index.has_flows:
        behind = found[found + 1 < index.count] + 1
        behind = behind[index.traits[behind] & CONTINUES > 0]
        before = found[index.traits[found] & CONTINUES > 0] - 1
        found = distinct([found, behind, before])
    found = found[~index.dead[found]]
    if not past:
        found = found[index.traits[found] & SUPERSEDED == 0]
    return found


def distinct(parts: Sequence[Rows]) -> Rows:
    """The rows of all parts, each once, ascending; for some hundred rows a third of `np.unique`'s cost."""
    rows = np.concatenate([EMPTY.rows, *parts])
    rows.sort()
    return rows[np.flatnonzero(np.diff(rows, prepend=-1))]


def _lexical(
    rankings: Mapping[str, Ranking], own: Mapping[str, Scores], rows: Rows, beside: Neighbours | None
) -> dict[str, Scores]:
    """bm25 and bigram as one score over disjoint terms, trigram beside them, each with its neighbours'
    leak.
    """
    whole = 1.0 + WEIGHTS.trigram
    exact = 1.0 / (_peak(rankings, own, ("bm25", "bigram")) * whole)
    rough = WEIGHTS.trigram / (_peak(rankings, own, ("trigram",)) * whole)
    factors = {"bm25": exact, "bigram": exact, "trigram": rough}
    return {
        name: with_context(rankings[name].at, own[name], beside, WEIGHTS.turn, WEIGHTS.text) * np.float32(factor)
        for name, factor in factors.items()
    }


def _peak(rankings: Mapping[str, Ranking], own: Mapping[str, Scores], names: Sequence[str]) -> float:
    """The best score, but no less than a share of the highest possible one."""
    total = sum((own[name] for name in names[1:]), own[names[0]])
    return max(float(total.max()), WEIGHTS.damping * sum(rankings[name].ceiling for name in names), 1e-9)


def _meaning(ranking: Ranking, own: Scores, lexical: Scores, beside: Neighbours | None) -> Scores:
    """0 for an average line, 1 for the nearest; a line without a vector is taken at its lexical worth."""
    scores = with_context(ranking.at, own, beside, WEIGHTS.turn_meaning, WEIGHTS.text_meaning)
    near = np.asarray(scores / max(float(np.nanmax(own, initial=0.0)), 1e-6), np.float32)
    return np.where(np.isnan(near), lexical / max(float(lexical.max(initial=0.0)), 1e-6), near)


def _vector_weight(traits: NDArray[np.uint16]) -> Scores:
    special = np.where(traits & CODE > 0, WEIGHTS.code_vector, WEIGHTS.turn_vector)
    return np.where(traits & (CODE | SPOKEN) > 0, special, WEIGHTS.vector)


def _said(question: Question, index: Index, rows: Rows) -> Scores:
    """1 for the lines of a speaker whom the question names."""
    out = np.zeros(len(rows), np.float32)
    for said in index.fields["graph"].rows_with([term_key(speaker(word)) for word in sorted(question.words)]):
        if len(said):
            out[np.isin(rows, said)] = 1.0
    return out


def explained(fused: Fused, parts: Sequence[Mapping[str, Ranking]], rows: Sequence[int]) -> list[dict[str, StreamRank]]:
    """Each row's rank, score and weight (score times weight is its share of the fused score) in each stream.

    Of several questions the one counts that the stream ranks the row highest for.
    """
    wanted = np.array(rows, np.int32)
    places = np.searchsorted(fused.rows, wanted)
    out: list[dict[str, StreamRank]] = [{} for _ in rows]
    for name, ranking in ((name, ranking) for rankings in parts for name, ranking in rankings.items()):
        shares = fused.shares[name][places].tolist() if name in fused.shares else [0.0] * len(rows)
        for number, (score, share) in enumerate(zip(ranking.at(wanted).tolist(), shares, strict=True)):
            if not score > 0:
                continue
            found = np.flatnonzero(ranking.rows == rows[number])
            rank = int(found[0]) + 1 if len(found) else len(ranking.rows) + 1
            if name not in out[number] or rank < out[number][name].rank:
                out[number][name] = StreamRank(rank, score, share / score)
    return out
