"""Times of day, days of the week and days of the year, in English, Chinese, Japanese and Korean."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shilu_inbox.judge.numerals import ENGLISH, HAN, number

Found = Iterator[tuple[str, float | str]]

_DAYTIME = "凌晨|清晨|早上|早晨|上午|中午|正午|下午|午后|傍晚|晚上|晚间|每晚|夜里|夜间|深夜|午前|午後|오전|오후|晚|早"
_LATE = frozenset(["pm", "p.m.", "下午", "午后", "午後", "傍晚", "오후"])
_NIGHT = frozenset(["夜里", "夜间", "深夜", "晚上", "晚间", "每晚", "晚"])
_MORNING = frozenset(["am", "a.m.", "午前", "오전"])
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_HAN_DAYS = {character: at for at, character in enumerate("一二三四五六日", start=1)} | {"天": 7}
_BODY_DAYS = {character: at for at, character in enumerate("月火水木金土日", start=1)}
_BODY_DAYS |= {character: at for at, character in enumerate("월화수목금토일", start=1)}
_WEEKEND = frozenset(["weekend", "weekends", "周末", "周末日", "星期末", "주말", "週末"])
_WORKDAYS = frozenset(["weekday", "weekdays", "平日", "工作日", "평일"])
_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"
)
_MONTH_AT = {name[:3]: at for at, name in enumerate(_MONTHS.split("|")[:12], start=1)}

_HAN_MONTH = "十[一二]?|[一二三四五六七八九]"
_HAN_DATE = "二?十[一二三四五六七八九]?|三十一?|[一二三四五六七八九]"
_HAN_DAY = r"(?:周|星期|礼拜|週)[一二三四五六日天]"
_EN_DAY = rf"(?:{'|'.join(_DAYS)})s?"


def _minutes(hour: float, minute: float, daytime: str) -> float:
    """Minutes since midnight; at night `1 点` is one o'clock and `10 点` is 22:00."""
    if (hour < 12 and (daytime in _LATE or (daytime in _NIGHT and hour >= 5))) or (
        daytime in {"中午", "正午"} and hour < 4
    ):
        hour += 12
    elif hour == 12 and daytime in _NIGHT | _MORNING:
        hour = 0
    return (hour % 24) * 60 + minute


def _digits(matched: re.Match[str]) -> Found:
    hour, minute = int(matched["hour"]), int(matched["minute"])
    if hour <= 24 and minute < 60:
        yield "clock", _minutes(hour, minute, (matched["after"] or matched["before"] or "").strip())


def _hour(matched: re.Match[str]) -> Found:
    yield "clock", _minutes(number(matched["hour"]), 0, matched["after"])


def _han(matched: re.Match[str]) -> Found:
    rest = matched["rest"] or ""
    minute = {"": 0.0, "半": 30.0, "一刻": 15.0, "三刻": 45.0}.get(rest, -1.0)
    minute = number(re.sub(r"\s?[分분]$", "", rest)) if minute < 0 else minute
    hour = number(matched["hour"])
    if hour <= 24:
        yield "clock", _minutes(hour, minute, matched["before"] or "")


def _half_past(matched: re.Match[str]) -> Found:
    yield "clock", _minutes(number(matched["hour"]), 30, matched["after"] or "")


def _named_hour(matched: re.Match[str]) -> Found:
    yield "clock", 720.0 if matched[0] in {"noon", "正午"} else 0.0


def _day(text: str) -> int:
    if text[-1] in _HAN_DAYS:
        return _HAN_DAYS[text[-1]]
    return _DAYS.index(text.rstrip("s")) + 1


def _range(matched: re.Match[str]) -> Found:
    first, last = _day(matched["first"]), _day(matched["last"])
    for day in range(first, last + 1) if first <= last else (*range(first, 8), *range(1, last + 1)):
        yield "weekday", float(day)


def _weekday(matched: re.Match[str]) -> Found:
    text = matched["day"]
    if text in _WEEKEND:
        yield from (("weekday", 6.0), ("weekday", 7.0))
    elif text in _WORKDAYS:
        yield from (("weekday", float(day)) for day in range(1, 6))
    else:
        yield "weekday", float(_day(text))


def _body_day(matched: re.Match[str]) -> Found:
    yield "weekday", float(_BODY_DAYS[matched[1] or matched[2]])


def _day_of_month(matched: re.Match[str]) -> Found:
    yield "monthday", number(matched["day"])


