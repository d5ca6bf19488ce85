"""Measures and normal forms of mm text (sections 1, 3): what JavaScript's string methods do, in Python.

A character is a code point, a byte a UTF-8 byte, a line what an editor shows. Blanks are those of
JavaScript's `trim` and `\\s` (ECMA-262 12.2, 12.3), which are not those of `str.strip` and Python's `\\s`.
"""

from __future__ import annotations

import re
import unicodedata

from shilu_host.mm.errors import invalid

_SPACES = "".join(map(chr, range(0x2000, 0x200B)))
BLANKS = f"\t\n\v\f\r \u00a0\u1680{_SPACES}\u2028\u2029\u202f\u205f\u3000\ufeff"
NO_LINE_END = "[^\n\r\u2028\u2029]"  # what `.` stands for in JavaScript
TOPIC_LIMIT = 64  # characters of a topic (3.1)
SUMMARY_LIMIT = 200  # characters of a candidate's first line (9.7)
SLUG = "[A-Za-z0-9][A-Za-z0-9._-]*"

_BLANK_RUN = re.compile(f"[{BLANKS}]+")
_SLUG = re.compile(SLUG)
_NOT_SLUG = re.compile("[^a-z0-9._-]+")
_TAG_SEPARATOR = re.compile("[,，;；]")


def trim(text: str) -> str:
    return text.strip(BLANKS)


def trim_end(text: str) -> str:
    return text.rstrip(BLANKS)


def split_words(text: str) -> list[str]:
    """The blank-separated words of `text`."""
    return [word for word in _BLANK_RUN.split(text) if word]


def well_formed(text: str) -> str:
    """`text` as it can stand in UTF-8: surrogate halves joined to their characters, lone ones as U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def to_bytes(text: str) -> bytes:
    """The text in UTF-8."""
    return well_formed(text).encode("utf-8")


def count_chars(text: str) -> int:
    """Unicode code points, as the format's budgets count."""
    return len(well_formed(text))


def byte_length(text: str) -> int:
    """Length in UTF-8 bytes."""
    return len(to_bytes(text))


def utf16_length(text: str) -> int:
    """UTF-16 units, which is what `length` says in JavaScript."""
    return len(text) + sum(character > "\uffff" for character in text)


def count_lines(text: str) -> int:
    """Displayed lines: a final LF opens none, and only LF ends one (1.1)."""
    return text.count("\n") + (bool(text) and not text.endswith("\n"))


def is_slug(text: object) -> bool:
    """Whether `text` is made like a topic, however long."""
    return isinstance(text, str) and _SLUG.fullmatch(text) is not None


def validate_topic(topic: object) -> str:
    """`topic` itself; raises E_INVALID unless it is a slug of 1 to 64 characters (3.1)."""
    if not isinstance(topic, str):
        raise invalid("topic must be a string")
    if not is_slug(topic):
        raise invalid(f"topic {topic!r} is no slug: begin with a letter or digit, go on with those, '.', '_' or '-'")
    if len(topic) > TOPIC_LIMIT:
        raise invalid(f"topic has {len(topic)} characters; at most {TOPIC_LIMIT} are allowed")
    return topic


def slug_for_topic(text: str) -> str | None:
    """A topic made of free text, None where nothing usable is left (3.2); a cut may leave a trailing `-`."""
    lowered = unicodedata.normalize("NFKC", well_formed(text)).lower()
    slug = re.sub("-{2,}", "-", _NOT_SLUG.sub("-", lowered).strip("-"))
    return slug[:TOPIC_LIMIT] if is_slug(slug) else None


def parse_tags(text: str) -> tuple[str, ...]:
    """Tags in their normal form, first occurrences only (3.4)."""
    tags = (_BLANK_RUN.sub("-", trim(part)).lower() for part in _TAG_SEPARATOR.split(text))
    return tuple(dict.fromkeys(tag for tag in tags if tag))


def normalize_line(text: str) -> str:
    """One line: runs of blanks become one blank (3.5)."""
    return trim(_BLANK_RUN.sub(" ", text))


def first_line(text: str, limit: int = SUMMARY_LIMIT) -> str:
    """The text up to the first LF, cut at `limit` characters plus `…`."""
    line = well_formed(text.split("\n", 1)[0])
    return line[:limit] + "…" if len(line) > limit else line
