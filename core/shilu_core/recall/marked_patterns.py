"""Regular expressions behind the literals without which they can't match.

Looking for a few literals costs a tenth of a search, and a pattern whose literals never come up is never compiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

_SPECIAL = frozenset("\\.^$*+?{}[]|()")
_REPEATS_OR_DROPS = frozenset("*?{")


class MarkedPattern:
    """`found_in(text)` is whether `pattern` matches somewhere in `text`, as `re.search` has it."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._marks = _marks(pattern)

    def found_in(self, text: str) -> bool:
        for mark in self._marks:
            if mark in text:
                return self._compiled.search(text) is not None
        return False

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern)


def _marks(pattern: str) -> tuple[str, ...]:
    """One literal for each alternative; the empty one, which every text holds, where an alternative begins with none."""
    return tuple(_head(alternative) for alternative in _alternatives(pattern))


def _alternatives(pattern: str) -> Iterator[str]:
    """What stands between the `|` outside of brackets."""
    start, depth, escaped = 0, 0, False
    for at, sign in enumerate(pattern):
        if escaped or sign == "\\":
            escaped = not escaped
            continue
        depth += (sign in "([") - (sign in ")]")
        if sign == "|" and depth == 0:
            yield pattern[start:at]
            start = at + 1
    yield pattern[start:]


def _head(alternative: str) -> str:
    """The letters that every match of `alternative` begins with."""
    body = alternative.removeprefix(r"\b")
    end = next((at for at, sign in enumerate(body) if sign in _SPECIAL), len(body))
    return body[: end - 1] if body[end : end + 1] in _REPEATS_OR_DROPS and end else body[:end]
