"""All numbers of the ranking, fitted by `bench/fit_fusion.py` on the dev sets; reasons stand beside them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Weights:
    """Few numbers, each with a reason; changing one means running the script again."""

    trigram: float = 0.3  # beside words and pairs: enough for typos, too little to outvote a whole word
    vector: float = 1.25  # beside all lexical evidence together
    damping: float = 0.25  # a query whose best line covers less than this of its idf mass cannot shout
    across: float = 0.9  # lexical evidence that a line in another script is granted by its vector
    turn_leak: float = 0.2  # of a dialogue line's lexical score, to the lines before and behind it
    answer_leak: float = 0.3  # more of it from a question to the line behind
    text_leak: float = 0.1  # of a passage's, to the other pieces of its paragraph
    speaker: float = 0.5  # a line said by somebody whom the query names
    link: float = 0.9  # a linked line that states what was asked, as a share of the line that leads to it
    other_link: float = 0.5  # the same for one that does not
    mention: float = 0.9  # a line that names the shared thing beside one that is about it
    near_copy: float = 0.4  # how much of its place a near copy of a better line loses
    passage: float = 0.9  # other text of a note beside its facts


WEIGHTS = Weights()
DEPTH = 200  # rows each stream proposes
SEEDS = 5  # best lines whose entities are followed
PER_SEED = 2  # lines that one seed may bring in
HOPS = 2
NEAR_COPY_DEPTH = 40
