"""The grammar of a submission file: bullets or plain lines behind optional YAML front matter."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import yaml
from shilu_core.errors import ShiluError
from shilu_core.layout import Language
from shilu_core.notes import Line, parse, split_lines
from shilu_core.stamps import without_stamp

from shilu_inbox.verdicts import Operation, Submitted

FILE_BYTES = 64 * 1024
FACT_CHARACTERS = 4000
FACTS = 200
OPERATIONS: tuple[Operation, ...] = ("add", "replace", "retract")

_RECALL_BLOCK = re.compile(r"<\s*memory-data\b.*?(?:<\s*/\s*memory-data\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_BULLET = re.compile(r"^[ \t]*[-*+•][ \t]+")
_TABLE_RULE = re.compile(r"^\s*\|?[\s:|-]+\|?\s*$")
FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})")


class SubmissionRefused(ShiluError):
    """The submission as a whole can't be taken; the message gives the figure or the reason.

    The message itself is English; `told` gives it in the language of a list that a person reads.
    """

    def __init__(self, english: str, chinese: str = "") -> None:
        super().__init__(english)
        self._chinese = chinese

    def told(self, language: Language) -> str:
        return self._chinese if language == "zh" and self._chinese else str(self)


@dataclass(frozen=True)
class Header:
    """What the front matter says; unknown keys are left alone."""

    agent: str = ""
    session: str = ""
    workspace: str = ""
    tags: tuple[str, ...] = ()
    target: str = ""
    operation: Operation = "add"
    fact: str = ""


def digest_of(data: bytes) -> str:
    """sha256 of the bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def check_agent(name: str) -> str:
    """The agent's name; raises SubmissionRefused unless it has 1 to 64 letters, digits, `.`, `_` or `-`."""
    fits = 1 <= len(name) <= 64 and all(character.isalnum() or character in "._-" for character in name)
    if not fits or not name[0].isalnum():
        raise SubmissionRefused(
            f"agent name {name!r} won't do: use 1 to 64 letters, digits, '.', '_' or '-', a letter or digit first"
        )
    return name


def render(facts: Sequence[str], header: Header) -> bytes:
    """A submission file; the front matter stands only where it says more than the file name."""
    fields: dict[str, Any] = {
        "session": header.session,
        "workspace": header.workspace,
        "tags": list(header.tags),
        "target": header.target,
        "op": "" if header.operation == "add" else header.operation,
        "fact": header.fact,
    }
    fields = {name: value for name, value in fields.items() if value}
    front = ""
    if fields:
        front = (
            "---\n" + yaml.safe_dump({"agent": header.agent, **fields}, allow_unicode=True, sort_keys=False) + "---\n"
        )
    lines = [
        f"- {first}" + "".join(f"\n  {line}" for line in more) for first, *more in (fact.split("\n") for fact in facts)
    ]
    return (front + "\n".join(lines) + "\n").encode("utf-8", "backslashreplace")


def check_bounds(facts: Sequence[str], size: int) -> None:
    """Raises SubmissionRefused with the figure where something is over its bound."""
    if size > FILE_BYTES:
        raise SubmissionRefused(
            f"the submission has {size:,} bytes, more than {FILE_BYTES:,}; split it",
            f"提交有 {size:,} 字节，超过上限 {FILE_BYTES:,}；请拆开",
        )
    if len(facts) > FACTS:
        raise SubmissionRefused(
            f"the submission has {len(facts)} facts, more than {FACTS}; split it",
            f"提交有 {len(facts)} 条事实，超过上限 {FACTS}；请拆开",
        )
    longest = max(map(len, facts), default=0)
    if longest > FACT_CHARACTERS:
        raise SubmissionRefused(
            f"a fact has {longest:,} characters, more than {FACT_CHARACTERS:,}; shorten it",
            f"有一条事实长 {longest:,} 字，超过上限 {FACT_CHARACTERS:,}；请缩短",
        )


def read(name: str, data: bytes) -> tuple[Submitted, ...]:
    """The facts of a file, one per bullet or plain line; raises SubmissionRefused where a bound or UTF-8 is broken."""
    if len(data) > FILE_BYTES:
        raise SubmissionRefused(
            f"{name} has {len(data):,} bytes, more than {FILE_BYTES:,}; split it",
            f"{name} 有 {len(data):,} 字节，超过上限 {FILE_BYTES:,}；请拆开",
        )
    header, body, offset = _read_header(name, _decode(name, data))
    facts = [(line + offset, text) for line, text in _read_facts(_without_blocks(body)) if text]
    check_bounds([text for _, text in facts], len(data))
    common = Submitted(
        text="",
        submission=name,
        digest=digest_of(data),
        line=0,
        agent=header.agent or agent_of(name),
        session=header.session,
        workspace=header.workspace,
        tags=header.tags,
        target=header.target,
        operation=header.operation,
        fact=header.fact,
    )
    if header.operation == "retract" and header.fact and not facts:
        return (replace(common, line=1),)
    return tuple(replace(common, text=text, line=line) for line, text in facts)


