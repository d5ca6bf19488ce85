"""Values that were rejected, retracted or superseded before, recognised when they return."""

from __future__ import annotations

from collections.abc import Sequence

from shilu_core.facts import Fact

from shilu_inbox.judge.candidates import KnownCandidates
from shilu_inbox.judge.comparison import Pair, weight
from shilu_inbox.judge.weighing import Candidate, Opinion, opinion, pairs_of, weigh
from shilu_inbox.verdicts import Flag, FormerValue

_SUBJECT = 1.0  # weight of a subject: one name, one word of Latin letters, two of a Han run
_FATES = {
    "rejected": ("was rejected", "曾被拒绝"),
    "retracted": ("was retracted", "曾被撤回"),
    "superseded": ("was superseded", "曾被取代"),
}


class Former:
    """What stood, or was to stand, in the vault and does no longer."""

    def __init__(self, former: Sequence[FormerValue], superseded: Sequence[Fact]) -> None:
        self._values = [*former, *map(_value, superseded)]
        self._candidates = KnownCandidates([value.text for value in self._values])

    def flags(self, text: str, said: Opinion, language: str) -> tuple[Flag, ...]:
        """A flag if `text` says again what was put aside; a restatement of what holds today is none."""
        if not self._values or said.verdict == "duplicate":
            return ()
        rows = self._candidates.nearest(text)
        candidates = [Candidate(self._values[row].text, 0) for row in rows]
        pairs = pairs_of(text, candidates)
        again = opinion(weigh(pairs, candidates, None))
        if again.verdict != "duplicate" or again.choice is None or not _is_about_the_same(pairs[again.choice]):
            return ()
        value = self._values[rows[again.choice]]
        fate = _FATES[value.fate][1 if language == "zh" else 0]
        return (Flag("returned", " ".join(part for part in (fate, value.when) if part) + f": {value.text}"),)


def _is_about_the_same(pair: Pair) -> bool:
    """Whether neither names a subject that the other lacks: a weekly report on Fridays is no release on Fridays."""
    return pair.equal or all(
        sum(weight(token) for token in left if token.head) < _SUBJECT for left in (pair.new_left, pair.old_left)
    )


def _value(fact: Fact) -> FormerValue:
    return FormerValue(fact.text, "superseded", fact.ended.isoformat() if fact.ended else "")
