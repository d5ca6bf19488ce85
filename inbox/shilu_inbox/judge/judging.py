"""The verdicts of a batch: first form, by shared words, differing values and cues of replacement."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shilu_core.facts import Fact
from shilu_core.folding import fold

from shilu_inbox.verdicts import Flag, FormerValue, Judgement, Near, Submitted

_TERM = re.compile(r"[a-z0-9]+(?:[._/:@-][a-z0-9]+)*|[一-鿿぀-ヿ가-힯]+")
_CUE = re.compile(
    r"改用|改为|改成|换成|迁移|迁到|不再|升级|取代|替换|现在|"
    r"\b(?:now|moved?|no longer|instead|migrated|replaced|switched|upgraded|changed|anymore|renamed)\b"
)
_ONLY_MARKS = re.compile(r"[\W_]+")
_STOP = frozenset(
    [
        "the",
        "a",
        "an",
        "is",
        "are",
        "of",
        "to",
        "in",
        "on",
        "at",
        "and",
        "or",
        "for",
        "with",
        "by",
        "be",
        "it",
        "its",
        "this",
        "that",
    ]
)
_SAME_SUBJECT = 0.5  # share of the shorter text's words that the other has, too
_NEAREST = 3


@dataclass(frozen=True)
class _Entry:
    terms: frozenset[str]
    bare: str
    fact: Fact | None
    earlier: int | None
    text: str


def _terms(folded: str) -> frozenset[str]:
    found: set[str] = set()
    for run in _TERM.findall(folded):
        if run[0].isascii():
            found.add(run)
        else:
            found.update(run[at : at + 2] for at in range(max(1, len(run) - 1)))
    return frozenset(found - _STOP)


def _entry(text: str, fact: Fact | None, earlier: int | None) -> _Entry:
    folded = fold(text)
    return _Entry(_terms(folded), _ONLY_MARKS.sub("", folded), fact, earlier, text)


class _Entries:
    def __init__(self) -> None:
        self.rows: list[_Entry] = []
        self.postings: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, entry: _Entry) -> None:
        for term in entry.terms:
            self.postings[term].append(len(self.rows))
        self.rows.append(entry)

    def nearest(self, entry: _Entry) -> list[tuple[float, _Entry]]:
        """Entries that share words, best first, each with the share of the shorter one's words."""
        counts: Counter[int] = Counter()
        for term in entry.terms:
            posting = self.postings.get(term, [])
            if len(posting) <= 5000:
                counts.update(posting)
        scored = [
            (count / max(1, min(len(entry.terms), len(self.rows[row].terms))), row)
            for row, count in counts.items()
        ]
        return [
            (score, self.rows[row]) for score, row in sorted(scored, key=lambda it: (-it[0], -it[1]))[:10]
        ]


def judge(
    batch: Sequence[Submitted],
    known: Sequence[Fact],
    *,
    former: Sequence[FormerValue] = (),
    embedder: object | None = None,
    language: str = "en",
    progress: Callable[[int, int], None] | None = None,
) -> list[Judgement]:
    """One judgement for each submitted fact, in order; later lines are judged against earlier ones, too.

    `known` holds the vault's facts (superseded ones count as former values); `progress(done, total)` is
    called as lines are judged.
    """
    entries = _Entries()
    for fact in known:
        if not fact.superseded:
            entries.add(_entry(fact.text, fact, None))
    gone = {_ONLY_MARKS.sub("", fold(value.text)): value for value in former}
    judgements = []
    for at, submitted in enumerate(batch):
        entry = _entry(submitted.text, None, at)
        judgement = _judge_one(entry, entries, language)
        if value := gone.get(entry.bare):
            flag = Flag("returned", f"{value.fate} {value.when}: {value.text}")
            judgement = Judgement(**{**judgement.__dict__, "flags": (*judgement.flags, flag)})
        judgements.append(judgement)
        entries.add(entry)
        if progress:
            progress(at + 1, len(batch))
    return judgements


def _judge_one(entry: _Entry, entries: _Entries, language: str) -> Judgement:
    nearest = entries.nearest(entry)
    near = tuple(Near(other.fact, min(1.0, score)) for score, other in nearest if other.fact)[:_NEAREST]
    zh = language == "zh"
    for score, other in nearest:
        if other.bare == entry.bare or (score >= 1.0 and entry.terms <= other.terms):
            reason = "与已有的一条说的相同" if zh else "says the same as a known fact"
            return Judgement("duplicate", reason, 1.0, other.fact, _earlier(other), nearest=near)
    if nearest and nearest[0][0] >= _SAME_SUBJECT:
        score, other = nearest[0]
        if _CUE.search(fold(entry.text)):
            reason = "取代已有的一条" if zh else "replaces what a known fact says"
            return Judgement("supersede", reason, score, other.fact, _earlier(other), nearest=near)
        reason = "同一对象，说法不同" if zh else "same subject, another value"
        return Judgement("conflict", reason, score, other.fact, _earlier(other), nearest=near)
    return Judgement("new", "没有相近的已知事实" if zh else "nothing known resembles it", nearest=near)


def _earlier(entry: _Entry) -> int | None:
    return entry.earlier if entry.fact is None else None
