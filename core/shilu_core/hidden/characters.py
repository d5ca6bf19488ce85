"""Characters that a reader does not see, and whether each is harmless where it stands.

Sources: Unicode 15.1 (Default_Ignorable_Code_Point, Bidi_Control, White_Space), UTS #51 for emoji sequences
(ZWJ sequences, presentation selectors, subdivision flags), UTS #37 for ideographic variation sequences.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_SUSPECT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f"
    "\u2028-\u202f\u205f-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# Flags of England, Scotland and others: black flag, two letters, one to four letters or digits, cancel tag.
_FLAG_TAGS = re.compile(
    "\U0001f3f4[\U000e0061-\U000e007a]{2}[\U000e0061-\U000e007a\U000e0030-\U000e0039]{1,4}\U000e007f"
)
_ODD_SPACES = frozenset("\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u2800")
_OVERRIDES = frozenset("\u202d\u202e")
_MARKS_OF_DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069")
_JOINERS = frozenset("\u200c\u200d")
_JOINED_SCRIPTS = ("ARABIC", "SYRIAC", "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA",
                   "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "KHMER", "MYANMAR", "MONGOLIAN", "TIBETAN",
                   "NKO", "PHAGS-PA", "THAANA")  # fmt: skip
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_MANY_ODD_SPACES = 4  # one or two thin spaces stand before units; hidden bits need many


@dataclass(frozen=True)
class Mark:
    """One hidden character at `text[at]`; `harmless` says that it is at home there, `family` what it is."""

    at: int
    family: str
    harmless: bool


def marks(text: str) -> Iterator[Mark]:
    """Every character of `text` that is not seen, with its family, in order."""
    if text.isascii() and text.isprintable():
        return
    flags = [match.span() for match in _FLAG_TAGS.finditer(text)]
    right_to_left = bool(_RIGHT_TO_LEFT.search(text))
    for match in _SUSPECT.finditer(text):
        at = match.start()
        family = _family(match.group())
        yield Mark(at, family, _is_at_home(text, at, family, flags, right_to_left))


def _family(character: str) -> str:
    code = ord(character)
    if 0xE0000 <= code <= 0xE007F:
        return "tag"
    if 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF or 0x180B <= code <= 0x180F:
        return "variation"
    if character in _OVERRIDES:
        return "override"
    if character in _MARKS_OF_DIRECTION:
        return "direction"
    if character in _JOINERS:
        return "joiner"
    if character in _ODD_SPACES:
        return "space"
    if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp"):
        return "control"
    return "zero-width"


def _is_at_home(text: str, at: int, family: str, flags: list[tuple[int, int]], right_to_left: bool) -> bool:
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if family == "tag":
        return any(start < at < end for start, end in flags)
    if family == "variation":
        return _selects(before, text[at])
    if family == "joiner":
        return _joins(before, text[at], after)
    if family == "direction":
        return right_to_left
    if family == "zero-width":
        return text[at] == "\ufeff" and at == 0
    return False


def _selects(base: str, selector: str) -> bool:
    """A selector after a character that has variants: emoji, signs, Han, Mongolian; never a second one."""
    if not base:
        return False
    if ord(selector) >= 0xE0100:
        return unicodedata.name(base, "").startswith("CJK")
    if selector in "\ufe0e\ufe0f":
        return _is_pictorial(base) or base in "0123456789#*"
    category = unicodedata.category(base)
    return category in ("So", "Sm") or unicodedata.name(base, "").startswith(
        ("CJK", "MONGOLIAN", "MYANMAR", "PHAGS-PA")
    )


def _is_pictorial(character: str) -> bool:
    return unicodedata.category(character) in ("So", "Sm", "Sk", "Po") and ord(character) > 0xA8


def _joins(before: str, joiner: str, after: str) -> bool:
    if not before:
        return False
    if unicodedata.name(before, "").startswith(_JOINED_SCRIPTS):
        return True
    pictorial = _is_pictorial(before) or before == "\ufe0f" or 0x1F3FB <= ord(before) <= 0x1F3FF
    return joiner == "\u200d" and pictorial and bool(after) and _is_pictorial(after)


def visible(text: str) -> str:
    """`text` with hidden characters as `⟨U+200B⟩` and runs of tags as `⟨tags: abc⟩`; the rest untouched.

    What is at home where it stands (emoji families, flags, joiners of Persian and Indic scripts) stays.
    """
    pieces: list[str] = []
    last = 0
    hidden_tags = ""
    for mark in marks(text):
        if mark.harmless and text[mark.at] != "\ufeff":
            continue
        if mark.at > last or mark.family != "tag":
            pieces += _tags(hidden_tags)
            hidden_tags = ""
        pieces.append(text[last : mark.at])
        if mark.family == "tag":
            hidden_tags += text[mark.at]
        else:
            pieces.append(f"⟨U+{ord(text[mark.at]):04X}⟩")
        last = mark.at + 1
    return "".join((*pieces, *_tags(hidden_tags), text[last:]))


def _tags(run: str) -> list[str]:
    if not run:
        return []
    shown = "".join(chr(ord(c) - 0xE0000) if 0x20 <= ord(c) - 0xE0000 < 0x7F else "·" for c in run)
    return [f"⟨tags: {shown}⟩"]


def findings(text: str) -> Iterator[str]:
    """One line for each family of hidden characters that is not at home, with how many and which."""
    by_family: dict[str, list[str]] = {}
    for mark in marks(text):
        if not mark.harmless:
            by_family.setdefault(mark.family, []).append(text[mark.at])
    for family, characters in by_family.items():
        if family == "space" and len(characters) < _MANY_ODD_SPACES and "\u2800" not in characters:
            continue
        named = sorted({f"U+{ord(c):04X}" for c in characters})
        more = f" and {len(named) - 4} more" if len(named) > 4 else ""
        yield f"{len(characters)} × {family} ({' '.join(named[:4])}{more})"
    yield from _mixed_words(text)


_WORD = re.compile(r"[^\W\d_]{3,40}")
_CYRILLIC = re.compile("[\u0400-\u052f]")
_GREEK_LIKE_LATIN = re.compile("(?<=[a-zA-Z])[αονρικυχτΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]|[ονρικυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ](?=[a-zA-Z]{2})")
_LATIN = re.compile("[a-zA-Z]")
_PLAIN_LATIN_FORMS = re.compile("[\uff21-\uff5a\U0001d400-\U0001d7cb]")


def _mixed_words(text: str) -> Iterator[str]:
    """Words in which letters of another script stand for Latin ones."""
    if text.isascii():
        return
    for match in _WORD.finditer(text):
        word = match.group()
        if word.isascii() or not _LATIN.search(word):
            continue
        if _CYRILLIC.search(word) or _GREEK_LIKE_LATIN.search(word) or _PLAIN_LATIN_FORMS.search(word):
            yield f"letters of several scripts in one word: {word}"
            return