def agent_of(name: str) -> str:
    """The agent that a file name begins with: what stands before the date, or the whole stem."""
    stem = name.rsplit(".", 1)[0]
    matched = re.match(r"^(.+?)-\d{8}(?:-\d{6})?(?:-\d+)?$", stem)
    return matched[1] if matched else stem


def _decode(name: str, data: bytes) -> str:
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise SubmissionRefused(
            f"{name} is no UTF-8 text (byte {error.start}); save it as UTF-8",
            f"{name} 不是 UTF-8 文本（第 {error.start} 字节）；请存成 UTF-8",
        ) from error


def _read_header(name: str, text: str) -> tuple[Header, str, int]:
    """Header, body, and how many lines stand before the body."""
    lines = split_lines(text)
    front = sum(line.kind == "front" for line in parse(name, text.encode("utf-8", "surrogatepass")).lines)
    if not front:
        return Header(), text, 0
    try:
        fields = yaml.safe_load("".join(lines[1 : front - 1]))
    except (yaml.YAMLError, ValueError, RecursionError):
        fields = None
    return _header(fields if isinstance(fields, dict) else {}), "".join(lines[front:]), front


def _header(fields: Mapping[Any, Any]) -> Header:
    def text(key: str) -> str:
        value = fields.get(key)
        return " ".join(str(value).split())[:200] if isinstance(value, (str, int, float)) else ""

    tags = fields.get("tags")
    listed = tags if isinstance(tags, list) else str(tags or "").split(",")
    operation: Operation = next((known for known in OPERATIONS if known == (text("op") or text("operation"))), "add")
    agent = text("agent")
    return Header(
        agent=agent if re.fullmatch(r"[\w.\-]{1,64}", agent) else "",
        session=text("session"),
        workspace=text("workspace"),
        tags=tuple(str(tag).strip().lstrip("#") for tag in listed if str(tag).strip())[:20],
        target=text("target"),
        operation=operation,
        fact=text("fact"),
    )


def _without_blocks(body: str) -> str:
    """Recall blocks blanked out, so that recalled text is never submitted again; lines keep their numbers."""
    return _RECALL_BLOCK.sub(lambda matched: "\n" * matched[0].count("\n"), body)


def _read_facts(body: str) -> list[tuple[int, str]]:
    facts: list[tuple[int, str]] = []
    parents: list[tuple[int, int]] = []  # indent and index in `facts` of the open bullets
    for number, line in enumerate(parse("", body.encode("utf-8", "surrogatepass")).lines, 1):
        text = line.text.strip()
        if line.kind == "bullet":
            indent = len(line.text.expandtabs(4)) - len(line.text.expandtabs(4).lstrip())
            parents = [parent for parent in parents if parent[0] < indent]
            prefix = facts[parents[-1][1]][1] if parents and facts[parents[-1][1]][1].endswith((":", "：")) else ""
            facts.append((number, _join(prefix, without_stamp(_BULLET.sub("", line.text)))))
            parents.append((indent, len(facts) - 1))
        elif line.kind == "continuation" and facts and line.text[:1] in (" ", "\t"):
            facts[-1] = (facts[-1][0], _join(facts[-1][1], without_stamp(text)))
        elif _is_plain_fact(line):
            facts.append((number, without_stamp(text)))
    headed = {facts[index][1] for index in range(len(facts)) if facts[index][1].endswith((":", "："))}
    nested = {text for text in headed if any(other != text and other.startswith(text) for _, other in facts)}
    return [(number, text) for number, text in facts if text not in nested]


def _is_plain_fact(line: Line) -> bool:
    text = line.text.strip()
    if not text or line.kind in ("blank", "heading", "rule", "front"):
        return False
    if line.kind == "html":
        return not text.startswith("<!--") and not text.endswith("-->")
    return not FENCE.match(text) and not (line.kind == "table" and _TABLE_RULE.match(text))


def _join(first: str, second: str) -> str:
    """Two parts of a fact on one line: no blank between Han, Kana or Hangul."""
    if not first or not second:
        return first or second
    wide = [unicodedata.east_asian_width(character) in "WF" for character in (first[-1], second[0])]
    return first + ("" if all(wide) else " ") + second
