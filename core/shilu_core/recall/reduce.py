"""A long turn cut down to what carries information: its own words first, little of what was pasted."""

from __future__ import annotations

import re

SHORT = 600  # characters; a turn up to this length is taken as it is
PROSE = 1500  # characters of own words that are kept of a longer one
PASTED = 300  # characters of pasted code, logs and data that are kept
READ = 150_000  # characters from each end that are looked at
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_PASTED = re.compile(
    r"^\s*(?:at \S+\(|File \"|Traceback|\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d"
    r"|\[?(?:INFO|DEBUG|WARN|ERROR|TRACE)\b"
    r"|[{}\[\]<>/#$%+|]|(?:def|class|import|from|const|let|var|return|if|for|public|private|func|fn)\b.*[(:{;=])"
    r"|[{};]\s*$|=>|^\s{4,}\S|(?:\S{60,})",
)
_ASKS = re.compile(
    r"[?？]|\b(?:how|what|why|which|where|who|when|can you|please)\b|请|吗|呢|怎么|哪|什么", re.IGNORECASE
)


def reduce(query: str) -> str:
    """At most PROSE + PASTED characters of `query`, with the questions in it first."""
    if len(query) <= SHORT:
        return query
    if len(query) > 2 * READ:
        query = query[:READ] + "\n" + query[-READ:]
    prose, pasted = _sorted(query)
    asking = [line for line in prose if _ASKS.search(line)]
    ordered = [*asking[-8:], *(line for line in [*prose[:6], *reversed(prose)] if line not in asking)]
    return _cut(dict.fromkeys(ordered), PROSE) + "\n" + _cut(dict.fromkeys(pasted), PASTED)


def _sorted(query: str) -> tuple[list[str], list[str]]:
    prose: list[str] = []
    pasted: list[str] = []
    fenced = False
    for line in query.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif line.strip():
            (pasted if fenced or _PASTED.search(line) else prose).append(line.strip())
    return prose, pasted


def _cut(lines: dict[str, None], most: int) -> str:
    kept = []
    for line in lines:
        if most <= 0:
            break
        kept.append(line[:most])
        most -= len(line) + 1
    return "\n".join(kept)
