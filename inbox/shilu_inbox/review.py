"""The review: a pure function of what waits, what the vault holds and what the ledger remembers."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from shilu_core.embed import Embedder
from shilu_core.facts import ID_LENGTH, Fact
from shilu_core.layout import Language
from shilu_core.stamps import source_name
from shilu_core.vault import Vault

from shilu_inbox import category, noise
from shilu_inbox.flag_words import hidden_flags
from shilu_inbox.judge import judge
from shilu_inbox.judge.leaving import also_ends
from shilu_inbox.verdicts import FormerValue, Judgement, Submitted
from shilu_inbox.waiting import Arrival

OUTSIDE = "memory protocol"  # stands for the file's name where an item comes from no file (see `outside`)
Place = Literal["pending", "conflict", "settled", "refused"]


@dataclass(frozen=True)
class Item:
    """One decision: a submitted fact with its judgement, and the restatements that share its fate.

    `other` is the id of the item of the same batch that this one conflicts with or supersedes; `contested`
    says that another item of the batch conflicts with this one, so that only a ruling there settles it.
    """

    id: str
    submitted: Submitted
    judgement: Judgement
    place: Place
    restatements: tuple[Submitted, ...] = ()
    other: str = ""
    contested: bool = False
    arrived: float = 0.0  # POSIX time at which its file was written

    @property
    def verdict(self) -> str:
        """The verdict as it is shown: `retract` for a wish to take a fact back."""
        return "retract" if self.submitted.operation == "retract" else self.judgement.verdict

    @property
    def is_ticked(self) -> bool:
        """Whether the review ticks it by itself: unflagged, new, and uncontested."""
        plain = self.judgement.verdict == "new" and self.submitted.operation == "add"
        return plain and not self.judgement.flags and not self.contested and not self.is_outside

    @property
    def is_outside(self) -> bool:
        """Whether the item comes from another channel, which carries out what is ruled on it."""
        return self.submitted.submission == OUTSIDE


@dataclass(frozen=True)
class Review:
    """Everything that waits, judged; `quarantined` are files that hold a secret."""

    items: tuple[Item, ...] = ()
    quarantined: tuple[Arrival, ...] = ()
    unsettled: tuple[str, ...] = ()
    arrivals: tuple[Arrival, ...] = ()

    def at(self, place: Place) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.place == place)

    def item(self, identity: str) -> Item | None:
        return next((item for item in self.items if item.id == identity), None)

    @property
    def oldest(self) -> float | None:
        """POSIX time of the oldest item that waits for a person, None where nothing does."""
        return min((item.arrived for item in self.items if item.place in ("pending", "conflict")), default=None)


@dataclass(frozen=True)
class Known:
    """What the review compares with."""

    vault: Vault
    facts: Sequence[Fact]
    former: Sequence[FormerValue] = ()
    settled: Collection[tuple[str, str, int]] = frozenset()  # name, digest, line of the lines already settled
    settled_before: Collection[tuple[str, str]] = frozenset()  # name and digest of files settled and moved before
    corrections: Mapping[str, str] = frozenset()  # type: ignore[assignment]  # category -> note that a person chose
    carried: Mapping[str, Fact] = field(default_factory=dict)  # an id that a hand edit ended -> the fact it is now


def item_id(submitted: Submitted) -> str:
    """Ten base32 characters that name a submitted line: of its file's name and digest, its line, its text."""
    text = f"{submitted.submission}\0{submitted.digest}\0{submitted.line}\0{submitted.text}"
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return base64.b32encode(digest).decode("ascii").lower()[:ID_LENGTH]


