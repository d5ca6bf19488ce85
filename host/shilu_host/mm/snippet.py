"""A short piece of a note around what was found (8.6)."""

from __future__ import annotations

from shilu_host.mm.text import utf16_length

MINIMUM = 8  # characters; a shorter limit would leave nothing beside the ellipses
ELLIPSIS = "…"


def make_snippet(text: str, term: str, limit: int) -> str:
    """At most `limit` UTF-16 units (so characters, too) of `text`, a third of them before `term`."""
    room = max(MINIMUM, limit)
    if utf16_length(text) <= room:
        return text
    found = _fold(text).find(_fold(term)) if term else -1
    start = max(0, found)
    start -= len(_suffix(text[:start], room // 3))
    head = ELLIPSIS if start else ""
    piece = _prefix(text[start:], room - len(head))
    if start + len(piece) == len(text):
        return head + piece
    return head + _prefix(piece, room - len(head) - len(ELLIPSIS)) + ELLIPSIS


def _fold(text: str) -> str:
    """Lower case, character by character, so that places in the folded text are places in the text."""
    return "".join(lowered if len(lowered := character.lower()) == 1 else character for character in text)


def _prefix(text: str, units: int) -> str:
    """The longest beginning of at most `units` UTF-16 units."""
    piece = text[:units]
    while utf16_length(piece) > units:
        piece = piece[:-1]
    return piece


def _suffix(text: str, units: int) -> str:
    """The longest end of at most `units` UTF-16 units."""
    piece = text[-units:]
    while utf16_length(piece) > units:
        piece = piece[1:]
    return piece
