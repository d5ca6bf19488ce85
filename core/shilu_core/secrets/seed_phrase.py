"""Seed phrases: a run of twelve or more words of the BIP-39 English list (bitcoin/bips, bip-0039/english.txt)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

_SHORTEST = 12
_WORD = re.compile(r"[a-z]{3,8}")
_GAP = re.compile(r"[\s,;.:、\-\d()|#/\"'`]{1,12}")
_NAMED = re.compile(r"助记词|助記詞|助记符|助憶詞|助记詞|恢复短语|恢復短語|种子短语")
_HAN_WORDS = re.compile(r"(?:[\u4e00-\u9fff][\s,、]{1,3}){11,23}[\u4e00-\u9fff](?![\u4e00-\u9fff])")


@lru_cache(maxsize=1)
def _words() -> frozenset[str]:
    return frozenset((Path(__file__).parent / "bip39-english.txt").read_text("ascii").split())


def spans(text: str) -> Iterator[tuple[str, int, int]]:
    """Runs of at least twelve listed words that only numbering, commas or blanks part."""
    named = _NAMED.search(text)
    if named:
        for match in _HAN_WORDS.finditer(text):
            yield "seed-phrase", match.start(), match.end()
    run: list[tuple[int, int]] = []
    listed = _words()
    for match in _WORD.finditer(text.lower()):
        if run and not _GAP.fullmatch(text, run[-1][1], match.start()):
            yield from _if_long(run)
            run = []
        if match.group() in listed:
            run.append(match.span())
        else:
            yield from _if_long(run)
            run = []
    yield from _if_long(run)


def _if_long(run: list[tuple[int, int]]) -> Iterator[tuple[str, int, int]]:
    if len(run) >= _SHORTEST:
        yield "seed-phrase", run[0][0], run[-1][1]
