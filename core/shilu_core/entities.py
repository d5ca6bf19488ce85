"""Things a text names: hosts, addresses, services, people, files, tags, notes; shared ones link facts.

Found by form only, offline and without a model: identifiers with a dash, dot, digit or inner capital; paths,
URLs, addresses; `#tags`; `[[wikilinks]]` (none from code); quoted names; capitalised words inside a sentence;
nicknames such as `阿橙`. Plain lower-case words are entities only where a vault says so: `known` holds those
that some line marks as such (`satsuma (10.0.0.5)`, `runs on kumquat`), see `defined_names`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from shilu_core.folding import fold

Kind = Literal["address", "url", "path", "file", "identifier", "name", "tag", "link", "term"]


@dataclass(frozen=True)
class Entity:
    """One mention: its kind, a folded key equal for equal things, and where it stands in the text."""

    kind: Kind
    key: str
    start: int
    end: int


@dataclass(frozen=True)
class Wikilink:
    """`[[target#heading|alias]]`, `![[target]]`; `target` as it is written."""

    target: str
    heading: str
    alias: str
    embedded: bool
    start: int
    end: int


_CODE = re.compile(r"(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_LINK = re.compile(
    r"(?P<embed>!?)\[\[(?P<target>[^\[\]|#\n]*)(?:#(?P<heading>[^\[\]|\n]*))?(?:\|(?P<alias>[^\[\]\n]*))?\]\]"
)
# Kind, what must stand in a text that has any (asked first, since it costs a tenth), form.
_PATTERNS: tuple[tuple[Kind, re.Pattern[str], re.Pattern[str]], ...] = (
    ("url", re.compile("://"), re.compile(r"\b[a-z][a-z0-9+.-]{1,11}://[^\s<>\"'`，。；、）)】]+", re.IGNORECASE)),
    ("address", re.compile(r"\d\.\d"), re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\d)")),
    ("path", re.compile(r"[/\\]"), re.compile(r"(?<![\w.~/\\])(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.\-~/\\@+]+")),
    ("tag", re.compile("#"), re.compile(r"(?<![\w#&/])#(?=[^\W\d_])[\w/-]{2,40}")),
    (
        "file",
        re.compile(r"\.[A-Za-z]"),
        re.compile(r"(?<![\w./-])[\w][\w./-]*\.[A-Za-z][A-Za-z0-9]{0,7}(?![\w/-])", re.ASCII),
    ),
    (
        "identifier",
        re.compile(r"[-_.][A-Za-z0-9]"),
        re.compile(r"(?<![\w-])[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)+(?![\w-])", re.ASCII),
    ),
    (
        "identifier",
        re.compile(r"[A-Za-z][0-9]"),
        re.compile(r"(?<!\w)(?=[A-Za-z]*[0-9])[A-Za-z][A-Za-z0-9]{1,31}(?!\w)", re.ASCII),
    ),
    (
        "identifier",
        re.compile(r"[A-Za-z0-9][A-Z]"),
        re.compile(r"(?<!\w)(?:[a-z]+(?:[A-Z][a-z0-9]*)+|(?:[A-Z][a-z0-9]+){2,}|[A-Z]{2,12})(?!\w)", re.ASCII),
    ),
    (
        "name",
        re.compile("[阿老小]"),
        re.compile(r"阿[\u4e00-\u9fff](?![\u4e00-\u9fff]*[娘爸妈姨])|[老小][\u4e00-\u9fff](?=[（(:：，,、\s]|负责|是)"),
    ),
    ("name", re.compile("[”」』]"), re.compile(r"(?<=[“「『])[^“”「」『』，。\n]{2,16}(?=[”」』])")),
    ("name", re.compile("[A-Z][a-z]"), re.compile(r"(?<!\w)[A-Z][a-z]{2,20}(?:\s[A-Z][a-z]{2,20})?(?!\w)", re.ASCII)),
)
_SENTENCE_START = re.compile(r"(?:^|[.!?。！？:：]\s*|[\n\-*•]\s*|[\"“「(（]\s*)$")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*", re.ASCII)
_ADDRESSED = re.compile(
    r"(?<![\w.-])(?P<name>[a-z][a-z0-9_-]{2,30})\s*"
    r"(?:[（(,，]\s*\d{1,3}(?:\.\d{1,3}){3}|[=＝]|:\d{2,5}(?!\d)|(?:是|为)(?=\W*[第我生测主备一数节]))"
)
_PLACED = re.compile(
    r"(?:\b(?:host|server|machine|node|box|moved (?:\S+ )?(?:from|to)|(?:runs?|hosted|lives|deployed) on)\s+"
    r"|(?:跑在|部署在|放在|位于|主机|机器|服务器|节点|迁到|搬到|(?<![现存])在)\s*)"
    r"(?P<name>[a-z][a-z0-9_-]{3,30})(?![\w.-])"
)
_COMMON = frozenset(
    """
    the this that these those there here when where what which who why how every each any all some
    staging production main prod test local demand top time default disk call port hand site purpose
    paper board duty running status start channel docs rules schema accepted tracking http https monday
    tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december
    """.split()  # noqa: SIM905
)


def wikilinks(text: str) -> tuple[Wikilink, ...]:
    """The wikilinks of `text`; what stands in code spans is no link."""
    if "[[" not in text:
        return ()
    plain = _without_code(text)
    return tuple(
        Wikilink(
            matched["target"].strip(),
            (matched["heading"] or "").strip(),
            (matched["alias"] or "").strip(),
            bool(matched["embed"]),
            matched.start(),
            matched.end(),
        )
        for matched in _LINK.finditer(plain)
        if matched["target"].strip()
    )


def _without_code(text: str) -> str:
    return _CODE.sub(lambda matched: " " * len(matched[0]), text)


def entities(text: str, known: Container[str] = frozenset()) -> tuple[Entity, ...]:
    """The mentions in `text`, in order, longest first where they overlap; `known` adds plain names."""
    formal = _formal(text)
    if known == frozenset():
        return formal
    taken = [(entity.start, entity.end) for entity in formal]
    found = [*formal, *_known_names(text, known, taken)]
    return tuple(sorted(found, key=lambda entity: (entity.start, entity.end)))


@lru_cache(maxsize=2048)
def _formal(text: str) -> tuple[Entity, ...]:
    """The mentions that their form tells."""
    found = [Entity("link", fold(link.target), link.start, link.end) for link in wikilinks(text)]
    taken = [(entity.start, entity.end) for entity in found]
    for kind, needed, pattern in _PATTERNS:
        if not needed.search(text):
            continue
        for matched in pattern.finditer(text):
            span = matched.span()
            if any(start < span[1] and span[0] < end for start, end in taken):
                continue
            if entity := _accept(kind, matched[0], text, span):
                found.append(entity)
                taken.append(span)
    return tuple(sorted(found, key=lambda entity: (entity.start, entity.end)))


def _accept(kind: Kind, mention: str, text: str, span: tuple[int, int]) -> Entity | None:
    mention = mention.rstrip(".,;:/\\").lstrip("#")
    key = mention.casefold() if mention.isascii() else fold(mention)
    if kind == "name" and mention.isascii() and (key in _COMMON or _SENTENCE_START.search(text[: span[0]])):
        return None
    if kind == "identifier" and (key.isdigit() or re.fullmatch(r"[\d.\-_]+", key)):
        return None
    return Entity(kind, key, *span) if len(key) > 1 else None


def _known_names(text: str, known: Container[str], taken: list[tuple[int, int]]) -> Iterator[Entity]:
    for matched in _WORD.finditer(text):
        key = matched[0].casefold()
        if key in known and not any(start < matched.end() and matched.start() < end for start, end in taken):
            yield Entity("term", key, *matched.span())


def defined_names(texts: Iterable[str]) -> frozenset[str]:
    """Plain words that some line uses as the name of a host: before an address, after `runs on`."""
    out: set[str] = set()
    for text in texts:
        for matched in (*_ADDRESSED.finditer(text), *_PLACED.finditer(text)):
            name = matched["name"].casefold()
            if name not in _COMMON:
                out.add(name)
    return frozenset(out)
