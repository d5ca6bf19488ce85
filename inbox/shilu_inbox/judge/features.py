"""The numbers that a verdict is learned from: what a comparison found, by name."""

from __future__ import annotations

from collections.abc import Iterable

from shilu_inbox.judge.alignment import alignment
from shilu_inbox.judge.analysis import Token
from shilu_inbox.judge.comparison import GENERIC, Pair, cover, weight
from shilu_inbox.judge.cues import Signs
from shilu_inbox.judge.lexicon import concepts


def _mass(tokens: Iterable[Token]) -> float:
    return sum(map(weight, tokens))


def _classes(tokens: Iterable[Token]) -> dict[str, set[str]]:
    known: dict[str, set[str]] = {}
    for token in tokens:
        if token.kind == "concept" and (name := concepts().classes.get(token.key)):
            known.setdefault(name, set()).add(token.key)
    return known


def _runs(tokens: Iterable[Token]) -> list[Token]:
    """The first tokens of runs of neighbouring characters: each run may be one word that the table lacks."""
    begun: list[Token] = []
    last = -2
    for token in tokens:
        if token.kind == "cjk":
            if token.start != last + 1:
                begun.append(token)
            last = token.start
    return begun


def _head(tokens: Iterable[Token]) -> list[Token]:
    return [token for token in tokens if token.head]


def _tail(tokens: Iterable[Token]) -> list[Token]:
    return [token for token in tokens if not token.head]


def features(pair: Pair) -> dict[str, float]:
    """The numbers that the verdict is learned from, by name."""
    return _coverage(pair) | _differences(pair) | _value_features(pair) | _sign_features(pair) | alignment(pair)


def _coverage(pair: Pair) -> dict[str, float]:
    new, old = pair.new, pair.old
    shared = len(new.grams & old.grams)
    new_head, old_head = _head(new.tokens), _head(old.tokens)
    return {
        "new_cover": pair.new_cover,
        "old_cover": pair.old_cover,
        "least_cover": min(pair.new_cover, pair.old_cover),
        "most_cover": max(pair.new_cover, pair.old_cover),
        "gram_dice": 2 * shared / max(1, len(new.grams) + len(old.grams)),
        "gram_inside": shared / max(1, min(len(new.grams), len(old.grams))),
        "new_head_cover": cover(tuple(new_head), tuple(_head(pair.new_left))),
        "old_head_cover": cover(tuple(old_head), tuple(_head(pair.old_left))),
        "new_first": float(bool(new.tokens) and new.tokens[0] not in pair.new_left),
        "old_first": float(bool(old.tokens) and old.tokens[0] not in pair.old_left),
        "scripts_differ": abs(new.han - old.han),
        "equal": float(pair.equal),
        "new_size": float(len(new.tokens) + len(new.values)),
        "old_size": float(len(old.tokens) + len(old.values)),
    }


def _differences(pair: Pair) -> dict[str, float]:
    new_head, old_head = _mass(_head(pair.new_left)), _mass(_head(pair.old_left))
    new_tail, old_tail = _mass(_tail(pair.new_left)), _mass(_tail(pair.old_left))
    new_names = [token for token in pair.new_left if token.kind in {"name", "word"}] + _runs(pair.new_left)
    old_names = [token for token in pair.old_left if token.kind in {"name", "word"}] + _runs(pair.old_left)
    new_concepts = [token for token in pair.new_left if token.kind == "concept" and weight(token) > GENERIC]
    old_concepts = [token for token in pair.old_left if token.kind == "concept" and weight(token) > GENERIC]
    new_classes, old_classes = _classes(pair.new_left), _classes(pair.old_left)
    clash = [name for name in new_classes if name in old_classes and new_classes[name] != old_classes[name]]
    shared_names = [token for token in pair.new.tokens if token.kind in {"name", "word"}]
    return {
        "new_head_left": new_head,
        "old_head_left": old_head,
        "head_clash": min(new_head, old_head),
        "new_tail_left": new_tail,
        "old_tail_left": old_tail,
        "tail_clash": min(new_tail, old_tail),
        "new_left": new_head + new_tail,
        "old_left": old_head + old_tail,
        "left_clash": min(new_head + new_tail, old_head + old_tail),
        "new_names": float(len(new_names)),
        "old_names": float(len(old_names)),
        "head_name_clash": float(min(len(_head(new_names)), len(_head(old_names)))),
        "tail_name_clash": float(min(len(_tail(new_names)), len(_tail(old_names)))),
        "shared_names": float(sum(token not in pair.new_left for token in shared_names)),
        "concept_clash": float(min(len(new_concepts), len(old_concepts))),
        "head_concept_clash": float(min(len(_head(new_concepts)), len(_head(old_concepts)))),
        "name_clash_covered": min(len(new_names), len(old_names), 1) * min(pair.new_cover, pair.old_cover),
        "clash_covered": float(min(new_head + new_tail, old_head + old_tail) > 0.9)
        * min(pair.new_cover, pair.old_cover),
        "class_clash": float(len(clash)),
    }


