"""What a line gains from its neighbours in the same dialogue or paragraph.

Who answers a question need not repeat its words, and a sentence leaves out what the one before it named. Measured on
dialogues: a fifth to a third of a line's lexical score to its neighbours, more from a question to its answer, and a
little to all lines of a session that is about the matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shilu_core.index.index import Index
from shilu_core.index.traits import ASKS, CONTINUES, TURN
from shilu_core.recall.ranking import Rows, Scores
from shilu_core.recall.weights import Flow

_BEST = 2  # lines of a flow that tell whether it is about the matter


@dataclass(frozen=True)
class Neighbours:
    """Rows beside each candidate in its flow: -1 where there is none; `turn` marks lines of dialogues."""

    before: NDArray[np.int64]
    behind: NDArray[np.int64]
    second_before: NDArray[np.int64]
    second_behind: NDArray[np.int64]
    answers: NDArray[np.bool_]  # the row before asks
    turn: NDArray[np.bool_]
    flow: NDArray[np.int64]  # number of the flow, -1 for a line that stands alone


def neighbours(index: Index, rows: Rows) -> Neighbours | None:
    """The neighbours of candidate rows, None where no candidate has any."""
    goes_on = index.traits & CONTINUES > 0 if index.has_flows else None
    if goes_on is None:
        return None
    before = np.where(goes_on[rows], rows - 1, -1)
    second_before = np.where((before >= 0) & goes_on[before], before - 1, -1)
    behind = _following(goes_on, rows.astype(np.int64), rows >= 0)
    second_behind = _following(goes_on, behind, behind >= 0)
    alone = (before < 0) & (behind < 0)
    if alone.all():
        return None
    answers = (before >= 0) & (index.traits[before] & ASKS > 0)
    flow = np.where(alone, -1, index.flows[rows])
    return Neighbours(before, behind, second_before, second_behind, answers, index.traits[rows] & TURN > 0, flow)


def _following(goes_on: NDArray[np.bool_], rows: NDArray[np.int64], known: NDArray[np.bool_]) -> NDArray[np.int64]:
    last = len(goes_on) - 1
    following = np.minimum(rows + 1, last)
    return np.where(known & (rows < last) & goes_on[following], following, -1).astype(np.int64)


def with_context(
    at: Callable[[Rows], Scores], scores: Scores, beside: Neighbours | None, turn: Flow, text: Flow
) -> Scores:
    """`scores` of the candidates with what their neighbours, scored by `at`, lend them."""
    if beside is None:
        return scores
    out = scores.astype(np.float32, copy=True)
    for places, name in (
        (beside.before, "near"),
        (beside.behind, "near"),
        (beside.second_before, "far"),
        (beside.second_behind, "far"),
    ):
        share = np.where(beside.turn, getattr(turn, name), getattr(text, name)).astype(np.float32)
        if places is beside.before:
            share = share + np.where(beside.answers, np.where(beside.turn, turn.answer, text.answer), 0.0)
        known = np.flatnonzero((places >= 0) & (share > 0))
        if len(known):
            out[known] += share[known] * np.nan_to_num(at(places[known].astype(np.int32)))
    return out + _of_flow(scores, beside, turn, text)


def _of_flow(scores: Scores, beside: Neighbours, turn: Flow, text: Flow) -> Scores:
    """A share of the mean of the best lines of each flow, for all its lines."""
    clean = np.nan_to_num(scores)
    order = np.lexsort((clean, beside.flow))  # by flow, the best line of each last
    flows, starts, sizes = np.unique(beside.flow[order], return_index=True, return_counts=True)
    total = np.zeros(len(flows), np.float32)
    for place in range(1, _BEST + 1):
        enough = sizes >= place
        total[enough] += clean[order[(starts + sizes - place)[enough]]]
    share = np.where(beside.turn[order[starts]], turn.whole, text.whole) * (flows >= 0)
    out = np.zeros(len(scores), np.float32)
    out[order] = np.repeat(share * total / _BEST, sizes)
    return out
