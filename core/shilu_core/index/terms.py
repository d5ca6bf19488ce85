"""The search terms of one entry, by field."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from shilu_core.entities import defined_names, entities
from shilu_core.folding import fold
from shilu_core.index.entries import Entry
from shilu_core.index.postings import frequencies
from shilu_core.index.traits import ASKS, CJK, PASSAGE, SPOKEN, SUPERSEDED, TURN, stated
from shilu_core.words import is_cjk, tokens

FIELDS = ("words", "pairs", "trigrams", "graph")
TITLE_SHARE = 0.3  # a word of title or heading counts as much as this part of one in the text (bench/fit_fusion.py)
TURN_CONTEXT = 200  # characters of the turn before: who is answered is half of the meaning
SUBJECT_START = 8  # characters: a line that begins with a name (an article or quote before it allowed) is about it


@dataclass(frozen=True)
class Terms:
    """Counts by field, and the bits of `traits` (without CONTINUES, which depends on the row before)."""

    fields: Mapping[str, Mapping[str, float]]
    traits: int


def subject(key: str) -> str:
    """Graph term of the lines that begin with an entity or define it."""
    return "s:" + key


def mention(key: str) -> str:
    """Graph term of all lines that name an entity."""
    return "e:" + key


def speaker(name: str) -> str:
    """Graph term of the lines that a person said."""
    return "@:" + name.casefold()


def inside(title: str) -> str:
    """Graph term of the lines of a note, by what a wikilink to it says."""
    return "n:" + fold(title)


def definition(name: str) -> str:
    """Graph term of the lines that make a plain word a name."""
    return "d:" + name


_weak_tokens = lru_cache(maxsize=1024)(tokens)


def identity_of(entry: Entry) -> int:
    """32 bits that stand for a line, equal in every index of the vault: what decides between equal scores."""
    return zlib.crc32(entry.fact.id.encode())


def vector_text(entry: Entry, before: Entry | None) -> str:
    """What is embedded for a line: a turn of a dialogue stands behind the end of the turn before it."""
    turn = bool(entry.flow) and entry.fact.text.startswith(f"{entry.speaker}:") and bool(entry.speaker)
    if turn and before is not None and before.flow == entry.flow:
        return f"{before.fact.text[-TURN_CONTEXT:]}\n{entry.fact.text}"
    return entry.fact.text


def vector_key(text: str) -> int:
    """The vector store's key of a text: eight bytes of a digest, as a signed number."""
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def terms_of(entry: Entry) -> Terms:
    text = entry.fact.text
    body, weak = tokens(text), _weak_tokens(f"{entry.title} {entry.fact.heading}")
    defined = defined_names([text])
    mentions = entities(text, defined)
    graph: dict[str, float] = {}
    for number, entity in enumerate(mentions):
        graph[mention(entity.key)] = 1.0
        if entity.key in defined or (number == 0 and entity.start <= SUBJECT_START):
            graph[subject(entity.key)] = 1.0
    if entry.kind == "fact":
        graph[inside(entry.title)] = 1.0
    graph.update(dict.fromkeys((definition(name) for name in defined), 1.0))
    graph.update(dict.fromkeys((speaker(part) for part in entry.speaker.split()), 1.0))
    fields = {
        "words": frequencies(body.words, weak.words, TITLE_SHARE),
        "pairs": frequencies(body.pairs, weak.pairs, TITLE_SHARE),
        "trigrams": frequencies(body.trigrams),
        "graph": graph,
    }
    bits = stated(text, frozenset(body.words), mentions) | (ASKS if "?" in text[-40:] or "？" in text[-40:] else 0)
    bits |= TURN if entry.speaker else 0
    bits |= SPOKEN if entry.speaker and text.startswith(f"{entry.speaker}:") else 0
    bits |= (SUPERSEDED if entry.fact.superseded else 0) | (PASSAGE if entry.kind != "fact" else 0)
    return Terms(fields, bits | (CJK if is_cjk(text) else 0))
