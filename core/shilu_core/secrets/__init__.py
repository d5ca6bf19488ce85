"""Plaintext secrets: found, counted by kind and line, masked; the value itself is never kept or shown."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from shilu_core.secrets import assignments, seed_phrase, shapes, statements, values
from shilu_core.secrets.formats import FORMATS, Format
from shilu_core.secrets.secret import Secret
from shilu_core.secrets.views import View, joined, joined_text, plain, respelled

__all__ = ["Secret", "find", "mask"]

_BASE64 = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{24,4000}={0,2}(?![A-Za-z0-9+/=])")
_JOINED_FORMATS = tuple(row for row in FORMATS if row.joins)
_RUN = re.compile(r"(?<=[A-Za-z0-9_])[A-Za-z0-9_]*|")  # what is glued to a token goes with it
_WORD_BEHIND = re.compile(r"[\s\"'`+.\\]+(?:[A-Z]?[a-z]{2,20}|[a-z]|[A-Z]{1,3})[:,.;=-]?$")
_JOINT_INSIDE = re.compile(r"[\s\"'`]")
_MOST_DECODED = 64  # blobs of one text that are decoded and read; a bound on work, not on what is found by form


def find(text: str) -> tuple[Secret, ...]:
    """Every plaintext secret in `text`, by place, none overlapping; kind, line and span of each."""
    spans = sorted(_all_spans(text), key=lambda span: (span[1], -span[2]))
    found: list[Secret] = []
    for kind, start, end in spans:
        end = _RUN.match(text, end).end()  # type: ignore[union-attr]  # an empty run matches
        if found and start < found[-1].end:
            if end > found[-1].end:
                last = found[-1]
                found[-1] = Secret(last.kind, last.line, last.start, end)
            continue
        found.append(Secret(kind, text.count("\n", 0, start) + 1, start, end))
    return tuple(found)


def mask(text: str) -> str:
    """`text` with every secret replaced by `[masked: KIND]`; masking again changes nothing."""
    pieces: list[str] = []
    last = 0
    for secret in find(text):
        pieces += [text[last : secret.start], f"[masked: {secret.kind}]"]
        last = secret.end
    return "".join((*pieces, text[last:]))


def _all_spans(text: str) -> Iterator[statements.Span]:
    view = plain(text)
    for read in (_formed, statements.spans, assignments.spans, shapes.spans, seed_phrase.spans, _decoded, _split):
        for kind, start, end in read(view.text):
            yield (kind, *view.place(start, end))
    spelled = respelled(view)
    if spelled is not None:
        for kind, start, end in statements.spans(spelled.text):
            yield (kind, *view.place(*spelled.place(start, end)))


def _formed(text: str) -> Iterator[statements.Span]:
    for row in _hinted(text, FORMATS):
        for match in row.compiled.finditer(text):
            start, end = match.span(row.group)
            if start < end and (row.kind == "private-key" or not _stands_for_one(match.group(row.group))):
                yield row.kind, start, end


def _hinted(text: str, formats: tuple[Format, ...]) -> Iterator[Format]:
    return (row for row in formats if any(hint in text for hint in row.hints))


def _stands_for_one(value: str) -> bool:
    return values.is_placeholder(value) or "EXAMPLE" in value or value.startswith(("$", "%(", "{"))


def _split(text: str) -> Iterator[statements.Span]:
    """Tokens whose pieces stand apart: found without the blanks, accepted if the pieces are no words."""
    pieces: View | None = None
    compact = joined_text(View(text))
    for row in _hinted(compact, _JOINED_FORMATS):
        for match in row.unanchored.finditer(compact):
            pieces = pieces or joined(View(text))
            first, last = pieces.place(*match.span(row.group))
            last = _without_words_behind(text, first, last)
            if not _is_split_token(text, first, last) or _stands_for_one(match.group(row.group)):
                continue
            yield row.kind, first, last


def _without_words_behind(text: str, start: int, end: int) -> int:
    """A token of open length swallows the words behind it; they are given back."""
    while word := _WORD_BEHIND.search(text, start, end):
        end = word.start()
    return end


def _is_split_token(text: str, start: int, end: int) -> bool:
    stretch = text[start:end]
    if not _JOINT_INSIDE.search(stretch) or text[max(0, start - 1) : start].isalnum():
        return False
    parts = re.findall(r"[A-Za-z0-9]+", stretch)
    odd = sum(len(part) for part in parts if not _is_word(part))
    return odd * 3 >= sum(len(part) for part in parts)


def _is_word(part: str) -> bool:
    return len(part) > 1 and part.isalpha() and (part.islower() or part.istitle() or part.isupper())


def _decoded(text: str) -> Iterator[statements.Span]:
    """Base64 of a text that holds a secret."""
    for count, match in enumerate(_BASE64.finditer(text)):
        if count >= _MOST_DECODED:
            return
        try:
            inner = base64.b64decode(match.group() + "=" * (-len(match.group()) % 4), validate=True).decode("ascii")
        except (binascii.Error, ValueError):
            continue
        if inner.isprintable() or "\n" in inner:
            for kind, _, _ in (*_formed(inner), *statements.spans(inner), *assignments.spans(inner)):
                yield kind, match.start(), match.end()
                break
