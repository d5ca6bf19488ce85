"""What a compound fact says beside the value that is replaced, and what would end together with it."""

from __future__ import annotations

from collections import Counter

from shilu_inbox.judge.analysis import analyse


def also_ends(old: str, new: str) -> tuple[str, ...]:
    """Values of `old` that `new` does not repeat, but for one of each kind that `new` replaces by another."""
    before, after = analyse(old).values, analyse(new).values
    kept = {(value.kind, value.key) for value in after}
    known = {(value.kind, value.key) for value in before}
    replaced = Counter(value.kind for value in after if (value.kind, value.key) not in known)
    lost = []
    for value in reversed(before):  # what is replaced mostly stands last
        if (value.kind, value.key) in kept:
            continue
        if replaced[value.kind]:
            replaced[value.kind] -= 1
            continue
        lost.append(value.text.strip())
    return tuple(reversed(lost))
