"""One turn: skip, gate, search, leave out what was shown, pack; decides and touches nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from shilu_core.layout import Language
from shilu_core.recall import Hit, Recall, block
from shilu_core.recall.pertinent import pertinent
from shilu_core.settings import Settings

from shilu_host.turns import rules as texts
from shilu_host.turns import skip
from shilu_host.turns.dialects import DIALECTS
from shilu_host.turns.sessions import Session, digest
from shilu_host.turns.turn import Reply, Turn

_SHORTEST_BLOCK = 200  # the lower bound of recallMaxChars


@dataclass(frozen=True)
class Memory:
    """What a turn needs from the memory, as functions, so that a turn touches nothing by itself."""

    search: Callable[[str, int], Recall]  # message, limit
    wanted: Callable[[str], tuple[bool, str]]  # message -> does a topic need memory, which
    language: Language
    waiting: Callable[[], tuple[int, int]]  # items for a person, days of the oldest


def answer(turn: Turn, settings: Settings, session: Session, memory: Memory) -> Reply:
    """What goes into the turn, with the reason where nothing does."""
    reply = _recalled(turn, settings, session, memory)
    return replace(reply, notice=_notice(turn, reply, session, memory))


def _recalled(turn: Turn, settings: Settings, session: Session, memory: Memory) -> Reply:
    if settings.text("recall") == "off":
        return Reply("off")
    if turn.event in ("start", "compact", "clear"):
        return _opening(turn, settings, session, memory)
    if reason := _skipped(turn, settings):
        return Reply(reason)
    topic = ""
    if settings.text("recall") == "auto":
        wanted, topic = memory.wanted(turn.message)
        if not wanted:
            return Reply("no topic")
    found = memory.search(turn.message, settings.number("recallLimit"))
    reply = _fresh(found, session)
    return reply if isinstance(reply, Reply) else _packed(turn, settings, session, memory, reply, topic)


def _opening(turn: Turn, settings: Settings, session: Session, memory: Memory) -> Reply:
    """The rules at the start of a session or after its compaction, where the harness takes text there."""
    if not settings.is_on("recallInstructions") or "rules" in session.marks or turn.event_name != "SessionStart":
        return Reply("not a prompt")
    return Reply("rules", rules=texts.rules(memory.language))


def _skipped(turn: Turn, settings: Settings) -> str:
    if turn.event != "prompt":
        return "not a prompt"
    return turn.skip or skip.reason(turn.message, shortest=settings.number("recallMinQueryChars"))


def _fresh(found: Recall, session: Session) -> Recall | Reply:
    """The recall without what is far from the best hit or was shown unchanged, or the reason to say nothing."""
    if not found.hits:
        broken = ", ".join(found.left_out)
        return Reply("no hit", detail=broken)
    if found.weak:
        return Reply("abstained", detail=f"that the hits answer it: {found.answered:.2f}")
    hits = tuple(hit for hit in pertinent(found).hits if session.facts.get(hit.fact.id) != digest(shown_text(hit)))
    return replace(found, hits=hits) if hits else Reply("shown before")


def _packed(turn: Turn, settings: Settings, session: Session, memory: Memory, found: Recall, topic: str) -> Reply:
    tell = settings.is_on("recallInstructions") and "rules" not in session.marks
    told = texts.rules(memory.language) if tell else ""
    room = DIALECTS[turn.harness].max_chars - len(told) - 2
    size = min(settings.number("recallMaxChars"), max(_SHORTEST_BLOCK, room))
    text = block.render(found, max_chars=size, language=memory.language)
    if not text:
        return Reply("no hit", detail=f"no fact fits into {size} characters")
    shown = [hit for hit in found.hits if block.neutral(hit.fact.text) in text]
    facts = {hit.fact.id: digest(shown_text(hit)) for hit in shown}
    return Reply("shown", block=text, rules=told, facts=facts, detail=topic)


def shown_text(hit: Hit) -> str:
    """What a session was shown of a hit: a change of any of it is a reason to show it again."""
    fact = hit.fact
    return "\0".join([fact.text, str(fact.superseded), *(other.text for other in hit.contradicts)])


def _notice(turn: Turn, reply: Reply, session: Session, memory: Memory) -> str:
    """Once a session: how much waits for the person."""
    told = "notice" in session.marks or reply.reason in ("subagent", "later step", "off")
    if told or turn.event not in ("prompt", "start") or not turn.key:
        return ""
    return texts.waiting(memory.language, *memory.waiting())
