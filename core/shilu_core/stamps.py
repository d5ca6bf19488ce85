"""What stands behind a fact's text on its line: the stamp, usage tags, the date it ended, a block id.

`- text（写入 2026-11-30｜来源：Agent提交区/codex-20261130-092825-01.md）` or
`- text (written 2026-11-30 | source: inbox/codex-20261130-092825-01.md)`, as dsh-unified-agent-memory
0.5.2 and this project write them; its `｜使用 N 次·最近 DATE` tags and `｜有效至 DATE）` are read, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from shilu_core.layout import Language

_DATE = r"\d{4}-\d{2}-\d{2}"
_USED = rf"[｜|] ?使用 \d+ 次(?:·最近 {_DATE})?"
_STAMP = (
    rf"（写入 (?P<zh_written>{_DATE})｜来源：(?P<zh_source>[^）｜]*)(?:{_USED})?(?:｜有效至 (?P<zh_ended>{_DATE}))?）"
)
_STAMP_EN = (
    rf"\(written (?P<en_written>{_DATE}) ?[|｜] ?source: ?(?P<en_source>[^)|｜]*?)"
    rf"(?: ?[|｜] ?ended (?P<en_ended>{_DATE}))?\)"
)
_ENDED = rf"（有效至 (?P<zh_only_ended>{_DATE})）|\(ended (?P<en_only_ended>{_DATE})\)"
_TAIL = re.compile(rf"[ \t]*(?:{_STAMP}|{_STAMP_EN}|{_ENDED})$")
_USED_TAIL = re.compile(rf"[ \t]*{_USED}$")
_BLOCK_ID = re.compile(r"[ \t]+\^(?P<id>[A-Za-z0-9-]+)[ \t]*$")
_SOURCE_AGENT = re.compile(r"^(?P<agent>.+?)-\d{8}-\d{6}-\d{2,}\.md$")


@dataclass(frozen=True)
class Stamp:
    """When a fact was written and from which submission; `ended` is set once it was superseded."""

    written: date | None = None
    source: str = ""  # path below the vault's notes root, as it stands in the note
    ended: date | None = None

    @property
    def submission(self) -> str:
        """The submission's file name, `""` where the stamp names none."""
        return self.source.rsplit("/", 1)[-1]

    @property
    def agent(self) -> str:
        """The agent whose name the submission's file name begins with, `""` if unknown."""
        matched = _SOURCE_AGENT.match(self.submission)
        return matched["agent"] if matched else self.submission.split("-", 1)[0].removesuffix(".md")


@dataclass(frozen=True)
class Tail:
    """A line's text apart from what stands behind it."""

    text: str
    stamp: Stamp | None
    block_id: str


def read_tail(line: str) -> Tail:
    """Splits `line` (without bullet and line end) into text, stamp and Obsidian block id."""
    body, block_id = line.rstrip(" \t"), ""
    if "^" in body and (matched := _BLOCK_ID.search(body)):
        body, block_id = body[: matched.start()], matched["id"]
    body = _without_usage(body)
    matched = _TAIL.search(body) if body.endswith((")", "）")) else None
    if not matched:
        return Tail(body, None, block_id)
    return Tail(_without_usage(body[: matched.start()]), _stamp(matched), block_id)


def _without_usage(body: str) -> str:
    return _USED_TAIL.sub("", body) if "使用" in body else body


def _stamp(matched: re.Match[str]) -> Stamp:
    written = matched["zh_written"] or matched["en_written"]
    ended = matched["zh_ended"] or matched["en_ended"] or matched["zh_only_ended"] or matched["en_only_ended"]
    source = matched["zh_source"] or matched["en_source"] or ""
    return Stamp(_day(written), source.strip(), _day(ended))


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


def render_stamp(stamp: Stamp, language: Language) -> str:
    """The stamp as it is written behind a fact, with its leading space in English."""
    if stamp.written is None:
        if stamp.ended is None:
            return ""
        return f"（有效至 {stamp.ended}）" if language == "zh" else f" (ended {stamp.ended})"
    if language == "zh":
        ended = f"｜有效至 {stamp.ended}" if stamp.ended else ""
        return f"（写入 {stamp.written}｜来源：{stamp.source}{ended}）"
    ended = f" | ended {stamp.ended}" if stamp.ended else ""
    return f" (written {stamp.written} | source: {stamp.source}{ended})"


def source_name(name: str) -> str:
    """A file name as it stands in a stamp: what would end the stamp or its field is an underscore there."""
    return "".join("_" if character in "()（）|｜" or not character.isprintable() else character for character in name)


def without_stamp(text: str) -> str:
    """A fact's text without a stamp behind it; an Obsidian block id is left, since outside a note it is text."""
    matched = _BLOCK_ID.search(text)
    return text.strip() if matched else read_tail(text.strip()).text.strip()


def end_line(line: str, ended: date, language: Language) -> str:
    """`line` (no line end) with the date it ended put into its stamp, or a stamp of that date added."""
    block = _BLOCK_ID.search(line)
    body, tail = (line[: block.start()], line[block.start() :]) if block else (line.rstrip(" \t"), "")
    matched = _TAIL.search(_USED_TAIL.sub("", body))
    if not matched:
        return body + render_stamp(Stamp(ended=ended), language) + tail
    stamp = _stamp(matched)
    if stamp.ended is not None:
        return line
    closing = matched.end() - 1
    note = f"｜有效至 {ended}" if matched["zh_written"] else f" | ended {ended}"
    return body[:closing] + note + body[closing:] + tail
