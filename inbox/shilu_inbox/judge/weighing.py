"""One submitted fact against all its candidates: what the model makes of each pair, and of all together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from shilu_inbox.judge.analysis import analyse, below
from shilu_inbox.judge.comparison import Pair, compare
from shilu_inbox.judge.features import features
from shilu_inbox.judge.model import VERDICTS, Numbers, model
from shilu_inbox.judge.vectors import Likeness

# Both weighed on the own cases with a theme left out (bench/fit_judge.py). A duplicate vanishes, so its share
# among the three verdicts on related pairs is lowered: .5 keeps the rest that is called duplicate near 2 %.
DUPLICATE_CAUTION = 0.5
# A pair is about one thing if it is at least so likely not to be `new`. Below one half, since a contradiction
# that goes in unseen costs more than one more question to a person.
RELATED = 0.35
# What holds in one environment says nothing about another: of 64 such pairs among the own cases none is related.
OTHER_ENVIRONMENT = 0.25
_ALONE = 0.5  # lead of a candidate that has no rival, a usual lead among the cases
_ALONE_IN_MEANING = 1.0
_MOST_LEAD, _MOST_LEAD_IN_MEANING = 1.0, 3.0


@dataclass(frozen=True)
class Candidate:
    """A text that may concern the submitted one; candidates of one `topic` do not rival each other."""

    text: str
    topic: Hashable
    heading: str = ""  # above it in its note; one that names an environment speaks for what stands below


@dataclass(frozen=True)
class Weighed:
    """What became of one candidate: the comparison and the probabilities of the four verdicts."""

    pair: Pair
    chances: Numbers  # (4,)
    likeness: float | None  # deviations above unrelated lines

    @property
    def related(self) -> float:
        return 1.0 - float(self.chances[0])

    @property
    def similarity(self) -> float:
        """0 to 1, for showing: the mean of both covers and the shared letters."""
        shared = len(self.pair.new.grams & self.pair.old.grams)
        dice = 2 * shared / max(1, len(self.pair.new.grams) + len(self.pair.old.grams))
        return (self.pair.new_cover + self.pair.old_cover + dice) / 3


@dataclass(frozen=True)
class Opinion:
    """The verdict on one fact: `choice` is the candidate concerned, None for `new`."""

    verdict: str
    choice: int | None
    confidence: float


def rows(pairs: Sequence[Pair], topics: Sequence[Hashable], likeness: Sequence[float | None]) -> list[dict[str, float]]:
    """The features of each pair, those that compare it with its rivals included.

    A row whose likeness is known fits the model with vectors, the others the one without.
    """
    found = [features(pair) for pair in pairs]
    nearness = [row["new_cover"] + row["old_cover"] + row["gram_dice"] for row in found]
    for at, row in enumerate(found):
        rivals = [other for other in range(len(pairs)) if topics[other] != topics[at]]
        row["lead"] = _lead(nearness[at], [nearness[rival] for rival in rivals], _MOST_LEAD, _ALONE)
        meant = likeness[at]
        if meant is not None:
            others = [value for rival in rivals if (value := likeness[rival]) is not None]
            row["likeness"] = meant
            row["likeness_across"] = meant * row["scripts_differ"]
            row["likeness_lead"] = _lead(meant, others, _MOST_LEAD_IN_MEANING, _ALONE_IN_MEANING)
    return found


def _lead(value: float, rivals: Sequence[float], most: float, alone: float) -> float:
    return max(-most, min(most, value - max(rivals))) if rivals else alone


def pairs_of(text: str, candidates: Sequence[Candidate]) -> list[Pair]:
    """Every candidate side by side with `text`."""
    new = analyse(text)
    return [compare(new, below(analyse(candidate.text), candidate.heading)) for candidate in candidates]


def weigh(pairs: Sequence[Pair], candidates: Sequence[Candidate], likeness: Likeness | None) -> list[Weighed]:
    """What the models make of each pair; `likeness` has learned the texts that it is to compare."""
    meant = [likeness.between(pair.new.text, pair.known) if likeness else None for pair in pairs]
    found = rows(pairs, [candidate.topic for candidate in candidates], meant)
    chances = np.zeros((len(pairs), len(VERDICTS)))
    for with_vectors in (False, True):
        here = [at for at, value in enumerate(meant) if (value is not None) == with_vectors]
        if here:
            chances[here] = model(with_vectors).probabilities([found[at] for at in here])
    for at, row in enumerate(found):
        if row["environment_differs"]:
            chances[at, 1:] *= OTHER_ENVIRONMENT
            chances[at, 0] = 1.0 - chances[at, 1:].sum()
        if pairs[at].chosen:
            chances[at] = _by_choice(chances[at], pairs[at])
    return [Weighed(*weighed) for weighed in zip(pairs, chances, meant, strict=True)]


def _by_choice(chances: Numbers, pair: Pair) -> Numbers:
    """Choices between the same two things: alike ones do not contradict, turned ones do, though they share every word."""
    new, duplicate, conflict, supersede = chances
    if pair.chosen == "turned":
        return np.array([new, 0.0, conflict + duplicate / 2, supersede + duplicate / 2])
    if pair.new_values or pair.old_values:
        return chances
    return np.array([new, duplicate + conflict + supersede, 0.0, 0.0])


def opinion(weighed: Sequence[Weighed]) -> Opinion:
    """The verdict that the chances of all candidates together give."""
    equal = [at for at, one in enumerate(weighed) if one.pair.equal]
    if equal:
        return Opinion("duplicate", equal[0], 1.0)
    if not weighed:
        return Opinion("new", None, 1.0)
    choice = max(range(len(weighed)), key=lambda at: weighed[at].related)
    return decide(np.array([one.chances for one in weighed]), choice)


def decide(chances: Numbers, choice: int) -> Opinion:
    """The verdict from the chances (candidates, 4) of which `choice` is the most related."""
    related = 1.0 - float(chances[choice, 0])
    if related < RELATED:
        return Opinion("new", None, 1.0 - related)
    shares = chances[choice, 1:] / max(related, 1e-9)
    shares = np.array([shares[0] - DUPLICATE_CAUTION, shares[1], shares[2]])
    verdict = int(shares.argmax())
    return Opinion(VERDICTS[verdict + 1], choice, float(chances[choice, verdict + 1]))
