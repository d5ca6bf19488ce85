"""The verdicts of a batch, line by line: find candidates, weigh them, decide, explain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from shilu_core.facts import Fact

from shilu_inbox.judge.candidates import EarlierCandidates, KnownCandidates
from shilu_inbox.judge.reasons import reason
from shilu_inbox.judge.returning import Former
from shilu_inbox.judge.topics import Found, Topics
from shilu_inbox.judge.vectors import Likeness, StoredVectors, TextEmbedder
from shilu_inbox.judge.weighing import Candidate, Opinion, Weighed, opinion, pairs_of, weigh
from shilu_inbox.verdicts import Flag, FormerValue, Judgement, Near, Submitted, Verdict

Progress = Callable[[int, int], None]

NEAREST = 3  # stored facts shown with every line
# Below this the verdict waits for a person: it holds four of ten misses and one of thirty right answers among
# the own cases (bench/judge.py prints both).
LOW_CONFIDENCE = 0.5
EMBEDDED_KNOWN = 200  # so many stored facts are embedded on the spot; of more only the nearest by words
_EMBEDDED_NEAREST = 3
WORTH_EMBEDDING = 0.05  # chance of being related, by words, from which a stored fact is embedded on the spot


def judge(
    batch: Sequence[Submitted],
    known: Sequence[Fact],
    *,
    former: Sequence[FormerValue] = (),
    embedder: TextEmbedder | None = None,
    language: str = "en",
    progress: Progress | None = None,
    stored: StoredVectors | None = None,
) -> list[Judgement]:
    """One judgement for each submitted fact, in order; later lines are judged against earlier ones, too.

    `known` holds the vault's facts; superseded ones count as former values. `progress(done, total)` is called
    as facts are read and lines are judged. `stored` gives the vectors that the index holds for known texts, so
    that meaning finds candidates among many facts; without it, few facts are embedded on the spot.
    """
    bench = _Bench(batch, known, former, embedder, language, progress, stored)
    return [bench.judge(at) for at in range(len(batch))]


@dataclass
class _Bench:
    """One sitting of the judge: what is known, and what was found about the lines so far."""

    batch: Sequence[Submitted]
    known: Sequence[Fact]
    former: Sequence[FormerValue]
    embedder: TextEmbedder | None
    language: str
    progress: Progress | None
    stored: StoredVectors | None
    topics: Topics = field(default_factory=Topics)

    def __post_init__(self) -> None:
        self.standing = [fact for fact in self.known if not fact.superseded]
        self.total = len(self.standing) + len(self.batch)
        self.texts = [fact.text for fact in self.standing]
        self.by_words = KnownCandidates(self.texts, self._tell)
        self.earlier = EarlierCandidates([submitted.text for submitted in self.batch])
        self.gone = Former(self.former, [fact for fact in self.known if fact.superseded])
        self.likeness: Likeness | None = None
        if self.embedder and self.batch:
            self.likeness = Likeness(self.embedder, self.texts, self.stored)
            self.likeness.learn(submitted.text for submitted in self.batch)
            if self.stored is None and len(self.texts) <= EMBEDDED_KNOWN:
                self.likeness.learn(self.texts)
        self.open_lines: list[int] = []

    def judge(self, at: int) -> Judgement:
        """The judgement of one line; it may be a candidate for the lines after it."""
        text = self.batch[at].text
        found = self._candidates(at)
        weighed = self._weigh(text, found)
        said = opinion(weighed)
        self._remember(at, said, found)
        self._tell(len(self.texts) + at + 1)
        return self._judgement(text, said, found, weighed)

    def _candidates(self, at: int) -> list[Found]:
        text = self.batch[at].text
        lines = [line for line in self.open_lines if self.topics.holds(("line", line))]
        found = [Found(("line", line), self.batch[line].text) for line in self.earlier.nearest(at, lines)]
        rows = [row for row in self._stored_rows(text) if self.topics.holds(("known", row))]
        return [Found(("known", row), self.standing[row].text, self.standing[row].heading) for row in rows] + found

    def _stored_rows(self, text: str) -> list[int]:
        rows = self.by_words.nearest(text)
        if self.likeness:
            alike = self.likeness.nearest(text, self.texts, _EMBEDDED_NEAREST)
            rows += [row for row in alike if row not in rows]
        return rows

    def _weigh(self, text: str, found: Sequence[Found]) -> list[Weighed]:
        candidates = [Candidate(one.text, self.topics.topic(one.reference), one.heading) for one in found]
        pairs = pairs_of(text, candidates)
        if self.likeness:
            by_words = weigh(pairs, candidates, None)
            related = sorted(by_words, key=lambda one: -one.related)[:_EMBEDDED_NEAREST]
            unknown = [one.pair.known for one in related if one.related >= WORTH_EMBEDDING]
            self.likeness.learn(old for old in unknown if self.likeness.between(text, old) is None)
        return weigh(pairs, candidates, self.likeness)

    def _remember(self, at: int, said: Opinion, found: Sequence[Found]) -> None:
        if said.verdict != "duplicate":
            self.open_lines.append(at)
        if said.choice is None:
            return
        concerned = found[said.choice].reference
        self.topics.join(("line", at), concerned)
        if said.verdict == "supersede":
            self.topics.supersede(concerned)

    def _judgement(self, text: str, said: Opinion, found: Sequence[Found], weighed: Sequence[Weighed]) -> Judgement:
        kind, number = found[said.choice].reference if said.choice is not None else ("", -1)
        return Judgement(
            verdict=_verdict(said.verdict),
            reason=reason(said, weighed, self.language),
            confidence=round(said.confidence, 3),
            target=self.standing[number] if kind == "known" else None,
            earlier=number if kind == "line" else None,
            flags=(*_doubt(said, self.language), *self.gone.flags(text, said, self.language)),
            nearest=self._nearest(found, weighed),
            evidence=_evidence(said, weighed),
        )

    def _nearest(self, found: Sequence[Found], weighed: Sequence[Weighed]) -> tuple[Near, ...]:
        near = [
            (round(one.similarity, 3), one.related, at)
            for at, one in enumerate(weighed)
            if found[at].reference[0] == "known"
        ]
        best = sorted(near, key=lambda scored: (-scored[1], -scored[0]))[:NEAREST]
        return tuple(Near(self.standing[found[at].reference[1]], similarity) for similarity, _, at in best)

    def _tell(self, done: int) -> None:
        if self.progress:
            self.progress(done, self.total)


def _verdict(verdict: str) -> Verdict:
    names: dict[str, Verdict] = {
        "new": "new",
        "duplicate": "duplicate",
        "conflict": "conflict",
        "supersede": "supersede",
    }
    return names[verdict]


def _doubt(said: Opinion, language: str) -> tuple[Flag, ...]:
    if said.confidence >= LOW_CONFIDENCE:
        return ()
    detail = "判断把握不大，请人工确认" if language == "zh" else "the verdict is uncertain; please look yourself"
    return (Flag("low-confidence", detail),)


def _evidence(said: Opinion, weighed: Sequence[Weighed]) -> dict[str, str]:
    if said.choice is None:
        return {}
    pair = weighed[said.choice].pair
    shown = {
        "known": pair.known,
        "only here": ", ".join(value.text for value in pair.new_values),
        "only there": ", ".join(value.text for value in pair.old_values),
        "in both": ", ".join(value.text for value in pair.shared_values),
    }
    return {name: text for name, text in shown.items() if text}
