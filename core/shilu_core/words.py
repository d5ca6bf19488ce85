"""Text as search tokens: words and identifiers, Han/Kana/Hangul characters and pairs, character trigrams.

One pass folds the text (NFKC, simplified Han, case) and cuts it into runs of one script; the three token
kinds are read off the runs. A question and a stored line go through the same functions.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from operator import add

from shilu_core.folding import simplify
from shilu_core.stopwords import ENGLISH, FUNCTION_CHARACTERS, is_function_run

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f\u3005\u3007"
_KANA = "\u3040-\u30ff\u31f0-\u31ff"
_HANGUL = "\uac00-\ud7af\u1100-\u11ff\u3130-\u318f"
CJK = _HAN + _KANA + _HANGUL
_HAS_HAN = re.compile(f"[{_HAN}]")
_RUN = re.compile(f"(?P<cjk>[{CJK}]+)|(?P<word>[^\\W_{CJK}]+(?:[._\\-/:@+#]+[^\\W_{CJK}]+)*)")
_PART = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LETTER_DIGIT = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
LONGEST_WORD = 64  # longer runs are base64, hashes and the like: their head is enough to find them


@dataclass(frozen=True)
class Tokens:
    """The search tokens of one text, repeats included."""

    words: tuple[str, ...]  # stemmed words, identifiers whole and split
    pairs: tuple[str, ...]  # CJK characters and pairs
    trigrams: tuple[str, ...]


@lru_cache(maxsize=1)
def _stemmer():  # type: ignore[no-untyped-def]  # snowballstemmer has no types
    from snowballstemmer import stemmer

    return stemmer("english")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Snowball's English stem; words of other scripts and with digits stay as they are."""
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    return str(_stemmer().stemWord(word))


@lru_cache(maxsize=20_000)
def _plain(word: str) -> str:
    """`word` without diacritics; scripts where marks are letters (Indic, Hebrew...) stay."""
    if word.isascii():
        return word
    bare = "".join(c for c in unicodedata.normalize("NFD", word) if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFC", bare)


def normalise(text: str) -> str:
    """NFKC with Han simplified; case is kept, since it marks word borders in identifiers."""
    text = unicodedata.normalize("NFKC", text)
    return simplify(text) if _HAS_HAN.search(text) else text


@lru_cache(maxsize=20_000)
def _identifier(run: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(search words, plain parts) of one run such as `order-svc`, `parseHTTPBody`, `v1.2.3`, `/srv/www`."""
    run = run[:LONGEST_WORD]
    parts = [_plain(part.casefold()) for part in _PART.findall(run)]
    words = [stem(part) for part in parts if part not in ENGLISH]
    whole = _plain(run.casefold())
    if len(parts) > 1:
        words.append(whole)
    for part in _PART.findall(run):
        pieces = [piece.casefold() for camel in _CAMEL.split(part) for piece in _LETTER_DIGIT.split(camel)]
        if len(pieces) > 1:
            words += [stem(piece) for piece in pieces if len(piece) > 1 and piece not in ENGLISH]
    return tuple(words), tuple(part for part in parts if part not in ENGLISH)


def tokens(text: str) -> Tokens:
    """All search tokens of `text`; a text of nothing but function words keeps them."""
    words: list[str] = []
    pairs: list[str] = []
    trigrams: list[str] = []
    function: list[str] = []
    for run, word in _RUN.findall(normalise(text)):
        if run:
            pairs += _pairs(run)
            trigrams += _grams(run)
            continue
        found, parts = _identifier(word)
        words += found
        for part in parts:
            trigrams += _grams(part)
        if not found:
            function.append(word.casefold())
    if not words and not pairs:
        words = function
    return Tokens(tuple(words), tuple(pairs), tuple(trigrams))


@dataclass(frozen=True)
class Content:
    """The words and pairs that a text holds, each once."""

    words: frozenset[str]
    pairs: frozenset[str]


@lru_cache(maxsize=512)  # a turn looks at fewer than a hundred lines, at most of them more than once
def content(text: str) -> Content:
    """The words and pairs of `tokens`, remembered: a search compares the same few lines again and again."""
    found = tokens(text)
    return Content(frozenset(found.words), frozenset(found.pairs))


def _pairs(run: str) -> list[str]:
    """Characters and pairs, but for those that are made of function characters."""
    found = [*run, *map(add, run, run[1:])]
    if FUNCTION_CHARACTERS.isdisjoint(run):
        return found
    return [token for token in found if not is_function_run(token)]


def _grams(run: str) -> list[str]:
    return [run] if len(run) < 3 else [run[i : i + 3] for i in range(len(run) - 2)]


def is_cjk(text: str) -> bool:
    """Whether over 15 % of the characters are Han, Kana or Hangul; names in Latin letters are common."""
    count = len(_CJK_CHARACTER.findall(text))
    return count > 0.15 * max(1, len(text))


_CJK_CHARACTER = re.compile(f"[{CJK}]")
