"""Two facts side by side: what they share, what only one says, and in which part of the sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace

from shilu_inbox.judge.analysis import Analysed, Token, analyse, settled
from shilu_inbox.judge.choices import choice, how_they_choose
from shilu_inbox.judge.lexicon import concepts
from shilu_inbox.judge.values import Value

# Weights of a token in what two facts share: names tell subjects apart, single characters say little.
_WEIGHTS = {"name": 2.0, "word": 1.5, "concept": 1.0, "cjk": 0.6}
GENERIC = 0.3
_PREFIX = 4  # letters that two words must begin with to be forms of one word

_OPPOSITES = frozenset(
    frozenset(pair)
    for pair in (
        ("open", "closed"),
        ("enable", "disable"),
        ("accept", "decline"),
        ("first", "after"),
        ("manual", "automatic"),
        ("public", "private"),
        ("short", "detailed"),
        ("internal", "external"),
        ("limit", "minimum"),
        ("respect", "ignor"),
        ("retain", "delete"),
        ("start", "stop"),
        ("speed:fast", "speed:slow"),
        ("shade:dark", "shade:light"),
        ("temporary", "permanent"),
        ("separate", "share"),
        ("mandatori", "option"),
    )
)


@dataclass(frozen=True)
class Pair:
    """The comparison of a submitted fact with a known one; `left` tokens found no counterpart."""

    new: Analysed
    old: Analysed  # without the state that it says is over, unless the new fact tells of a change, too
    known: str  # the known fact's whole text
    equal: bool  # the same letters and digits
    new_left: tuple[Token, ...]
    old_left: tuple[Token, ...]
    shared_values: tuple[Value, ...]
    new_values: tuple[Value, ...]  # stated only by the new fact
    old_values: tuple[Value, ...]
    new_cover: float  # share of the new fact's tokens, by weight, that the known one has, too
    old_cover: float
    chosen: str  # where both prefer one thing to another: "alike", or "turned" if each the other way round
    opposed: bool  # the rest of one holds the opposite of a word in the rest of the other


def weight(token: Token) -> float:
    """How much a token counts in what two facts share."""
    if token.kind == "concept" and token.key in concepts().generic:
        return GENERIC
    return _WEIGHTS[token.kind]


def compare(new: Analysed, old: Analysed) -> Pair:
    """`new` and `old` side by side."""
    known, equal = old.text, new.bare == old.bare
    chosen = ""
    if not equal and (ours := choice(new.folded)) and (theirs := choice(old.folded)):
        chosen = how_they_choose(ours, theirs)
        if chosen:
            new, old = replace(analyse(ours.plain), text=new.text), replace(analyse(theirs.plain), text=old.text)
    if old.signs.from_to and not new.signs.from_to and not equal:
        now = analyse(settled(known))
        old = replace(now, signs=replace(now.signs, environments=now.signs.environments or old.signs.environments))
    new_left, old_left = _left(new, old), _left(old, new)
    return Pair(
        new=new,
        old=old,
        known=known,
        equal=equal,
        new_left=new_left,
        old_left=old_left,
        shared_values=tuple(value for value in new.values if _stated(value, old)),
        new_values=tuple(value for value in new.values if not _stated(value, old)),
        old_values=tuple(value for value in old.values if not _stated(value, new)),
        new_cover=cover(new.tokens, new_left),
        old_cover=cover(old.tokens, old_left),
        chosen=chosen,
        opposed=any(frozenset((one.key, other.key)) in _OPPOSITES for one in new_left for other in old_left),
    )


def _left(one: Analysed, other: Analysed) -> tuple[Token, ...]:
    return tuple(token for token in one.tokens if not _matched(token, other))


def cover(tokens: tuple[Token, ...], left: tuple[Token, ...]) -> float:
    total = sum(map(weight, tokens))
    return 1.0 - sum(map(weight, left)) / total if total else 1.0


def _stated(value: Value, other: Analysed) -> bool:
    """Whether `other` states `value`; a count and a measure of the same amount are one (60 times, 60 Hz)."""
    return any(value.same(found) for found in other.values)


def _matched(token: Token, other: Analysed) -> bool:
    if token.key in other.keys:
        return True
    if token.kind == "cjk":
        return any(pair in other.grams for pair in token.around) or (not token.around and token.text in other.folded)
    if token.kind == "concept" and not token.text.isascii():
        return len(token.text) > 1 and token.text in other.folded
    if token.parts and all(part in other.keys for part in token.parts):
        return True
    if token.kind in {"name", "word"}:
        return any(_forms_of_one(token.key, found.key) for found in other.tokens if found.kind != "cjk")
    return False


def _forms_of_one(one: str, other: str) -> bool:
    """Whether two Latin words are forms of one: `robin` in `robin-api` is not, `lookup` and `lookups` are."""
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < _PREFIX or any(character.isdigit() for character in longer):
        return False
    if {"-", "_", ".", "/"} & set(shorter + longer):
        return shorter.replace("-", "").replace("_", "") == longer.replace("-", "").replace("_", "")
    common = next((at for at, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter))
    return common >= max(_PREFIX, 0.7 * len(longer))
