"""Numbers written as digits, as English words or in Han numerals."""

from __future__ import annotations

import re

_ENGLISH = (
    {
        word: number
        for number, word in enumerate(
            [
                "zero",
                "one",
                "two",
                "three",
                "four",
                "five",
                "six",
                "seven",
                "eight",
                "nine",
                "ten",
                "eleven",
                "twelve",
                "thirteen",
                "fourteen",
                "fifteen",
                "sixteen",
                "seventeen",
                "eighteen",
                "nineteen",
            ]
        )
    }
    | {
        word: 10 * number
        for number, word in enumerate(
            ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
        )
    }
    | {"single": 1}
)
_ENGLISH_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "dozen": 12}
_HAN_DIGITS = {
    "零": 0,
    "〇": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_LETTER_SCALES = {"k": 1e3, "m": 1e6, "万": 1e4, "亿": 1e8, "千": 1e3, "百万": 1e6}

DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e[+-]?\d+)?"
HAN = r"[零〇一二两三四五六七八九十百千万亿]+"
_UNITS_WORD = "|".join(word for word in _ENGLISH if word != "zero")
ENGLISH = rf"(?:{_UNITS_WORD})(?:[ -](?:{_UNITS_WORD}|hundred|thousand|million|dozen))*|(?:a )?dozen"


def english_number(text: str) -> float:
    """The value of an English numeral such as `forty-five` or `two thousand`."""
    total, part = 0, 0
    for word in re.split(r"[ -]", text):
        if word in _ENGLISH:
            part += _ENGLISH[word]
        elif word in _ENGLISH_SCALES:
            part = max(1, part) * _ENGLISH_SCALES[word]
            if _ENGLISH_SCALES[word] >= 1000:
                total, part = total + part, 0
    return float(total + part)


def han_number(text: str) -> float:
    """The value of a Han numeral such as `二十五`, `一万二千` or `两千`."""
    total, section, digit = 0, 0, 0
    for character in text:
        if character in _HAN_DIGITS:
            digit = digit * 10 + _HAN_DIGITS[character] if digit and character == "零" else _HAN_DIGITS[character]
            continue
        scale = _HAN_SCALES[character]
        if scale >= 10_000:
            total, section, digit = total + (section + digit or 1) * scale, 0, 0
        else:
            section, digit = section + (digit or 1) * scale, 0
    return float(total + section + digit)


def number(text: str, scale: str = "") -> float:
    """The value of digits, an English or a Han numeral, times a scale such as `k` or `万`."""
    bare = text.replace(",", "")
    if bare[:1].isdigit():
        value = float(bare)
    elif bare[:1].isascii():
        value = english_number(bare)
    else:
        value = han_number(bare)
    return value * _LETTER_SCALES.get(scale, 1.0)
