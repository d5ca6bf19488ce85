"""The values that a fact states, brought to one form: numbers with units, times, versions, paths, colours.

Equal values have equal kinds and keys, so `30s`, `30 seconds`, `30 秒` and `半分钟` are one value, and so
are `22:00`, `晚上十点` and `10 pm`. Only folded text is read (`shilu_core.folding.fold`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from shilu_inbox.judge import clocks
from shilu_inbox.judge.clocks import Found
from shilu_inbox.judge.numerals import DIGITS, ENGLISH, HAN, number
from shilu_inbox.judge.units import CURRENCY_SIGNS, PERIODS, SPAN_SECONDS, TWICE_PERIODS, UNIT, unit

# 24 months are two years of 365 days; half a gigabyte is 512 MB to many people.
_TOLERANCE = {"span": 0.02, "size": 0.03}
_EXACT = 1e-6


@dataclass(frozen=True)
class Value:
    """One value; `key` is a number in the kind's base unit or a text, `start:end` its place in the text."""

    kind: str
    key: float | str
    start: int
    end: int
    text: str

    def same(self, other: Value) -> bool:
        """Whether both name one value; spans and sizes may differ by rounding."""
        if self.kind != other.kind:
            return False
        if isinstance(self.key, str) or isinstance(other.key, str):
            return self.key == other.key or (self.kind == "date" and _is_day_of(str(self.key), str(other.key)))
        allowed = _TOLERANCE.get(self.kind, _EXACT) * max(abs(self.key), abs(other.key))
        return abs(self.key - other.key) <= allowed


def values(folded: str) -> tuple[Value, ...]:
    """The values of a folded text in order of place; two share a place only if one phrase names both."""
    taken = bytearray(len(folded))
    found: list[Value] = []
    for pattern, read in _COMPILED:
        for matched in pattern.finditer(folded):
            start, end = matched.span()
            if start == end or any(taken[start:end]):
                continue
            here = [Value(kind, key, start, end, matched[0].strip()) for kind, key in read(matched)]
            if here:
                taken[start:end] = b"\1" * (end - start)
                found.extend(here)
    return tuple(sorted(found, key=lambda value: value.start))


def _is_day_of(one: str, other: str) -> bool:
    """Whether one date leaves out the year of the other: `05-12` and `2026-05-12`."""
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) == 5 and longer.endswith("-" + shorter)


def _text(kind: str) -> Callable[[re.Match[str]], Found]:
    def read(matched: re.Match[str]) -> Found:
        yield kind, matched[0].rstrip("/.,;:)")

    return read


def _colour(matched: re.Match[str]) -> Found:
    digits = matched[1]
    yield "colour", digits if len(digits) == 6 else "".join(2 * digit for digit in digits)


def _ip(matched: re.Match[str]) -> Found:
    yield "ip", matched[1]
    if matched[2]:
        yield "number", matched[2]


def _money(matched: re.Match[str]) -> Found:
    yield CURRENCY_SIGNS[matched["sign"]], number(matched["number"], matched["scale"] or "")


def _percent(matched: re.Match[str]) -> Found:
    yield "percent", number(matched[1])


def _half(matched: re.Match[str]) -> Found:
    kind, factor = unit({"月": "个月"}.get(matched["unit"], matched["unit"]))
    yield kind, 0.5 * factor


def _one(matched: re.Match[str]) -> Found:
    yield "span", SPAN_SECONDS[matched["unit"]] * (1.5 if matched["half"] else 1.0)


def _measured(matched: re.Match[str]) -> Found:
    kind, factor = unit(matched["unit"])
    amount = number(matched["number"], matched["scale"] or "") + (0.5 if matched["half"] else 0.0)
    yield kind, amount * factor


def _minutes_and_half(matched: re.Match[str]) -> Found:
    yield "span", 60 * number(matched["number"]) + 30.0


def _rate(matched: re.Match[str]) -> Found:
    yield "frequency", number(matched["number"] or matched["han"])


def _period(matched: re.Match[str]) -> Found:
    name = matched[0]
    if name in TWICE_PERIODS:
        yield "span", 2 * SPAN_SECONDS[TWICE_PERIODS[name]]
    elif name in PERIODS:
        yield "span", SPAN_SECONDS[PERIODS[name]]
    else:
        factor = 2.0 if " second " in name or " other " in name else 1.0
        yield "span", factor * SPAN_SECONDS[name.rsplit(" ", 1)[-1]]


def _times(matched: re.Match[str]) -> Found:
    yield "number", {"once": "1", "twice": "2"}[matched[0]]


def _version(matched: re.Match[str]) -> Found:
    yield "number", matched[1].removesuffix(".0")


def _plain(matched: re.Match[str]) -> Found:
    text, scale = matched["number"], matched["scale"] or ""
    if not scale and re.fullmatch(r"[1-9]\d*\.\d+", text):
        yield "number", text.removesuffix(".0")  # may be a version: 3.10 is not 3.1
    else:
        yield "number", f"{number(text.lstrip('-'), scale) * (-1 if text[0] == '-' else 1):.10g}"


