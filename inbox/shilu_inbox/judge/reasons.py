"""The one sentence that tells a person why: what both facts share, and what each of them says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from shilu_inbox.judge.analysis import Token
from shilu_inbox.judge.comparison import Pair
from shilu_inbox.judge.cues import CHANGED, FORMER, FROM_TO, NO_LONGER, NOW
from shilu_inbox.judge.values import Value
from shilu_inbox.judge.weighing import Opinion, Weighed

_FORMER_MARK = r"^(?:away )?from |^instead of |^rather than |^in place of |^[从由]|^而不是"
_LONGEST = 40  # characters of a quoted piece

_TEXTS = {
    # key: (English, Chinese)
    "same": ("the same words, marks and script aside", "除标点、字形外完全相同"),
    "contained": ("adds nothing to what is known", "内容已包含在已有事实中"),
    "translated": ("says the same in another language", "用另一种语言说同一件事"),
    "respelled": ("says the same: {new} here, {old} there", "说的是同一件事：这里写 {new}，那里写 {old}"),
    "restated": ("says the same in other words", "换了说法，意思相同"),
    "same_about": ("same subject ({about})", "同一对象（{about}）"),
    "same_thing": ("same subject and attribute", "同一对象、同一属性"),
    "values": ("{same}: {new} here, {old} there", "{same}：这里是 {new}，那里是 {old}"),
    "stance": (
        "{same}: one says what the other denies or forbids",
        "{same}：一条允许或肯定，另一条禁止或否定",
    ),
    "only": ("{same}: one leaves room for what the other rules out", "{same}：一条限定了另一条没有限定的范围"),
    "replaces": ("{same}: {new} takes the place of {old}{sign}", "{same}：{new} 取代 {old}{sign}"),
    "ends": ("{same}: the earlier statement no longer holds{sign}", "{same}：原来的说法不再成立{sign}"),
    "sign": (" (sign: “{word}”)", "（依据：“{word}”）"),
    "nothing": ("nothing known resembles it", "没有相近的已知事实"),
    "environment": ("the nearest fact is about another environment: {new} here, {old} there",
                    "最相近的事实属于另一个环境：这里是 {new}，那里是 {old}"),
    "subject": ("the nearest fact is about something else: {new} here, {old} there",
                "最相近的事实说的是别的：这里是 {new}，那里是 {old}"),
    "more": ("adds {new} to what is known", "在已知之外补充了 {new}"),
    "other": ("the nearest fact says something else", "最相近的事实说的是另一件事"),
}  # fmt: skip


class Words:
    """The sentences in one language."""

    def __init__(self, language: str) -> None:
        self._column = 1 if language == "zh" else 0

    def say(self, key: str, **parts: str) -> str:
        return _TEXTS[key][self._column].format(**parts)


def reason(opinion: Opinion, weighed: Sequence[Weighed], language: str) -> str:
    """Why `opinion` was reached, for a person who reads `language` (`zh` or another)."""
    words = Words(language)
    if opinion.choice is None:
        return _why_new(words, max(weighed, key=lambda one: one.related).pair if weighed else None)
    pair = weighed[opinion.choice].pair
    return {"duplicate": _why_duplicate, "conflict": _why_conflict, "supersede": _why_supersede}[opinion.verdict](
        words, pair
    )


def _why_new(words: Words, nearest: Pair | None) -> str:
    if nearest is None or max(nearest.new_cover, nearest.old_cover) < 0.3:
        return words.say("nothing")
    new, old = nearest.new.signs.environments, nearest.old.signs.environments
    if new and old and not new & old:
        return words.say("environment", new=_listed(sorted(new)), old=_listed(sorted(old)))
    here, there = _head_words(nearest.new_left, nearest), _head_words(nearest.old_left, nearest, old=True)
    if here and there:
        return words.say("subject", new=here, old=there)
    more = _said(nearest.new_values, nearest.new_left, nearest.new.folded)
    return words.say("more", new=more) if more else words.say("other")


def _why_duplicate(words: Words, pair: Pair) -> str:
    if pair.equal:
        return words.say("same")
    if abs(pair.new.han - pair.old.han) > 0.6:
        return words.say("translated")
    respelled = _respelled(pair)
    if respelled:
        return words.say("respelled", new=respelled[0], old=respelled[1])
    return words.say("contained" if not pair.new_left and not pair.new_values else "restated")


def _respelled(pair: Pair) -> tuple[str, str] | None:
    for value in pair.shared_values:
        for other in pair.old.values:
            if value.same(other) and value.text != other.text:
                return value.text, other.text
    return None


def _why_conflict(words: Words, pair: Pair) -> str:
    same = _shared(words, pair)
    new, old = _opposed_values(pair)
    if new and old:
        return words.say("values", same=same, new=new, old=old)
    one, other = pair.new.signs, pair.old.signs
    if one.negations % 2 != other.negations % 2 or one.forbids != other.forbids or pair.opposed:
        return words.say("stance", same=same)
    if one.only != other.only or one.excepts != other.excepts:
        return words.say("only", same=same)
    new, old = _both_said(pair)
    return words.say("values", same=same, new=new, old=old) if new and old else words.say("stance", same=same)


def _why_supersede(words: Words, pair: Pair) -> str:
    same, sign = _shared(words, pair), _sign(words, pair.new.folded)
    new, old = _opposed_values(pair)
    if not (new and old):
        new, old = _both_said(pair)
        old = _former(pair.new.folded) or old
    if new and old:
        return words.say("replaces", same=same, new=new, old=old, sign=sign)
    return words.say("ends", same=same, sign=sign)


def _former(folded: str) -> str:
    """The state that a change names as the former one: `wandb` in `moved from wandb to MLflow`."""
    found = FORMER.search(folded)
    return re.sub(_FORMER_MARK, "", found[0]).strip()[:_LONGEST] if found else ""


def _sign(words: Words, folded: str) -> str:
    for pattern in (CHANGED, NO_LONGER, FROM_TO, NOW):
        if found := pattern.search(folded):
            return words.say("sign", word=found[0].strip()[:_LONGEST])
    return ""


def _opposed_values(pair: Pair) -> tuple[str, str]:
    """The values of a kind that both state differently; a value that the new fact repeats is the old one."""
    for value in pair.new_values:
        for old in (*pair.old_values, *pair.shared_values):
            if old.kind == value.kind:
                return value.text, old.text
    return "", ""


def _both_said(pair: Pair) -> tuple[str, str]:
    """What each says alone: names if both have some, else its value, else its words."""
    new, old = _named(pair.new_left), _named(pair.old_left)
    if new and old:
        return _joined(new, pair.new.folded), _joined(old, pair.old.folded)
    return (
        _said(pair.new_values, pair.new_left, pair.new.folded),
        _said(pair.old_values, pair.old_left, pair.old.folded),
    )


def _named(left: Sequence[Token]) -> list[Token]:
    return [token for token in left if token.kind == "name"]


def _said(values: Sequence[Value], left: Sequence[Token], folded: str) -> str:
    """What only one text says: its value, else its words."""
    return values[0].text if values else _joined(left, folded)


def _head_words(left: Sequence[Token], pair: Pair, old: bool = False) -> str:
    return _joined([token for token in left if token.head], pair.old.folded if old else pair.new.folded)


def _joined(tokens: Sequence[Token], folded: str) -> str:
    """Neighbouring tokens as the text has them, the first run only, cut to a readable length."""
    if not tokens:
        return ""
    first = last = tokens[0]
    for token in tokens[1:]:
        if token.start - (last.start + len(last.text)) > 1:
            break
        last = token
    return folded[first.start : last.start + len(last.text)][:_LONGEST]


def _shared(words: Words, pair: Pair) -> str:
    """What both facts name: at most two names or words of the subject."""
    left = set(pair.new_left)
    shared = [token for token in pair.new.tokens if token not in left]
    names = [token.text for token in shared if token.kind in {"name", "word"}]
    names = names or [token.text for token in shared if token.kind == "concept" and token.head]
    environments = sorted(pair.new.signs.environments & pair.old.signs.environments)
    about = list(dict.fromkeys([*names[:2], *environments[:1]]))
    return words.say("same_about", about=_listed(about)) if about else words.say("same_thing")


def _listed(parts: Iterable[str]) -> str:
    return ", ".join(parts)
