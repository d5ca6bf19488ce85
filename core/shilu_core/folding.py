"""One form for texts that differ only in script, width, case or white space."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_SPACE = re.compile(r"\s+")


@lru_cache(maxsize=1)
def _converter():  # type: ignore[no-untyped-def]  # OpenCC has no types
    from opencc import OpenCC

    return OpenCC("t2s")


def simplify(text: str) -> str:
    """Traditional Chinese as simplified (OpenCC's `t2s`); other text as it is."""
    return str(_converter().convert(text.encode("utf-8", "replace").decode("utf-8")))


def fold(text: str) -> str:
    """NFKC, simplified Han, case folded, white space as single blanks."""
    if not text.isascii():  # of which all others are folded but for their case
        text = simplify(unicodedata.normalize("NFKC", text))
    return _SPACE.sub(" ", text.casefold()).strip()
