"""Recall: the few facts of a vault that matter for a question, or none."""

from shilu_core.recall.engine import Engine
from shilu_core.recall.results import Hit, Recall, StreamRank

__all__ = ["Engine", "Hit", "Recall", "StreamRank"]