_HOST = r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}"
_MEASURE = "个|位|条|次|块|人|名|台|份|步|倍|张|件|行|列|页|核|层|遍|轮|级|字|组|批|套|颗|款|种|门|间|本|节|道|项|副"
_AFTER_HAN = rf"(?=\s*(?:{_MEASURE}|毫秒|秒|分|小时|天|周|星期|月|年|季|米|公|千|元|块|兆|度|欧|美))"
_NUMBER = rf"(?:{DIGITS}|{HAN}{_AFTER_HAN}|(?<![a-z-])(?:{ENGLISH})(?![a-z]))"
_PERIOD_NAMES = "|".join(sorted(PERIODS | TWICE_PERIODS, key=len, reverse=True))

_READERS: tuple[tuple[str, Callable[[re.Match[str]], Found]], ...] = (
    # first come, first served: what stands above takes its letters from what stands below
    (r"[a-z][a-z0-9+.-]*://[^\s，。；、）)>\"'`]+", _text("url")),
    (r"(?<![\w.+-])[\w.+-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+", _text("mail")),
    (r"(?<![\w.])((?:\d{1,3}\.){3}\d{1,3})(?::(\d{2,5}))?(?![\w])", _ip),
    (r"(?<![a-z])(?:utc|gmt)(?:\s?[+-]\d{1,2}(?::\d{2})?)?(?![a-z0-9])", _text("zone")),
    (r"(?<![a-z])(?:asia|europe|america|africa|australia|pacific|atlantic)/[a-z_]+", _text("zone")),
    (r"(?<![a-z0-9/])(?:[a-z]:\\[^\s，。；]+|~?/[a-z0-9_.*-]+(?:/[\w.*-]+)*/?)", _text("path")),
    (r"(?<![a-z0-9/._-])[a-z0-9_.-]*[a-z][a-z0-9_.-]*/(?:[a-z0-9_.*-]+/?)*(?![a-z0-9])", _text("path")),
    (r"(?<![a-z0-9])#\d+(?![a-z0-9])", _text("ticket")),
    (r"#([0-9a-f]{6}|[0-9a-f]{3})(?![0-9a-z])", _colour),
    (r"(?<![a-z0-9])[#@][a-z][a-z0-9_-]*", _text("handle")),
    (rf"(?<![a-z0-9.@-]){_HOST}(?![a-z0-9-])", _text("host")),
    (r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)", _text("date")),
    *clocks.READERS,
    (rf"(?P<sign>[$€£¥])\s?(?P<number>{DIGITS})\s?(?P<scale>[km])?(?![a-z])", _money),
    (rf"百分之({HAN}|\d+(?:\.\d+)?)", _percent),
    (r"(?<![a-z])an? (?P<unit>hour|minute|second|week|month|year)(?P<half> and a half)(?![a-z])", _one),
    (
        rf"(?<![a-z0-9.])(?P<number>{_NUMBER}) times (?:per|a|each|every) second(?![a-z])|每秒\s?(?P<han>{DIGITS})\s?次",
        _rate,
    ),
    (
        rf"(?<![a-z0-9.])(?P<number>{_NUMBER})(?P<half>个半(?=小时|月|星期))?[\s-]?"
        rf"(?P<scale>百万|万|亿|千(?![克米瓦]))?\s?(?P<unit>{UNIT})(?![a-z])",
        _measured,
    ),
    (rf"(?<![a-z])half an? (?P<unit>{UNIT})(?![a-z])", _half),
    (rf"(?P<number>\d{{1,2}}|{HAN})分半钟?", _minutes_and_half),
    (r"半个?(?P<unit>分钟|小时|天|年|个月|月|公斤)", _half),
    (
        rf"(?<![a-z])(?:{_PERIOD_NAMES})(?![a-z])|"
        r"(?<![a-z])(?:every|each|per|an?)(?: second| other)? (?:hour|day|night|week|month|quarter|year)(?![a-z])",
        _period,
    ),
    (r"(?<![a-z])an? (?P<unit>hour|minute)(?P<half>x)?(?![a-z])", _one),
    (r"(?<![a-z])(?:once|twice)(?![a-z])", _times),
    (r"(?<![a-z0-9.-])v?(\d+(?:\.\d+){2,}(?:-[a-z0-9.]+)?)(?![a-z0-9])", _version),
    (r"(?<![a-z0-9.-])v(\d+(?:\.\d+)*)(?![a-z0-9])", _version),
    (
        rf"(?<![a-z0-9_.#/-])(?P<number>(?:(?<!\S)-)?{_NUMBER})\s?(?P<scale>[km](?![a-z0-9])|百万|万|亿)?",
        _plain,
    ),
)
_COMPILED = tuple((re.compile(pattern), read) for pattern, read in _READERS)
