"""One thing preferred to another: `pnpm, not npm`, `prefer tabs over spaces`, `用 Figma 而不是 Sketch`.

What is rejected in such a sentence is named, not denied: two facts that choose alike say the same however they put
the rejected side, and two that choose the other way round contradict each other although they share every word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_NAME = r"[a-z0-9][\w.+#-]*"
_SIDE = rf"(?:(?:with|in|on|by|through|via|to|the|a|raw|plain) ){{0,3}}{_NAME}"
_HAN_SIDE = rf"\s?(?:{_NAME}|[一-鿿]{{1,4}}?)\s?"
_VERB = "[用选坐走写吃穿喝买住听看开接放存跑发]"
# `one` is chosen, `other` rejected; `link` says so and is no denial of anything else.
_FORMS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<before>(?<![a-z])prefer(?:s|red)?) (?P<one>(?:[a-z]+ ){{0,3}}?{_SIDE}) (?P<link>over|to|rather than|instead of) (?P<other>{_SIDE})",
        rf"(?P<one>{_SIDE})(?P<link>,? (?:and |but )?(?:not|never|rather than|instead of|in place of)) (?P<other>{_SIDE})(?=$|[\s.,;，。；])",
        rf"(?P<one>{_HAN_SIDE})(?P<link>[，,]?\s?(?:而不|而非|不|别|不要|绝不)(?:{_VERB}|是)?|而不是|而非|代替|取代)"
        rf"(?P<other>\s?{_NAME})",
        rf"(?<={_VERB})(?P<one>[一-鿿]{{1,4}})(?P<link>[，,]\s?(?:不|别|不要){_VERB}|而不是|而非)(?P<other>[一-鿿]{{1,4}})",
        rf"优先(?P<one>{_HAN_SIDE})(?P<link>而非|而不是)(?P<other>{_HAN_SIDE})(?=$|[，。；])",
    )
)
_LITTLE = frozenset(["with", "in", "on", "by", "through", "via", "to", "the", "a", "raw", "plain"])


@dataclass(frozen=True)
class Choice:
    """`chosen` is preferred to `rejected`; `plain` is the text with both sides but no word that denies."""

    chosen: str
    rejected: str
    plain: str


@lru_cache(maxsize=50_000)
def choice(folded: str) -> Choice | None:
    """The first choice of a folded text."""
    for form in _FORMS:
        found = form.search(folded)
        if found:
            chosen, rejected = _named(found["one"]), _named(found["other"])
            if chosen and rejected and chosen != rejected:
                kept = found[0].replace(found["link"], " ", 1)
                before = found.groupdict().get("before")
                kept = kept.replace(before, " ", 1) if before else kept
                return Choice(chosen, rejected, folded[: found.start()] + kept + folded[found.end() :])
    return None


def how_they_choose(one: Choice, other: Choice) -> str:
    """`alike`, `turned` or nothing where they choose between different things."""
    if (one.chosen, one.rejected) == (other.chosen, other.rejected):
        return "alike"
    return "turned" if (one.chosen, one.rejected) == (other.rejected, other.chosen) else ""


def _named(side: str) -> str:
    """The name of a side without the small words before it, singular."""
    words = [word for word in side.strip().split() if word not in _LITTLE]
    return words[-1].rstrip(".").rstrip("s") if words and words[-1].isascii() else "".join(words)
