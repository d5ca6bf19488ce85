"""Changes of a text as hunks of lines, which can be inverted and carried over to an edited text.

A text is taken as tokens, each a line with the line end *before* it, so that appending to a text without a
final newline is an insertion, too. `"a\\nb\\n"` is `["a", "\\nb", "\\n"]`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

EXACT_LINES = 2000  # past it, blank lines and other frequent ones no longer start a match: their pairs are too many
_END = re.compile(r"(\r\n|\n|\r)")


@dataclass(frozen=True)
class Hunk:
    """`removed` tokens stand at `start` of the text before; `inserted` take their place."""

    start: int
    removed: tuple[str, ...]
    inserted: tuple[str, ...]


class HunkClash(Exception):
    """A hunk's place was changed since; `lines` are the tokens that stand there now."""

    def __init__(self, hunk: Hunk, lines: Sequence[str]) -> None:
        super().__init__("the lines were changed since")
        self.hunk = hunk
        self.lines = tuple(lines)


def tokens(text: str) -> list[str]:
    parts = _END.split(text)
    return [parts[0], *(end + line for end, line in zip(parts[1::2], parts[2::2], strict=True))]


def patch(before: Sequence[str], hunks: Sequence[Hunk]) -> list[str]:
    """`before` with `hunks` (sorted, not overlapping) carried out; raises HunkClash where one doesn't fit."""
    result: list[str] = []
    position = 0
    for hunk in hunks:
        stop = hunk.start + len(hunk.removed)
        if tuple(before[hunk.start : stop]) != hunk.removed or hunk.start < position:
            raise HunkClash(hunk, before[hunk.start : stop])
        result += [*before[position : hunk.start], *hunk.inserted]
        position = stop
    return [*result, *before[position:]]


def invert(hunks: Sequence[Hunk]) -> tuple[Hunk, ...]:
    """The hunks that lead back."""
    inverted, shift = [], 0
    for hunk in hunks:
        inverted.append(Hunk(hunk.start + shift, hunk.inserted, hunk.removed))
        shift += len(hunk.inserted) - len(hunk.removed)
    return tuple(inverted)


def settled(before: Sequence[str], hunks: Sequence[Hunk]) -> tuple[Hunk, ...]:
    """`hunks` over `before` such that the tokens which they leave are those that a reader of the new text finds.

    A `\\r` whose next line goes away can meet a `\\n`: the two are one line end from then on, and hunks that count
    them as two would not lead back.
    """
    after = patch(before, hunks)
    read = tokens("".join(after))
    return tuple(hunks) if read == after else difference(before, read)


def difference(before: Sequence[str], after: Sequence[str]) -> tuple[Hunk, ...]:
    """Hunks that lead from `before` to `after`."""
    return tuple(
        Hunk(a1, tuple(before[a1:a2]), tuple(after[b1:b2]))
        for tag, a1, a2, b1, b2 in _opcodes(before, after)
        if tag != "equal"
    )


def carry(hunks: Sequence[Hunk], base: Sequence[str], current: Sequence[str]) -> tuple[Hunk, ...]:
    """`hunks` over `base` moved to where their places are in `current`; raises HunkClash where one was edited."""
    blocks = [(a1, a2, b1) for tag, a1, a2, b1, _ in _opcodes(base, current) if tag == "equal"]
    carried = [Hunk(_place(hunk, blocks, current), hunk.removed, hunk.inserted) for hunk in hunks]
    return tuple(sorted(carried, key=lambda hunk: hunk.start))


def _place(hunk: Hunk, blocks: Sequence[tuple[int, int, int]], current: Sequence[str]) -> int:
    stop = hunk.start + len(hunk.removed)
    for a1, a2, b1 in blocks:
        if hunk.removed and a1 <= hunk.start and stop <= a2:
            return b1 + hunk.start - a1
        if not hunk.removed and a1 < hunk.start <= a2:  # an insertion stays behind the line before it
            return b1 + hunk.start - a1
    if not hunk.removed:
        for a1, a2, b1 in blocks:
            if a1 <= hunk.start < a2:  # the line before it is gone: before the line behind it
                return b1 + hunk.start - a1
    raise HunkClash(hunk, current)


def _opcodes(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    """difflib's opcodes; equal ends are cut off first, which keeps long notes fast."""
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    middle = SequenceMatcher(None, old, new, autojunk=len(new) > EXACT_LINES)
    codes: list[tuple[str, int, int, int, int]] = [("equal", 0, head, 0, head)] if head else []
    codes += [(tag, a1 + head, a2 + head, b1 + head, b2 + head) for tag, a1, a2, b1, b2 in middle.get_opcodes()]
    if tail:
        codes.append(("equal", len(before) - tail, len(before), len(after) - tail, len(after)))
    return codes
