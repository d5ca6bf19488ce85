"""Units of measure and the periods that words such as `daily` or `每周` name."""

from __future__ import annotations

import re

SPAN_SECONDS = {"hour": 3600.0, "day": 86_400.0, "week": 604_800.0, "month": 2_592_000.0}
SPAN_SECONDS |= {"quarter": 7_776_000.0, "year": 31_536_000.0, "night": 86_400.0}
SPAN_SECONDS |= {"minute": 60.0, "second": 1.0}

_UNITS: tuple[tuple[str, str, float], ...] = (
    # pattern, kind, factor to the base unit of the kind
    (r"milliseconds?|millis|msecs?|ms|毫秒|ミリ秒|밀리초", "span", 0.001),
    (r"seconds?|secs?|s|秒钟|秒|초", "span", 1),
    (r"minutes?|mins?|分钟|分间|分間|분", "span", 60),
    (r"hours?|hrs?|h|个小时|小时|个钟头|時間|时间|시간", "span", 3600),
    (r"days?|d|天|日間|日间|일", "span", 86_400),
    (r"weeks?|个星期|星期|个礼拜|周|週間|주", "span", 604_800),
    (r"months?|个月|か月|ヶ月|개월", "span", 2_592_000),
    (r"quarters?|个季度|季度", "span", 7_776_000),
    (r"years?|yrs?|年|년", "span", 31_536_000),
    (r"bytes?|字节", "size", 1),
    (r"kib|kb|kilobytes?", "size", 1e3),
    (r"mib|mb|megabytes?|兆", "size", 1e6),
    (r"gib|gb|gigabytes?|g", "size", 1e9),
    (r"tib|tb|terabytes?", "size", 1e12),
    (r"%|percent|per cent|퍼센트", "percent", 1),
    (r"fps|hz|hertz|赫兹|赫", "frequency", 1),
    (r"khz", "frequency", 1e3),
    (r"mhz", "frequency", 1e6),
    (r"ghz", "frequency", 1e9),
    (r"px|pixels?|像素", "pixel", 1),
    (r"pt|points?", "point", 1),
    (r"mm|毫米", "length", 0.001),
    (r"cm|厘米|公分", "length", 0.01),
    (r"km|kilomet(?:er|re)s?|公里|千米", "length", 1000),
    (r"met(?:er|re)s?|米|メートル", "length", 1),
    (r"kg|kilograms?|kilos?|公斤|千克", "weight", 1000),
    (r"grams?|克", "weight", 1),
    (r"kw|千瓦", "power", 1000),
    (r"watts?|瓦", "power", 1),
    (r"°c|℃|摄氏度|度|degrees?", "degree", 1),
    (r"usd|dollars?|美元|美金", "money usd", 1),
    (r"eur|euros?|欧元|欧|유로|ユーロ", "money eur", 1),
    (r"cny|rmb|yuan|元|块钱|人民币", "money cny", 1),
    (r"gbp|pounds?|英镑", "money gbp", 1),
    (r"jpy|yen|日元|円", "money jpy", 1),
)
UNIT = "|".join(pattern for pattern, _, _ in _UNITS)
_ROWS = tuple((re.compile(pattern), kind, factor) for pattern, kind, factor in _UNITS)

CURRENCY_SIGNS = {"$": "money usd", "€": "money eur", "£": "money gbp", "¥": "money cny"}

PERIODS = {
    "hourly": "hour", "daily": "day", "nightly": "day", "weekly": "week", "monthly": "month",
    "quarterly": "quarter", "yearly": "year", "annually": "year",
    "每小时": "hour", "毎時": "hour", "每天": "day", "每日": "day", "每晚": "day", "毎日": "day", "매일": "day",
    "每周": "week", "每星期": "week", "毎週": "week", "매주": "week",
    "每月": "month", "每个月": "month", "毎月": "month", "매월": "month",
    "每季度": "quarter", "每年": "year", "毎年": "year", "매년": "year",
}  # fmt: skip
TWICE_PERIODS = {"biweekly": "week", "fortnightly": "week", "隔周": "week", "隔天": "day"}


def unit(text: str) -> tuple[str, float]:
    """Kind and factor of a unit that `UNIT` matched."""
    return next((kind, factor) for pattern, kind, factor in _ROWS if pattern.fullmatch(text))
