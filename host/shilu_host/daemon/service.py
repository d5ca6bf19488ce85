"""What the daemon knows and answers, apart from who asks and how: one vault, its engine, its sessions."""

from __future__ import annotations

import os
import secrets as random
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from shilu_core.embed import Embedder
from shilu_core.ledger import Ledger, ledger_path
from shilu_core.recall import Engine, Recall, block
from shilu_core.recall.reduce import reduce
from shilu_core.settings import Settings
from shilu_core.vault import Vault

from shilu_host.daemon import gates
from shilu_host.daemon.inbox import Inbox
from shilu_host.daemon.live_settings import LiveSettings
from shilu_host.maintenance import running
from shilu_host.protocol.sessions import Session
from shilu_host.rpc.rulings import counted
from shilu_host.sources import ANYBODY, Sources, sources, viewer_of
from shilu_host.turns.recall import Memory, answer
from shilu_host.turns.sessions import Mark, Sessions, record
from shilu_host.turns.turn import REASONS, Reply, Turn

TICKETS = 256  # answers that wait to hear that they were shown
EMBEDDER_SECONDS = 0.4  # a packaged model is loaded by then; for others the first turns do without
OPEN_SECONDS = 2.0  # a turn waits for an index that opens, and not for one that is built


@dataclass(frozen=True)
class Wiring:
    """Where the daemon got what it was started with."""

    vault: Vault
    config_file: Path
    environment: Mapping[str, str]
    flags: Mapping[str, str]
    state: Path
    cache: Path  # of this vault
    embedder: Callable[[], Embedder | None]  # loads it


@dataclass(frozen=True)
class Decision:
    """The last thing a hook was told, for `/status`; never the message."""

    harness: str
    reason: str
    detail: str
    at: str
    milliseconds: float


@dataclass(frozen=True)
class Shown:
    """What a session is told by an answer, kept until the client says that it arrived."""

    turn: Turn
    reply: Reply


