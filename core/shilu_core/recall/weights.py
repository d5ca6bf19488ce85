"""All numbers of the ranking, fitted by `bench/fit_fusion.py` on the dev sets; reasons stand beside them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Flow:
    """Shares of a line's score that its neighbours in a dialogue or paragraph get."""

    near: float = 0.0  # the lines right before and behind
    far: float = 0.0  # the ones next to these
    answer: float = 0.0  # more of a question's, for the line behind it
    whole: float = 0.0  # of the mean of the flow's best lines, for all its lines


@dataclass(frozen=True)
class Weights:
    """Few numbers, each with a reason; changing one means running the script again."""

    trigram: float = 0.3  # beside words and pairs: enough for typos, too little to outvote a whole word
    vector: float = 1.0  # beside all lexical evidence together
    turn_vector: float = 0.7  # the same for a line of a dialogue: small talk is near to everything
    code_vector: float = 3.0  # the same for program text: it seldom has the words that a person asks with
    damping: float = 0.3  # a query whose best line covers less than this of its idf mass cannot shout
    across: float = 0.9  # lexical evidence that a line in another script is granted by its vector
    turn: Flow = Flow(near=0.2, far=0.15, answer=0.4, whole=0.7)  # a dialogue is about one matter for a while
    text: Flow = Flow(near=0.1, whole=0.1)
    turn_meaning: Flow = Flow(whole=0.15)  # a turn is embedded with the one before it: nothing more from beside
    text_meaning: Flow = Flow(near=0.1, whole=0.35)  # a paragraph is about one matter, whatever its words
    speaker: float = 0.6  # gain of a line said by somebody whom the query names, as a share of its evidence
    states: float = 0.1  # the same for one that states what is asked for: a time, a number, a port, a person
    link: float = 0.9  # a linked line that states what was asked, as a share of the line that leads to it
    bridge: float = 0.8  # the same for one that says on which machine to look for the address or port that was asked
    rare: float = 0.8  # a line that shares rare words beside one that is about a shared thing
    other_link: float = 0.5  # a linked line that does neither
    mention: float = 0.9  # a line that names the shared thing beside one that is about it
    passage: float = 0.9  # other text of a note beside its facts


WEIGHTS = Weights()
DEPTH = 200  # rows each stream proposes
SEEDS = 5  # best lines whose entities are followed
PER_SEED = 2  # lines that one seed may bring in
HOPS = 2
MOST_CHOSEN = 40  # candidates that are read from the index for a few hits; some of them restate each other