def _value_features(pair: Pair) -> dict[str, float]:
    new_kinds = {value.kind for value in pair.new_values}
    old_kinds = {value.kind for value in pair.old_values}
    clash = new_kinds & old_kinds
    moved = [value for value in pair.shared_values if any(other.kind == value.kind for other in pair.new_values)]
    new_days = {value.key for value in pair.new.values if value.kind == "weekday"}
    old_days = {value.key for value in pair.old.values if value.kind == "weekday"}
    return {
        "values_shared": float(len(pair.shared_values)),
        "values_new": float(len(pair.new_values)),
        "values_old": float(len(pair.old_values)),
        "value_clash": float(len(clash)),
        "value_unlike": float(bool(new_kinds) and bool(old_kinds) and not clash),
        "value_moved": float(len(moved)),
        "value_head_clash": float(
            any(value.start < pair.new.predicate for value in pair.new_values if value.kind in clash)
            and any(value.start < pair.old.predicate for value in pair.old_values if value.kind in clash)
        ),
        "days_overlap": float(bool(new_days & old_days)),
        "no_values": float(not pair.new.values and not pair.old.values),
    }


def _sign_features(pair: Pair) -> dict[str, float]:
    new, old = pair.new.signs, pair.old.signs
    odd = (new.negations + old.negations) % 2 == 1
    either = new.environments and old.environments
    return {
        "changed": float(new.changed),
        "no_longer": float(new.no_longer),
        "now": float(new.now),
        "from_to": float(new.from_to),
        "replaces": float(new.changed + new.no_longer + new.now + new.from_to),
        "old_replaces": float(old.changed + old.no_longer + old.now + old.from_to),
        "also": float(new.also and not old.also),
        "forbids_differ": float(new.forbids != old.forbids),
        "permits_against": float((new.permits and old.forbids) or (new.forbids and old.permits)),
        "obliges_against": float((new.needs_not and not old.needs_not) or (old.needs_not and not new.needs_not)),
        "only_new": float(new.only and not old.only),
        "only_old": float(old.only and not new.only),
        "excepts_differ": float(new.excepts != old.excepts),
        "negation_differs": float(odd),
        "opposed": float(pair.opposed),
        "flipped": float(odd != pair.opposed),
        "stance_differs": float(_stance(new) != _stance(old)),
        "flip_covered": float(odd != pair.opposed) * min(pair.new_cover, pair.old_cover),
        "environment_same": float(bool(either) and new.environments == old.environments),
        "environment_differs": float(bool(either) and not new.environments & old.environments),
        "environment_new": float(bool(new.environments) and not old.environments),
        "environment_old": float(bool(old.environments) and not new.environments),
    }


def _stance(signs: Signs) -> int:
    """-1 where something is forbidden or denied, 0 where it is left free, 1 where it is stated."""
    if signs.needs_not:
        return 0
    return -1 if signs.negations % 2 else 1