def _month_day(matched: re.Match[str]) -> Found:
    month, year = matched["month"], matched.groupdict().get("year")
    at = _MONTH_AT[month[:3]] if month[0].isascii() and month[0].isalpha() else int(number(month))
    day = int(number(matched["day"]))
    if 1 <= at <= 12 and 1 <= day <= 31:
        yield "date", (f"{year}-" if year else "") + f"{at:02d}-{day:02d}"


READERS = (
    (
        rf"(?:(?P<before>{_DAYTIME})\s*)?(?<![\d:.])(?P<hour>\d{{1,2}})[:.](?P<minute>\d{{2}})"
        r"\s?(?P<after>am|pm|a\.m\.|p\.m\.)(?![a-z])",
        _digits,
    ),
    (
        rf"(?:(?P<before>{_DAYTIME})\s*)?(?<![\d:a-z])(?P<hour>\d{{1,2}}):(?P<minute>\d{{2}})(?P<after>)(?![\d:])",
        _digits,
    ),
    (r"(?<![\d.])(?P<hour>\d{1,2})\s?(?P<after>am|pm|a\.m\.|p\.m\.)(?![a-z])", _hour),
    (
        rf"(?:(?P<before>{_DAYTIME})\s*)?(?P<hour>\d{{1,2}}|{HAN})\s?(?:点钟?|時(?!間)|时(?!间|候|效)|시(?!간))"
        rf"(?P<rest>半|一刻|三刻|\s?(?:\d{{1,2}}|{HAN})(?:分|분))?(?!\d)",
        _han,
    ),
    (rf"(?<![a-z])half past (?P<hour>\d{{1,2}}|{ENGLISH})\s?(?P<after>[ap]m)?(?![a-z])", _half_past),
    (r"(?<![a-z])(?:noon|midnight)(?![a-z])|零点|正午|午夜", _named_hour),
    (rf"每?个?(?P<first>{_HAN_DAY})\s*(?:到|至|-|~|—)\s*(?P<last>{_HAN_DAY}|[一二三四五六日天])", _range),
    (rf"(?<![a-z])(?P<first>{_EN_DAY})\s*(?:to|through|until|-|–)\s*(?P<last>{_EN_DAY})(?![a-z])", _range),
    (rf"(?:每个?)?(?P<day>{_HAN_DAY}|周末|週末|平日|工作日|주말|평일)", _weekday),
    (rf"(?<![a-z])(?:(?:every|each|on) )*(?P<day>{_EN_DAY}|weekends?|weekdays?)(?![a-z])", _weekday),
    (r"毎?週?([月火水木金土日])曜日?|매?주? ?([월화수목금토일])요일", _body_day),
    (
        rf"(?:(?P<year>\d{{4}})\s?年\s?)?(?P<month>\d{{1,2}}|{_HAN_MONTH})\s?月\s?(?P<day>\d{{1,2}}|{_HAN_DATE})\s?[日号]",
        _month_day,
    ),
    (
        rf"(?<![a-z])(?P<month>{_MONTHS})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<year>(?:19|20)\d\d))?(?![\d:%])",
        _month_day,
    ),
    (
        rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\.? (?:of )?(?P<month>{_MONTHS})(?:,? (?P<year>(?:19|20)\d\d))?(?![a-z])",
        _month_day,
    ),
    (rf"每个?月的?\s?(?P<day>\d{{1,2}}|{_HAN_DATE})\s?[日号]", _day_of_month),
    (r"(?<![a-z0-9])(?P<day>\d{1,2})(?:st|nd|rd|th)(?: day)?(?: of (?:each|every|the) month)?(?![a-z])", _day_of_month),
    (r"(?<![\d/.-])(?P<year>(?:19|20)\d\d)[/.-](?P<month>\d{1,2})[/.-](?P<day>\d{1,2})(?![\d/.-])", _month_day),
    (r"(?<![\w./:-])(?P<month>0[1-9]|1[0-2])-(?P<day>[0-2]\d|3[01])(?![\w./:-])", _month_day),
    (
        r"(?:(?<=\bon )|(?<=\bby )|(?<=until )|(?<=before )|(?<=\bdue )|(?<=[是在到至于从]\s)|(?<=[是在到至于从为]))"
        r"(?P<month>1[0-2]|0?[1-9])/(?P<day>3[01]|[12]\d|0?[1-9])(?![\w/.-])",
        _month_day,
    ),
)
