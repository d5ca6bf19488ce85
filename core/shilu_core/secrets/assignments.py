"""High-entropy values in an assignment, whatever its name, unless the name says what else they are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shilu_core.secrets import values
from shilu_core.secrets.names import NOT_THIS_NAME

_ASSIGNED = re.compile(
    r"(?<![\w.-])[\"'`]?([\w.\-]{1,80})[\"'`]?\s{0,3}(?::=|=>|=|:)\s{0,3}[\"'`]?([A-Za-z0-9+/_=.~-]{16,400})"
)
_SECRET_NAME = re.compile(
    r"(?i)(?:key|secret|token|passw|pwd|auth|cred|sig|salt|seed|cookie|session|sid|jwt|pass)(?:s|word|phrase|code|id)?\d{0,2}$"
)
_PUBLIC_NAME = re.compile(
    r"(?i)hash|digest|sha\d*|md5|checksum|integrity|etag|commit|rev(?:ision)?$|fingerprint|public|pub_?key|uuid|guid|(?:^|[_.-])id$|_ids?$|version|image|"
    r"tag$|branch|path|url|uri|file|dir|name|build|trace|span|request|correlation|nonce|resolved|resolution|locked|blob|tree|object|head|cid|"
    r"idempotency|measurement|site_?key|publishable|anon|logo|icon|font|avatar|model"
)
_DIGEST_BEFORE = re.compile(
    r"(?i)(?:sha-?\d{1,3}|md5|blake\w{0,3}|integrity|checksum|digest|fingerprint|commit|etag|h1|resolved|摘要|校验|指纹|哈希|提交)[\s:=\"'-]{0,4}$"
)
_FILE_MAGIC = ("iVBORw0KGgo", "/9j/", "R0lGOD", "JVBERi0", "UEsDB", "PHN2Zy", "PD94bW")


def spans(text: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of every value that looks drawn by a machine and stands behind a name."""
    for match in _ASSIGNED.finditer(text):
        name, value = match.group(1), match.group(2)
        if _PUBLIC_NAME.search(name) or values.is_no_secret(value) or value.startswith(_FILE_MAGIC):
            continue
        if _DIGEST_BEFORE.search(text, max(0, match.start(2) - 12), match.start(2)):
            continue
        if NOT_THIS_NAME.search(text, max(0, match.start(1) - 16), match.start(1)):
            continue
        named = bool(_SECRET_NAME.search(name))
        if values.is_identifier(value) and not named:
            continue
        drawn = values.is_random(value, length=16, bits=3.0) and not re.fullmatch(r"[a-z]+(?:-[a-z0-9]+)+", value)
        if (named and drawn) or (values.is_random(value, length=24, bits=4.0) and values.classes(value) >= 3):
            yield "high-entropy", match.start(2), match.end(2)
