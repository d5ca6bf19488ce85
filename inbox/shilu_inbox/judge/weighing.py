"""One submitted fact against all its candidates: what the model makes of each pair, and of all together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from shilu_inbox.judge.analysis import analyse
from shilu_inbox.judge.comparison import Pair, compare
from shilu_inbox.judge.features import features
from shilu_inbox.judge.model import VERDICTS, Numbers, model
from shilu_inbox.judge.vectors import Likeness

# Both weighed on the own cases with a theme left out (bench/fit_judge.py). A duplicate vanishes, so its share
# among the three verdicts on related pairs is lowered: .4 keeps the rest that is called duplicate near 2 %.
DUPLICATE_CAUTION = 0.4
# A pair is about one thing if it is at least so likely not to be `new`. Below one half, since a contradiction
# that goes in unseen costs more than one more question to a person.
RELATED = 0.35
