"""Which scripts a text is written in, and how much of it in each."""

from __future__ import annotations

import re
from collections.abc import Mapping

SCRIPTS = ("latin", "han", "kana", "hangul")  # latin stands for every script that is not East Asian

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_KANA = re.compile(r"[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9d]")
_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")
_OTHER_WORD = re.compile(r"[^\W\d_\u1100-\u11ff\u3041-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9d]+")

# A Latin word weighs as much as 1.5 East Asian characters: about one word of either language.
_WORD_WEIGHT = 1.5


def shares(text: str) -> Mapping[str, float]:
    """How much of `text` stands in each script, summing to 1; Han beside kana is Japanese and counts as
    kana."""
    han, kana, hangul = (len(pattern.findall(text)) for pattern in (_HAN, _KANA, _HANGUL))
    if kana:
        han, kana = 0, han + kana
    weights = {
        "latin": _WORD_WEIGHT * len(_OTHER_WORD.findall(text)),
        "han": han,
        "kana": kana,
        "hangul": hangul,
    }
    total = sum(weights.values())
    if not total:
        return {"latin": 1.0}
    return {script: weight / total for script, weight in weights.items() if weight}


def scripts_of(text: str) -> frozenset[str]:
    """The scripts of `text`; Latin words inside an East Asian line do not make it a Latin one."""
    found = shares(text)
    east_asian = frozenset(found) - {"latin"}
    return east_asian or frozenset({"latin"})