def review(
    arrivals: Sequence[Arrival],
    known: Known,
    *,
    embedder: Embedder | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Review:
    """Judges every waiting line against the vault and the lines before it."""
    language = known.vault.layout.language
    waiting = [
        (arrival, fact)
        for arrival in arrivals
        for fact in arrival.facts
        if (fact.submission, fact.digest, fact.line) not in known.settled
    ]
    applied = _applied(known.facts)
    items: list[Item] = [_refused_whole(arrival) for arrival in arrivals if arrival.refused]
    asked: list[tuple[Arrival, Submitted]] = []
    for arrival, fact in waiting:
        refusal = _refusal(fact, known, applied)
        if refusal is not None:
            items.append(replace(refusal, arrived=arrival.modified))
        elif fact.operation == "add":
            asked.append((arrival, fact))
        else:
            items.append(replace(_change(fact, known), arrived=arrival.modified))
    if asked:
        judgements = judge(
            [fact for _, fact in asked],
            known.facts,
            former=known.former,
            embedder=embedder,
            language=language,
            progress=progress,
        )
        items += _grouped(
            asked, [_assessed(fact, found, known, embedder) for (_, fact), found in zip(asked, judgements, strict=True)]
        )
    return Review(tuple(items), tuple(arrival for arrival in arrivals if arrival.secret), arrivals=tuple(arrivals))


def _applied(facts: Sequence[Fact]) -> dict[tuple[str, str], Fact]:
    return {(fact.stamp.submission, fact.text): fact for fact in facts if fact.stamp and fact.stamp.submission}


def _refusal(fact: Submitted, known: Known, applied: Mapping[tuple[str, str], Fact]) -> Item | None:
    """The item of a line that needs no decision: applied already, or noise."""
    done = applied.get((source_name(fact.submission), fact.text))
    returned = done is not None and done.superseded and (fact.submission, fact.digest) in known.settled_before
    if done is not None and fact.operation == "add" and not returned:
        reason = "applied already" if known.vault.layout.language == "en" else "已经写入"
        return Item(item_id(fact), fact, Judgement("duplicate", reason, target=done, note=done.note), "settled")
    reason_for_noise = noise.reason(fact.text, known.vault.layout.language) if fact.text else None
    if reason_for_noise:
        return Item(item_id(fact), fact, Judgement("refused", reason_for_noise), "refused")
    return None


def _refused_whole(arrival: Arrival) -> Item:
    fact = Submitted("", arrival.name, arrival.digest, 0)
    return Item(item_id(fact), fact, Judgement("refused", arrival.refused), "refused", arrived=arrival.modified)


def _change(fact: Submitted, known: Known) -> Item:
    """The item of a wish to replace or retract a stored fact."""
    zh = known.vault.layout.language == "zh"
    target = next((stored for stored in known.facts if stored.id == fact.fact), known.carried.get(fact.fact))
    if target is None and not fact.fact:
        target = next((stored for stored in known.facts if not stored.superseded and stored.text == fact.text), None)
    if target is None:
        text = f"没有编号为 {fact.fact!r} 的事实" if zh else f"no fact has the id {fact.fact!r}"
        return Item(item_id(fact), fact, Judgement("refused", text), "refused")
    reason = {
        "replace": "提交者要求改写这条事实" if zh else "the submitter asks to replace this fact",
        "retract": "提交者要求撤回这条事实" if zh else "the submitter asks to take this fact back",
    }[fact.operation]
    flags = hidden_flags(fact.text, known.vault.layout.language)
    return Item(
        item_id(fact), fact, Judgement("supersede", reason, target=target, note=target.note, flags=flags), "pending"
    )


def _assessed(fact: Submitted, judgement: Judgement, known: Known, embedder: Embedder | None) -> Judgement:
    """The judgement with category, note and flags added."""
    found = category.classify(fact.text, embedder=embedder)
    flags = (*judgement.flags, *hidden_flags(fact.text, known.vault.layout.language))
    if judgement.target is not None and judgement.verdict in ("duplicate", "supersede", "conflict"):
        reason = judgement.reason + _warning(fact, judgement, known.vault.layout.language)
        return replace(judgement, category=found.category, note=judgement.target.note, flags=flags, reason=reason)
    note, unknown = category.note_for(
        found.category, known.vault, fact.target, corrections=known.corrections, text=fact.text
    )
    if unknown:
        flags = (*flags, unknown)
    return replace(judgement, category=found.category, note=note, flags=flags)


def _warning(fact: Submitted, judgement: Judgement, language: Language) -> str:
    """What else the old fact says that would end with it; `""` where nothing would be lost."""
    if judgement.target is None or judgement.verdict == "duplicate":
        return ""
    lost = also_ends(judgement.target.text, fact.text)
    if not lost:
        return ""
    if language == "zh":
        return f"；旧的一条还写着 {'、'.join(lost)}，会随它一起移走"
    return f"; the old fact also says {', '.join(lost)}, which would end with it"


def _grouped(asked: Sequence[tuple[Arrival, Submitted]], judgements: Sequence[Judgement]) -> list[Item]:
    """Items in order; a restatement joins the item it restates, a conflict contests the one it conflicts with."""
    heads = list(range(len(asked)))
    for index, judgement in enumerate(judgements):
        if judgement.verdict == "duplicate" and judgement.earlier is not None:
            heads[index] = heads[judgement.earlier]
    ids = [item_id(fact) for _, fact in asked]
    items: dict[int, Item] = {}
    contested: set[int] = set()
    for index, ((arrival, fact), judgement) in enumerate(zip(asked, judgements, strict=True)):
        head = heads[index]
        if head != index:
            items[head] = replace(items[head], restatements=(*items[head].restatements, fact))
            continue
        other = -1 if judgement.earlier is None else heads[judgement.earlier]
        judged = judgement
        if other >= 0 and items[other].judgement.verdict == "duplicate":  # what it meets stands in the vault already
            judged, other = replace(judgement, target=items[other].judgement.target, earlier=None), -1
        if judged.verdict == "conflict" and other >= 0:
            contested.add(other)
        items[index] = Item(
            ids[index], fact, judged, _place(judged), other=ids[other] if other >= 0 else "", arrived=arrival.modified
        )
    return [replace(item, contested=index in contested) for index, item in sorted(items.items())]


def _place(judgement: Judgement) -> Place:
    if judgement.verdict == "refused":
        return "refused"
    if judgement.verdict == "conflict":
        return "conflict"
    return "settled" if judgement.verdict == "duplicate" and not judgement.flags else "pending"
