"""All that recall covers: the vault's notes, entries of the memory protocol, and the mm roots of the configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from shilu_core.facts import Fact
from shilu_core.index.entries import Entry
from shilu_core.index.source import Source, VaultSource
from shilu_core.ledger import Ledger
from shilu_core.recall.results import Recall
from shilu_core.settings import Settings
from shilu_core.vault import Vault

from shilu_host.mm import recall as mm
from shilu_host.protocol.recall import EntrySource
from shilu_host.protocol.sessions import Session, agent_key, workspace_key

MOST_HIDDEN = 50  # hits asked for beyond the wanted ones: more hidden ones than that in front are unlikely
ANYBODY = Session(None, "", "")  # sees of the memory protocol's entries the shared, global ones


def viewer_of(folder: str, agent: str) -> Session:
    """The session that works in `folder` ('' if unknown) as `agent` ('' for none)."""
    return Session(None, workspace_key(folder), agent_key(agent))


class Further(Source, Protocol):
    """A source beside the vault, which knows its own notes by their ids."""

    def owns(self, note: str) -> bool: ...


@dataclass(frozen=True)
class Sources:
    """The vault and further sources as one; a note belongs to the further source that owns it, else to the vault."""

    vault: VaultSource
    entries: EntrySource
    further: tuple[Further, ...]

    @property
    def name(self) -> str:
        return " ".join(source.name for source in (self.vault, *self.further))

    def notes(self) -> Mapping[str, tuple[int, int]]:
        found: dict[str, tuple[int, int]] = {}
        every: tuple[Source, ...] = (*self.further, self.vault)
        for source in every:
            found.update(source.notes())
        return found

    def load(self, note: str) -> tuple[bytes, Sequence[Entry]]:
        return self._of(note).load(note)

    def digest(self, note: str) -> bytes:
        return self._of(note).digest(note)

    def widened(self, limit: int, viewer: Session) -> int:
        """How many hits to ask for, so that `limit` are left once those that the viewer may not see are gone."""
        return limit + min(self.entries.hidden(viewer), MOST_HIDDEN)

    def seen(self, found: Recall, limit: int, viewer: Session) -> Recall:
        """At most `limit` hits, without anything that the viewer may not see."""

        def visible(facts: Sequence[Fact]) -> tuple[Fact, ...]:
            return tuple(fact for fact in facts if self.entries.is_visible(fact.note, viewer))

        hits = [
            replace(hit, restatements=visible(hit.restatements), contradicts=visible(hit.contradicts))
            for hit in found.hits
            if visible([hit.fact])
        ]
        return replace(found, hits=tuple(hits[:limit]))

    def _of(self, note: str) -> Source:
        return next((source for source in self.further if source.owns(note)), self.vault)


def sources(vault: Vault, ledger: Ledger, settings: Settings, environment: Mapping[str, str]) -> Sources:
    """What the configuration says that recall covers; raises UsageError for a wrong `[mm]` table."""
    entries = EntrySource(ledger)
    roots = mm.configured(settings, environment)
    return Sources(VaultSource(vault), entries, (entries, roots) if roots is not None else (entries,))
