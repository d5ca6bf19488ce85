"""The entries of the pending and the conflict list, as they are read from what a person edited."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from shilu_core import hidden
from shilu_core.layout import Layout
from shilu_core.notes import split_lines

from shilu_inbox.texts import LABELS, Labels

Kind = Literal["pending", "conflict"]
WAIT, ACCEPT, REJECT, BOTH = " ", "x", "-", "="

_ENTRY = re.compile(r"^[-*+][ \t]+\[\s*(?P<mark>\S?)\s*\][ \t]+(?:\d+\. +)?(?P<body>.*?)(?: \^(?P<id>[a-z2-7]{10}))?\s*$")
_MARKS = {"": WAIT, "ｘ": ACCEPT, "√": ACCEPT, "✓": ACCEPT, "✔": ACCEPT, "－": REJECT, "–": REJECT, "—": REJECT, "＝": BOTH}
_COLON = "[:：]"  # a person who types Chinese writes the full-width one
_LEGACY_PAIR = re.compile(r"[｜|]\s*(?P<key>[^｜|：:]{1,4})[：:](?P<value>[^｜|]*)")


@dataclass(frozen=True)
class Entry:
    """One line of a list as it stands there, with the indented lines below it.

    `identity` is the item's id; a line in dsh-unified-agent-memory's format has none of its own, so it gets one
    from source and text, and `legacy` says so.
    """

    identity: str
    kind: Kind
    mark: str
    text: str
    target: str = ""
    source: str = ""
    old: str = ""
    category: str = ""
    verdict: str = ""  # the word that the evidence line begins with
    legacy: bool = False
    by_list: bool = False  # accepted only because the whole old-format list was


def read_list(text: str, layout: Layout) -> list[Entry]:
    """The entries of a pending or conflict list, in order; lines that are none are left alone."""
    return [entry for entry, _ in segments(text, LABELS[layout.language]) if entry is not None]


def shown(text: str) -> str:
    """A text as it stands in a list: one line, hidden characters as visible marks."""
    return hidden.visible(text.replace("\n", " ⏎ "))


def legacy_identity(source: str, text: str) -> str:
    """The id of an entry that has none of its own: ten base32 characters of source and text."""
    digest = hashlib.sha256(f"legacy\0{source}\0{text}".encode("utf-8", "surrogatepass")).digest()
    return base64.b32encode(digest).decode("ascii").lower()[:10]


def segments(text: str, labels: Labels) -> list[tuple[Entry | None, list[str]]]:
    """Entries with the lines below that belong to them; every other line as a segment of its own."""
    read: list[tuple[Entry | None, list[str]]] = []
    for line in split_lines(text):
        inside = bool(read) and read[-1][0] is not None and line[:1] in (" ", "\t") and bool(line.strip())
        found = _entry(line.strip() if inside else line.rstrip("\r\n"), labels)
        if not inside or (found is not None and not found.legacy):  # an entry that was indented by hand is one still
            read.append((found, [line]))
            continue
        entry, lines = read[-1]
        lines.append(line)
        word = _verdict_word(line, labels)
        if entry is not None and not entry.verdict and word:
            read[-1] = (replace(entry, verdict=word), lines)
    return read


def _verdict_word(line: str, labels: Labels) -> str:
    """The verdict that an evidence line begins with, `""` for every other line."""
    word = _evidence_text(line).split(labels.separator, 1)[0].split("·", 1)[0].strip()
    return word if word in labels.verdicts.values() else ""


def _evidence_text(line: str) -> str:
    return line.strip().removeprefix("- ")


def own_lines(lines: list[str], labels: Labels) -> list[str]:
    """What a person wrote below an entry: the lines below it that are no evidence of ours."""
    ours = ("⚠ ", f"{labels.nearest} ", f"{labels.restated}{labels.colon}")
    return [
        line if line.endswith(("\n", "\r")) else line + "\n"
        for line in lines[1:]
        if not _verdict_word(line, labels) and not _evidence_text(line).startswith(ours)
    ]


def _entry(line: str, labels: Labels) -> Entry | None:
    matched = _ENTRY.match(line)
    if not matched:
        return None
    mark = _MARKS.get(matched["mark"].lower(), matched["mark"].lower())
    body = matched["body"]
    for words in LABELS.values():
        if body.startswith(words.conflict):
            return _conflict_entry(body.removeprefix(words.conflict), mark, words, matched["id"] or "")
        begins = (words.category,) if not matched["id"] else (words.category, words.target, words.source, words.text)
        if re.match(rf"(?:{'|'.join(begins)}){_COLON}", body):
            return _pending_entry(body, mark, words, matched["id"] or "")
    return None


def _pending_entry(body: str, mark: str, labels: Labels, identity: str) -> Entry:
    fields, rest = {}, body
    keys = (labels.category, labels.target, labels.source, labels.supersedes, labels.retracts, labels.text)
    for key in keys:
        found = re.match(rf"\s*{key}{_COLON}", rest)
        if found is None:
            continue
        rest = rest[found.end() :]
        later = [rf"{re.escape(labels.separator.strip())}\s*{name}{_COLON}" for name in keys]
        stop = re.search("|".join(later), rest) if key != labels.text else None
        fields[key] = rest[: stop.start()].strip() if stop else rest.strip()
        rest = rest[stop.start() :].strip()[len(labels.separator.strip()) :] if stop else ""
    text, source = fields.get(labels.text, ""), fields.get(labels.source, "")
    return Entry(
        identity or legacy_identity(source, text),
        "pending",
        mark,
        text,
        fields.get(labels.target, ""),
        source,
        fields.get(labels.supersedes, fields.get(labels.retracts, "")),
        fields.get(labels.category, ""),
        legacy=not identity,
    )


def _conflict_entry(body: str, mark: str, labels: Labels, identity: str) -> Entry | None:
    fields = _conflict_fields(body.strip())
    if fields is None or not fields.get(labels.new):
        return None
    text, source = fields[labels.new], fields.get(labels.source, "")
    own = fields.get(labels.identity, "") or identity
    return Entry(
        own or legacy_identity(source, text),
        "conflict",
        mark,
        text,
        fields.get(labels.target, ""),
        source,
        fields.get(labels.old, ""),
        legacy=not own,
    )


def _conflict_fields(body: str) -> Mapping[str, str] | None:
    if body.startswith("{"):
        try:
            found = json.loads(body)
        except json.JSONDecodeError:
            return None
        return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else None
    return {
        matched["key"].strip(): matched["value"].strip() for matched in _LEGACY_PAIR.finditer("｜" + body.lstrip("｜"))
    }
