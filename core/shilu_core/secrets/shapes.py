"""Passwords known by their own shape, where the line speaks of signing in: `Harbor$comet41`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shilu_core.secrets import values

_SHAPED = re.compile(
    r"(?<![A-Za-z0-9!#-&*-~])[A-Za-z0-9_\-]{0,40}[!@#$%^&*][A-Za-z0-9!@#$%^&*_\-]{0,40}(?![!-~]*[A-Za-z0-9/:=(<{])|(?<![!-~])[A-Z][A-Za-z]{2,20}_\d{3,8}[!?](?![!-~])"
)
_CONTEXT = re.compile(
    r"(?i)passw|pwd|密码|密碼|口令|sign(?:ed|s)? in|log(?:ged|s)? ?in|登录|登陆|登入|\bssh\b|\bvpn\b|\bvnc\b|\bftp\b|sudo|superuser|\broot\b|\badmin|hotspot|wi-?fi|"
    r"credential|\baccount|账号|帐号|帳號|\breset\b|\bkey\b|unlock|解锁|解压|\bSSID\b|热点|protected (?:with|by)|encrypted with"
)
_WORN_OUT = re.compile(r"(?i)(?<![\w.-])(?:password|passw0rd|p@ssw0rd|qwerty|letmein|welcome)\d{2,5}[!@#]?(?![\w.-])")
_AROUND = 100  # characters on each side in which the line must speak of signing in
_SHORTEST = 8


def spans(text: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of every such value; four kinds of characters, the sign not only at an end."""
    for match in _WORN_OUT.finditer(text):
        around = text[max(0, match.start() - _AROUND) : match.start()] + " " + text[match.end() : match.end() + _AROUND]
        if speaks_of_signing_in(around, 0, len(around)):
            yield "password", match.start(), match.end()
    if not any(sign in text for sign in "!@#$%^&*"):
        return
    for match in _SHAPED.finditer(text):
        value = match.group()
        if len(value) < _SHORTEST or values.classes(value) < 4 or values.is_no_secret(value) or _is_an_address(value):
            continue
        if speaks_of_signing_in(text, match.start(), match.end()):
            yield "password", match.start(), match.end()


def speaks_of_signing_in(text: str, start: int, end: int) -> bool:
    return bool(_CONTEXT.search(text, max(0, start - _AROUND), end + _AROUND))


def _is_an_address(value: str) -> bool:
    """`ada@Buoy3`, or a word with a sign only at an end, as headings and mentions have it."""
    inner = value.strip("!@#$%^&*")
    if values.classes(inner) < 4 and not re.fullmatch(r"[A-Z][A-Za-z]+_\d+", inner):
        return True
    return bool(re.fullmatch(r"[a-z][a-z0-9_-]*@[A-Za-z0-9_-]+", inner))
