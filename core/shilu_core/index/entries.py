"""What is indexed of a note: its facts, and its other text cut into passages of readable size."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from shilu_core.creation import scaffold
from shilu_core.facts import Fact, Passage, fact_id
from shilu_core.notes import Note

LONGEST_PASSAGE = 400  # characters; longer paragraphs and table rows are indexed in parts (faults F25)
_BREAK = re.compile(r"(?<=[。！？!?；;])\s*|(?<=\.)\s+|\n|(?<=\|)")
_RULE = re.compile(r"[\s|:+=-]+")  # of a table: no word in it
_SIGNPOST = re.compile(r"\|[^|]*\|\s*\[\[[^\]|]+\]\]\s*\|")  # a row that only says which note a topic is in
_SCAFFOLD = scaffold("zh") | scaffold("en")
_SPEAKER = re.compile(r"^\**(?P<name>[^\W\d_][\w .'-]{0,23}?)\**\s?[:：]\s?\S")


@dataclass(frozen=True)
class Entry:
    """One searchable line. `flow` names the dialogue or paragraph it is a piece of: only pieces of one flow,
    standing behind each other, lend each other context. `speaker` is who said a line of a dialogue."""

    fact: Fact
    title: str
    kind: str = "fact"  # fact | text | table | code
    flow: str = ""
    speaker: str = ""


def note_title(note: str) -> str:
    """`projects/Kiosk.md` -> `Kiosk`."""
    name = note.rsplit("/", 1)[-1]
    return name[: -len(".md")] if name.lower().endswith(".md") else name


def entries_of(note: Note) -> tuple[Entry, ...]:
    """All searchable lines of a note, facts first, each in the order of the note."""
    title = note_title(note.id)
    speakers = _speakers(note)
    facts = [
        Entry(fact, title, flow=_flow(fact, speakers), speaker=_speaker(fact.text, speakers)) for fact in note.facts
    ]
    return (*facts, *_passages(note, title))


def _speaker(text: str, speakers: frozenset[str]) -> str:
    matched = _SPEAKER.match(text)
    return matched["name"] if matched and matched["name"] in speakers else ""


def _speakers(note: Note) -> frozenset[str]:
    """Names that begin lines as `Name: ...`, if most lines of the note are such turns of few people."""
    lines = [_SPEAKER.match(fact.text) for fact in note.facts]
    names = Counter(matched["name"] for matched in lines if matched)
    dialogue = len(lines) >= 4 and sum(names.values()) >= 0.8 * len(lines) and 4 * len(names) <= len(lines)
    return frozenset(names) if dialogue else frozenset()


def _flow(fact: Fact, speakers: frozenset[str]) -> str:
    return f"{fact.note}#{fact.heading}" if _speaker(fact.text, speakers) else ""


def _passages(note: Note, title: str) -> Iterator[Entry]:
    seen: Counter[str] = Counter()
    for passage in note.passages:
        if passage.text.strip() in _SCAFFOLD or _RULE.fullmatch(passage.text) or _SIGNPOST.fullmatch(passage.text):
            continue
        parts = _parts(passage)
        for part in parts:
            identity = fact_id(note.id, f"{passage.kind}\0{part}", seen[part])
            seen[part] += 1
            fact = Fact(identity, part, note.id, passage.line, passage.line + 1, heading=passage.heading)
            flow = f"{note.id}:{passage.line}" if len(parts) > 1 else ""
            yield Entry(fact, title, passage.kind, flow)


def _parts(passage: Passage) -> list[str]:
    """The passage whole if it is short, else its sentences or cells put together up to the longest size."""
    if len(passage.text) <= LONGEST_PASSAGE:
        return [passage.text]
    parts = [""]
    for piece in _BREAK.split(passage.text):
        for start in range(0, len(piece), LONGEST_PASSAGE):
            chunk = piece[start : start + LONGEST_PASSAGE]
            if len(parts[-1]) + len(chunk) > LONGEST_PASSAGE:
                parts.append("")
            parts[-1] = f"{parts[-1]} {chunk}" if parts[-1] else chunk
    return [part for part in (part.strip() for part in parts) if part]
