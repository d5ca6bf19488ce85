"""A fact as counted features: pieces of its words, and the signs of the cue table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from shilu_core.folding import fold

from shilu_inbox.category_cues import CUES

_URL = re.compile(r"https?://\S+")
_PATH = re.compile(r"(?:~|[a-z]:)?(?:[/\\][\w.@{}<>-]+){2,}/?|~/\S+|[a-z]:\\\S*")
_HOST = re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}(?:[:/]\d+)?\b|\b[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?\b")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_TOKEN = re.compile(r"<[a-z]+>|[a-z][a-z'+#]*|[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]+")
_ENDING = re.compile(r"(?:'s|ies|ing|ed|es|s|ly)$")
_MOST_CUES = 2  # a third hit of one cue adds nothing
_LONGEST = 2000  # characters of a fact that are read; the first lines say what it is about


def features(text: str) -> dict[str, float]:
    """Feature name -> value: `c:` cues (0 to 1), `p:` pairs of cues, `w:` words and pairs, `h:` runs of Han."""
    folded = fold(text[:_LONGEST])
    found: dict[str, float] = {}
    cues = list(_cues(folded))
    for name, value in cues:
        found[f"c:{name}"] = value
    names = [name for name, _ in cues]
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            found[f"p:{first}+{second}"] = 0.5
    for piece in _pieces(_shapes(folded)):
        found[piece] = 1.0
    return found


def _cues(folded: str) -> Iterator[tuple[str, float]]:
    for name, pattern in CUES.items():
        hits = 0
        for _ in pattern.finditer(folded):
            hits += 1
            if hits == _MOST_CUES:
                break
        if hits:
            yield name, 0.7 + 0.3 * (hits - 1)


def _shapes(folded: str) -> str:
    """Addresses, paths and numbers by their kind, so that no single one is learned."""
    shaped = _PATH.sub(" <path> ", _URL.sub(" <url> ", folded))
    return _NUMBER.sub(" <number> ", _HOST.sub(" <host> ", shaped))


def _pieces(shaped: str) -> Iterator[str]:
    latin: list[str] = []
    for token in _TOKEN.findall(shaped):
        if token[0] < "\u3040":
            stem = _ENDING.sub("", token) if len(token) > 4 and token[0] != "<" else token
            latin.append(stem)
            yield f"w:{stem}"
        else:
            for size in (2, 3):
                for start in range(len(token) - size + 1):
                    yield f"h:{token[start : start + size]}"
    for first, second in pairwise(latin):
        yield f"w:{first} {second}"
