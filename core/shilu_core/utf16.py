"""Text as JavaScript counts, trims and folds it: the units of dsh-memory-protocol v1 (2.3, 2.10, 4.1)."""

from __future__ import annotations

# What `String.prototype.trim` strips; `str.strip` differs in U+001C-1F, U+0085 and U+FEFF.
WHITESPACE = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


def units(text: str) -> int:
    """The length in UTF-16 code units: a Han character counts 1, an emoji beyond the basic plane 2."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def head(text: str, limit: int) -> str:
    """The first `limit` units; a pair that the cut would split is left out whole."""
    encoded = text.encode("utf-16-le", "surrogatepass")
    if len(encoded) <= 2 * limit:
        return text
    start = encoded[: 2 * limit].decode("utf-16-le", "surrogatepass")
    whole = start + encoded[2 * limit :].decode("utf-16-le", "surrogatepass") == text
    return start if whole or not start else start[:-1]


def excerpt(text: str, limit: int) -> str:
    """The text, or its first `limit` units and an ellipsis where it is longer."""
    return text if units(text) <= limit else head(text, limit) + "…"


def trim(text: str) -> str:
    """The text without the white space that JavaScript trims, at both ends."""
    return text.strip(WHITESPACE)


def fold(text: str) -> str:
    """A-Z to a-z and nothing else: `É` stays different from `é`."""
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def storable(text: str) -> bool:
    """Whether the text can be stored as given: no NUL, no lone surrogate."""
    return "\0" not in text and mended(text) == text


def mended(text: str) -> str:
    """The text with U+FFFD in the place of each lone surrogate, as a decoder would read it."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
