"""Plaintext secrets: found, counted by kind and line, masked; the value itself is never kept or shown."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from shilu_core.secrets import seed_phrase, statements, values
from shilu_core.secrets.formats import FORMATS, Format
from shilu_core.secrets.secret import Secret
from shilu_core.secrets.views import View, joined, plain

__all__ = ["Secret", "find", "mask"]

_BASE64 = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{24,4000}={0,2}(?![A-Za-z0-9+/=])")
_MOST_DECODED = 64  # blobs of one text that are decoded and read; a bound on work, not on what is found by form


def find(text: str) -> tuple[Secret, ...]:
    """Every plaintext secret in `text`, by place, none overlapping; kind, line and span of each."""
    spans = sorted(_all_spans(text), key=lambda span: (span[1], -span[2]))
    found: list[Secret] = []
    for kind, start, end in spans:
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
    direct = (*_by_format(view.text, FORMATS), *statements.spans(view.text), *seed_phrase.spans(view.text), *_decoded(view.text))
    for kind, start, end in direct:
        yield (kind, *view.place(start, end))
    pieces = joined(view)
    if pieces is not view:
        yield from _split(view, pieces)


def _by_format(text: str, formats: tuple[Format, ...]) -> Iterator[statements.Span]:
    for row in formats:
        if not any(hint in text for hint in row.hints):
            continue
        for match in row.compiled.finditer(text):
            start, end = match.span(row.group)
            if start < end and (row.kind == "private-key" or not _stands_for_one(match.group(row.group))):
                yield row.kind, start, end


def _stands_for_one(value: str) -> bool:
    return values.is_placeholder(value) or "EXAMPLE" in value or value.startswith(("$", "%(", "{"))


def _split(view: View, pieces: View) -> Iterator[statements.Span]:
    """Tokens whose pieces stand apart: found without the blanks, accepted if the pieces are no words."""
    whole = View(view.text)
    position = {origin: index for index, origin in enumerate(view.origin)} if view.origin else None
    for kind, start, end in _by_format(pieces.text, tuple(row for row in FORMATS if row.joins)):
        first, last = pieces.place(start, end)
        if last - first == end - start:
            continue
        inner = (position[first], position[last - 1] + 1) if position else (first, last)
        if _pieces_are_no_words(whole.text[inner[0] : inner[1]]) and not whole.text[max(0, inner[0] - 1) : inner[0]].isalnum():
            yield kind, first, last


def _pieces_are_no_words(stretch: str) -> bool:
    parts = re.findall(r"[A-Za-z0-9]+", stretch)
    odd = sum(len(part) for part in parts if not part.isalpha() or len(part) == 1 or (not part.islower() and not part.istitle() and not part.isupper()))
    return odd * 2 >= sum(len(part) for part in parts)


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
            for kind, _, _ in (*_by_format(inner, FORMATS), *statements.spans(inner)):
                yield kind, match.start(), match.end()
                break
