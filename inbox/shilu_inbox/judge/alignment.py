"""Two facts in step: where the one says another thing in the same place, and whether roles are exchanged."""

from __future__ import annotations

from difflib import SequenceMatcher

from shilu_inbox.judge.analysis import Analysed, Token
from shilu_inbox.judge.comparison import Pair, weight
from shilu_inbox.judge.values import Value

_CONTENT = 0.6  # least weight of a token that can be what a sentence is about, or what it says
_LONGEST_SWAP = 4

Unit = Token | Value


def alignment(pair: Pair) -> dict[str, float]:
    """How far both run in step, what is swapped in front and behind, and whether roles changed hands."""
    new, old = _units(pair.new), _units(pair.old)
    matcher = SequenceMatcher(None, _keys(new), _keys(old), autojunk=False)
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    replaced = [code for code in changes if code[0] == "replace"]
    swaps = [
        (new[a:b], old[c:d])
        for _, a, b, c, d in replaced
        if _says_more(new[a:b], pair.new_left, pair.new_values) and _says_more(old[c:d], pair.old_left, pair.old_values)
    ]
    short = [swap for swap in swaps if max(map(len, swap)) <= _LONGEST_SWAP]
    in_step = matcher.ratio()
    first = replaced[0][1] / max(1, len(new) - 1) if replaced else 0.5
    return {
        "in_step": in_step,
        "changes": float(len(changes)),
        "one_replaced": float(len(changes) == 1 and len(replaced) == 1),
        "replaced_at": first,
        "swaps": float(len(swaps)),
        "swap_front": float(any(_front(swap, pair) for swap in short)),
        "swap_behind": float(any(not _front(swap, pair) for swap in short)),
        "swap_in_step": in_step * bool(short),
        "swap_front_in_step": in_step * any(_front(swap, pair) for swap in short),
        "swap_behind_in_step": in_step * any(not _front(swap, pair) for swap in short),
        "swaps_in_step": in_step * min(len(short), 2),
        "identifier_swaps": float(sum(_is_identifier(one) and _is_identifier(other) for one, other in short)),
        "swap_then_value": float(_swap_then_value(short)),
        "value_then_swap": float(_swap_then_value(short[::-1])),
        "swap_values": float(any(_is_value(one) and _is_value(other) for one, other in short)),
        "starts_alike": float(bool(new) and bool(old) and _key(new[0]) == _key(old[0])),
        "ends_alike": float(bool(new) and bool(old) and _key(new[-1]) == _key(old[-1])),
        "roles_exchanged": float(roles_exchanged(pair)),
    }


def _units(one: Analysed) -> list[Unit]:
    return sorted((*one.tokens, *one.values), key=lambda unit: unit.start)


def _key(unit: Unit) -> str:
    return unit.key if isinstance(unit, Token) else f"{unit.kind}={unit.key}"


def _keys(units: list[Unit]) -> list[str]:
    return [_key(unit) for unit in units]


def _is_value(units: list[Unit]) -> bool:
    return any(isinstance(unit, Value) for unit in units)


def _swap_then_value(swaps: list[tuple[list[Unit], list[Unit]]]) -> bool:
    """Whether words are swapped and behind them values: two facts on different things that differ in value."""
    are_values = [_is_value(one) and _is_value(other) for one, other in swaps]
    return any(not first and any(are_values[at + 1 :]) for at, first in enumerate(are_values))


def _is_identifier(units: list[Unit]) -> bool:
    return any(isinstance(unit, Token) and unit.kind == "name" for unit in units)


def _says_more(units: list[Unit], left: tuple[Token, ...], values: tuple[Value, ...]) -> bool:
    """Whether these units hold content that stands nowhere in the other text."""
    return any(
        unit in values if isinstance(unit, Value) else unit in left and weight(unit) >= _CONTENT for unit in units
    )


def _front(swap: tuple[list[Unit], list[Unit]], pair: Pair) -> bool:
    return swap[0][0].start < pair.new.predicate and swap[1][0].start < pair.old.predicate


def roles_exchanged(pair: Pair) -> bool:
    """Whether two things that both name do each other's part: `A writes, B reads` and `B writes, A reads`."""
    parts_new, parts_old = _parts_of_names(pair.new, pair.old), _parts_of_names(pair.old, pair.new)
    shared = parts_new.keys() & parts_old.keys()
    if len(shared) < 2:
        return False
    exchanged = [name for name in shared if parts_new[name] != parts_old[name]]
    taken = {parts_old[name] for name in exchanged}
    return len(exchanged) >= 2 and {parts_new[name] for name in exchanged} == taken


def _parts_of_names(one: Analysed, other: Analysed) -> dict[str, str]:
    """For each shared name the shared concept that goes with it: what it does, in this text."""
    shared = [token for token in one.tokens if token.key in other.keys]
    names = [token for token in shared if token.kind in {"name", "word"}]
    deeds = [token for token in shared if token.kind == "concept" and weight(token) >= _CONTENT]
    if not deeds:
        return {}
    return {name.key: _deed(name, deeds) for name in names}


def _deed(name: Token, deeds: list[Token]) -> str:
    """What stands behind a name, or in front of it where nothing follows."""
    behind = [deed for deed in deeds if deed.start > name.start]
    return behind[0].key if behind else deeds[-1].key
