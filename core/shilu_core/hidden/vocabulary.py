"""A sentence as marks: which class each word belongs to, where it stands, and whether it orders or is forbidden.

The words stand in `vocabulary.txt`. English is looked up in base form, so that every inflection is found and told
apart from the bare verb of an order; Chinese is cut by the longest known word. Word order is left to the reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_WORDS = Path(__file__).parent / "vocabulary.txt"
_SENTENCE = re.compile(r"(?<=[!?。])|(?<=[.;])(?=\s|$)|\n")
_TOKEN = re.compile(
    r"(?P<url>\b(?:https?|hxxps?|ftp)://\S+|\b[\w.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+)|(?P<tmp>/(?:tmp|dev/shm|var/tmp)/\S+)|(?P<home>~/\S+)|(?P<ip>(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]))|"
    r"(?P<latin>\.?[a-z](?:[a-z0-9'_-]|\.(?=[a-z0-9]))*|-[a-z]+)|(?P<han>[㐀-鿿])|(?P<break>[,:()\"“”「」])|(?P<other>\S)"
)
_KINDS = {
    "url": frozenset({"url"}),
    "ip": frozenset({"url"}),
    "tmp": frozenset({"tmp"}),
    "home": frozenset({"secret", "private"}),
}
_HOST = re.compile(
    r"[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|net|org|io|xyz|ru|cn|top|site|example|dev|app|me|info|co|test|invalid|ai|tk|cc|icu)"
)
_LONGEST_PHRASE, _LONGEST_HAN = 5, 8
_CLAUSE = 40  # characters before a Chinese verb that may say whose verb it is
_NOT_REACHES = 6  # words between the "not" and its verb
_HAN_NOT = re.compile(
    "(?:不要|不得|禁止|不能|不可|不许|严禁|切勿|请勿|绝不|不应|不准|不会|不必|不用|无需|无须|不再|别|勿|避免|防止|停止|拒绝|未经)[^,。]{0,6}$|不$"
)
_HAN_TOLD_OF = re.compile("(?:会|可以|可|能够|能|已经|已|支持|允许|由|被|由于|因为|是否|如何)(?:自动|直接)?$")
_HAN_TO_READER = re.compile("[你您]")
# What a Chinese clause may say before the verb of an order; another subject there makes it a report.
_HAN_ORDERED = re.compile(
    "[以你您请把将对给须要应务先都就也再]|立即|立刻|马上|一律|每次|凡|原样|逐字|完整|全文|现在|以后|今后|后续|接下来|始终|永远|不|别|勿|只|顺便|直接|必|，|^.{0,1}$"
)


@dataclass(frozen=True)
class Mark:
    """One known word at `start:end` of the sentence."""

    classes: frozenset[str]
    start: int
    end: int
    orders: bool  # an English verb in base form that nobody else is the subject of, or a Chinese one told to the reader
    negated: bool


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def sentences(folded: str) -> Iterator[str]:
    """The sentences of a folded text; a dot inside a name ends none."""
    yield from (piece for piece in _SENTENCE.split(folded) if piece.strip())


def marks(sentence: str) -> tuple[Mark, ...]:
    """The known words of one folded sentence, in order of place."""
    tokens = [
        _Token(match.lastgroup or "other", match.group(), match.start(), match.end())
        for match in _TOKEN.finditer(sentence)
    ]
    found: list[Mark] = []
    at = 0
    while at < len(tokens):
        length, mark = _known(sentence, tokens, at)
        if mark:
            found.append(mark)
        at += length
    return tuple(found)


def _known(sentence: str, tokens: Sequence[_Token], at: int) -> tuple[int, Mark | None]:
    token = tokens[at]
    if token.kind in _KINDS:
        return 1, Mark(_KINDS[token.kind], token.start, token.end, False, False)
    if token.kind == "latin":
        return _latin(tokens, at)
    if token.kind == "han":
        return _han(sentence, tokens, at)
    return 1, None


def _latin(tokens: Sequence[_Token], at: int) -> tuple[int, Mark | None]:
    words = []
    for token in tokens[at : at + _LONGEST_PHRASE]:
        if token.kind != "latin":
            break
        words.append(token.text)
    for length in range(len(words), 0, -1):
        known = [(form, vocabulary()[form]) for form in _forms(words[:length]) if form in vocabulary()]
        if known:
            bare = known[0][0] == "_".join(words[:length])
            return length, Mark(
                frozenset().union(*(classes for _, classes in known)),
                tokens[at].start,
                tokens[at + length - 1].end,
                bare and _is_ordered(tokens, at),
                _is_negated(tokens, at),
            )
    if _HOST.fullmatch(words[0]):
        return 1, Mark(frozenset({"url"}), tokens[at].start, tokens[at].end, False, False)
    return 1, None


def _forms(words: Sequence[str]) -> Iterator[str]:
    """The phrase as it stands, then with one word, the last or the first, in its base form."""
    yield "_".join(words)
    for at in {len(words) - 1, 0}:
        for base in _bases(words[at]):
            yield "_".join((*words[:at], base, *words[at + 1 :]))


def _bases(word: str) -> Iterator[str]:
    word = word.removesuffix("'s")
    yield word
    for ending, others in (
        ("ies", ("y",)),
        ("ied", ("y",)),
        ("es", ("", "e")),
        ("s", ("",)),
        ("ed", ("", "e")),
        ("ing", ("", "e")),
    ):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word[: -len(ending)]
            yield from (stem + other for other in others)
            if ending in ("ed", "ing") and stem[-1] == stem[-2]:
                yield stem[:-1]
    yield from _IRREGULAR.get(word, ())


_IRREGULAR = {
    "forgot": ("forget",), "forgotten": ("forget",), "sent": ("send",), "told": ("tell",), "hid": ("hide",),
    "hidden": ("hide",), "given": ("give",), "broke": ("break",), "broken": ("break",), "ran": ("run",),
    "overrode": ("override",), "overridden": ("override",), "written": ("write",), "wrote": ("write",),
    "said": ("say",), "overwritten": ("overwrite",), "withdrew": ("withdrawn",), "paid": ("pay",),
}  # fmt: skip


def _is_ordered(tokens: Sequence[_Token], at: int) -> bool:
    for token in reversed(tokens[:at]):
        if token.kind == "han":
            return True
        if token.kind != "latin" or token.text in _words("@subjects"):
            return True
        if token.text == "to" and not _is_told_to(tokens, token):
            return False
        if token.text in _words("@joints") and not _is_first(tokens, token):
            return _starts_with_an_order(tokens, token)
        if token.text not in _words("@before") and token.text not in _words("@not"):
            return False
    return True


def _is_told_to(tokens: Sequence[_Token], to: _Token) -> bool:
    """Whether the reader is told to do it (you have to, be sure to), and nobody is said to have been told."""
    before = tokens[tokens.index(to) - 1] if to is not tokens[0] else to
    return before.text in _words("@told")


def _is_first(tokens: Sequence[_Token], token: _Token) -> bool:
    return token is tokens[0] or tokens[tokens.index(token) - 1].kind != "latin"


def _starts_with_an_order(tokens: Sequence[_Token], joint: _Token) -> bool:
    """Whether the clause before `joint` (and, then) begins with a bare verb: `decode and run`."""
    clause = list(tokens[: tokens.index(joint)])
    while any(token.kind == "break" for token in clause):
        clause = clause[next(at for at, token in enumerate(clause) if token.kind == "break") + 1 :]
    first = next((token.text for token in clause if token.text not in _words("@before") and token.text not in _words("@not")), "")
    return not first or first in _words("@subjects") or first in _words("@verbs") or first in vocabulary()


def _is_negated(tokens: Sequence[_Token], at: int) -> bool:
    for token in reversed(tokens[max(0, at - _NOT_REACHES) : at]):
        if token.kind == "break":
            return False
        if token.text in _words("@not"):
            return True
    return False


def _han(sentence: str, tokens: Sequence[_Token], at: int) -> tuple[int, Mark | None]:
    start = tokens[at].start
    for length in range(min(_LONGEST_HAN, len(sentence) - start), 0, -1):
        classes = vocabulary().get(sentence[start : start + length])
        if classes:
            before = sentence[max(0, start - _CLAUSE) : start]
            clause = re.split('[,:。"“”]', before)[-1]
            told_of = not _HAN_TO_READER.search(clause) and (
                bool(_HAN_TOLD_OF.search(clause)) or not _HAN_ORDERED.search(clause)
            )
            mark = Mark(classes, start, start + length, not told_of, bool(_HAN_NOT.search(before)))
            covered = sum(1 for token in tokens[at : at + length] if token.start < start + length)
            return covered, mark
    return 1, None


@lru_cache(maxsize=1)
def _rows() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Name and words of each line of `vocabulary.txt`, comments left out."""
    parts = (line.partition(":") for line in _WORDS.read_text("utf-8").splitlines() if not line.startswith("#"))
    return tuple((name, tuple(words.split())) for name, colon, words in parts if colon)


@lru_cache(maxsize=8)
def _words(name: str) -> frozenset[str]:
    """The English words of one of the lists that begin with `@`."""
    return frozenset(word for found, words in _rows() if found == name for word in words)


@lru_cache(maxsize=1)
def vocabulary() -> dict[str, frozenset[str]]:
    """Word or phrase (joined by `_`) -> its classes."""
    classes: dict[str, set[str]] = {}
    for name, words in _rows():
        if not name.startswith("@"):
            for word in words:
                classes.setdefault(word, set()).add(name)
                if word.startswith(("your_", "你的")):
                    classes[word].add("you")
    return {word: frozenset(names) for word, names in classes.items()}