class Service:
    """Engine, ledger and sessions of one vault; used by one thread at a time, except where a method says
    so."""

    def __init__(self, wiring: Wiring) -> None:
        self.wiring = wiring
        self.vault = wiring.vault
        self.last_asked = self.began = time.monotonic()
        self.live = LiveSettings(wiring.config_file, wiring.environment, wiring.flags)
        self.ready = False
        self.broken = ""  # why the engine can't search
        self.decision: Decision | None = None
        self.warnings: list[str] = []
        self._engine: Engine | None = None
        self._embedder: gates.OnceEmbedder | None = None
        self._ledger: Ledger | None = None
        self._sources: Sources | None = None
        self._sessions: Sessions | None = None
        self._clamped: tuple[str, ...] = ()  # of the last turn's settings
        self._tickets: OrderedDict[str, Shown] = OrderedDict()
        self._guard = threading.Lock()  # of the tickets, which another thread settles
        self.inbox = Inbox(wiring.vault, ledger_path(wiring.vault, wiring.state).parent, wiring.state)

    def open(self, later: Callable[[Callable[[], None]], object] | None = None) -> None:
        """Opens index and embedder; on failure the service lives on and says why it can't search.

        `later` runs an action on this thread, for an embedder that comes when turns are answered already; without it
        the embedder is waited for.
        """

        def late() -> None:
            if later is not None:
                later(lambda: self._embed(loading))

        loading = gates.Loading(self.wiring.embedder, late)
        try:
            self._ledger = Ledger.open(ledger_path(self.vault, self.wiring.state))
            self._sessions = Sessions(self._ledger)
            self._sources = sources(self.vault, self._ledger, self.settings(), self.wiring.environment)
            self._engine = Engine.open(self.vault, self.wiring.cache, source=self._sources)
            if loading.within(EMBEDDER_SECONDS if later else None):
                self._embed(loading)
            self.ready, self.broken = True, ""
        except Exception as error:
            self.broken = f"{type(error).__name__}: {error}"
            raise

    def _embed(self, loading: gates.Loading) -> None:
        """Adds the embedder to the engine and begins to embed what has no vector yet."""
        if loading.failure:
            self.warn(loading.failure)
        found = loading.embedder()
        if found is not None and self._engine is not None:
            self._engine.embed_with(found)
            self._embedder = found
            self._engine.embed_in_background()

    def close(self) -> None:
        if self._engine is not None:
            self._engine.close()
        if self._ledger is not None:
            self._ledger.close()

    def warn(self, text: str) -> None:
        """Keeps something for `/status` that goes on working otherwise."""
        self.warnings.append(text)

    def is_vault(self, named: str) -> bool:
        """Whether a path names this vault, by whatever way."""
        return Path(named).expanduser().resolve() == self.vault.folder

    def is_default(self) -> bool:
        """Whether this vault is the one that clients mean who name none: the configuration file's, or the only one.

        What this process was started with says nothing about that: a hook may have named another vault.
        """
        named = self.live.vault_of_the_file()
        return not named or self.is_vault(named)

    def refresh(self) -> None:
        if self._engine is not None and self._engine.refresh():
            self._engine.embed_in_background()

    def settings(
        self,
        environment: Mapping[str, str] | None = None,
        flags: Mapping[str, str] | None = None,
        plugin: Mapping[str, Any] | None = None,
    ) -> Settings:
        """The settings in force; a hook's own environment and flags stand over the daemon's."""
        return self.live.settings(environment or {}, flags or {}, plugin or {})

    def opening(self, turn: Turn) -> Reply | None:
        """The reply to a turn while the index is built, which takes longer than a turn may wait; any thread."""
        waits = time.monotonic() - self.began < OPEN_SECONDS or turn.event in ("compact", "clear")
        if self.ready or self.broken or waits:
            return None
        reply = Reply("starting")
        self._decide(turn, reply, 0.0)
        return reply

    def turn(self, turn: Turn, settings: Settings, deadline: float) -> tuple[Reply, str]:
        """The reply to a hook and the ticket to settle once it was shown, `""` for nothing to settle."""
        began = time.monotonic()
        reply = self._reply(turn, settings, deadline)
        self._clamped = settings.clamped
        self._decide(turn, reply, (time.monotonic() - began) * 1000)
        return reply, self._ticket(turn, reply)

    def _decide(self, turn: Turn, reply: Reply, took: float) -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self.decision = Decision(turn.harness, reply.reason, reply.detail, at, round(took, 2))

    def _reply(self, turn: Turn, settings: Settings, deadline: float) -> Reply:
        if not self.ready or self._sessions is None:
            return Reply("core broken" if self.broken else "starting", detail=self.broken)
        if self.live.problem:
            return Reply("core broken", detail=self.live.problem)
        if turn.event in ("compact", "clear"):
            self._compacted(turn)  # even where nobody waits for the answer any more
        if time.monotonic() > deadline:
            return Reply("timeout")
        try:
            reply = answer(turn, settings, self._sessions.of(turn.key), self._memory(turn))
        except Exception as error:  # a bug of recall never takes a turn down; /status tells it
            return Reply("core broken", detail=f"{type(error).__name__}: {error}")
        return Reply("timeout") if time.monotonic() > deadline else reply

    def _compacted(self, turn: Turn) -> None:
        if turn.key and self._sessions is not None and self._ledger is not None:
            self._sessions.forget(turn.key)
            record(self._ledger, turn.key, turn.harness, {}, ["compacted"], _now())

    def _memory(self, turn: Turn) -> Memory:
        viewer = viewer_of(turn.folder, turn.agent)
        return Memory(
            search=lambda message, limit: self.search(message, limit=limit, viewer=viewer),
            wanted=lambda message: gates.wanted(message, self._embedder),
            language=self.vault.layout.language,
            waiting=self._waiting,
        )

    def _waiting(self) -> tuple[int, int]:
        """What waits for the person, over the memory protocol, too, and for how many days the oldest has."""
        count, days = self.inbox.waiting()
        more, older = counted(self._ledger) if self._ledger is not None else (0, 0)
        return count + more, max(days, older)

    def _ticket(self, turn: Turn, reply: Reply) -> str:
        if not (reply.text or reply.notice) or not turn.key:
            return ""
        name = random.token_hex(8)
        with self._guard:
            self._tickets[name] = Shown(turn, reply)
            while len(self._tickets) > TICKETS:
                self._tickets.popitem(last=False)
        return name

    def settle(self, ticket: str) -> Shown | None:
        """Takes a ticket: its facts count as shown from now on. Any thread; `keep` writes them down."""
        with self._guard:
            shown = self._tickets.pop(ticket, None)
        if shown is not None and self._sessions is not None:
            self._sessions.show(shown.turn.key, shown.reply.facts, _marks(shown.reply))
        return shown

    def keep(self, shown: Shown, ledger: Ledger) -> None:
        """Records what was shown; waits where another process writes, so not on the thread that answers."""
        record(ledger, shown.turn.key, shown.turn.harness, shown.reply.facts, _marks(shown.reply), _now())

    def search(self, query: str, *, limit: int = 5, history: bool = False, viewer: Session = ANYBODY) -> Recall:
        """What the vault and the further sources hold, of the memory protocol's entries what `viewer` may see."""
        engine, known = self._engine, self._sources
        if engine is None or known is None:
            raise RuntimeError(self.broken or "the index is being built")
        if self._embedder is not None and self._embedder.may_vote(asked := reduce(query)):
            self._embedder.begin(asked)
        if known.entries.changed():
            engine.refresh()
        wider = known.widened(limit, viewer)
        return known.seen(engine.search(query, limit=wider, history=history), limit, viewer)

    def search_text(self, query: str, *, limit: int = 5, history: bool = False) -> str:
        """A search as a tool's text: the block, or a line that says that nothing was found."""
        language = self.vault.layout.language
        found = self.search(query, limit=limit, history=history)
        text = block.render(found, max_chars=20_000, language=language) if found.hits else ""
        if text:
            return text
        return "没有找到相关记忆。" if language == "zh" else "Nothing in memory matches."

    def show(self, name: str) -> str:
        """A note's text by document id or path, wrapped as data; raises LookupError with what there is."""
        note = self.vault.document(name)
        if note is None or not self.vault.note_path(note).is_file():
            known = ", ".join(self.vault.layout.documents)
            raise LookupError(f"no note {name!r}; name one of {known}, or a note below {self.vault.layout.root}/")
        text = self.vault.read(note).decode("utf-8", "replace").removeprefix("\ufeff")
        body = "\n".join(_neutral_line(line) for line in text.splitlines())
        return f"{block.OPEN}\n{note}\n\n{body}\n{block.CLOSE}"

    def notes(self) -> list[dict[str, str]]:
        return [{"id": note, "title": Path(note).stem} for note in self.vault.note_ids()]

    def status(self, settings: Settings) -> dict[str, Any]:
        """All that `/status` tells; plain values. On any thread while the index opens."""
        engine = self._engine.status() if self.ready and self._engine is not None else None
        count, days = self._waiting() if self.ready else self.inbox.waiting()
        warnings = [*self.warnings, *([self.live.problem] if self.live.problem else [])]
        return {
            "ok": self.ready and not self.live.problem,
            "vault": str(self.vault.folder),
            "layout": self.vault.layout.language,
            "pid": os.getpid(),
            "warnings": warnings,
            "uptime_seconds": round(time.monotonic() - self.began),
            "index": vars(engine) if engine is not None else {"building": not self.broken, "error": self.broken},
            "maintenance": running(ledger_path(self.vault, self.wiring.state).parent),
            "waiting": {"count": count, "oldest_days": days},
            "recall": {
                **{name: settings.values[name] for name in settings.values if name.startswith("recall")},
                "clamped": list(dict.fromkeys((*settings.clamped, *self._clamped))),
                "embedder": getattr(self._embedder, "name", ""),
                "last": _told(self.decision),
            },
        }


def _neutral_line(line: str) -> str:
    """A line of a note as data, with its indent kept."""
    dense = line.lstrip(" \t")
    return line[: len(line) - len(dense)] + block.neutral(dense)


def _told(decision: Decision | None) -> dict[str, Any] | None:
    if decision is None:
        return None
    return {**vars(decision), "meaning": REASONS.get(decision.reason, "")}


def _marks(reply: Reply) -> list[Mark]:
    marks: list[Mark] = ["rules"] if reply.rules else []
    return [*marks, "notice"] if reply.notice else marks


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
