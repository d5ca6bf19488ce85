"""All that recall covers: the vault's notes, entries of the memory protocol, and the mm roots of the configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from shilu_core.index.entries import Entry
from shilu_core.index.source import Source, VaultSource
from shilu_core.ledger import Ledger
from shilu_core.settings import Settings
from shilu_core.vault import Vault

from shilu_host.mm import recall as mm
from shilu_host.protocol.recall import EntrySource


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

    def _of(self, note: str) -> Source:
        return next((source for source in self.further if source.owns(note)), self.vault)


def sources(vault: Vault, ledger: Ledger, settings: Settings, environment: Mapping[str, str]) -> Sources:
    """What the configuration says that recall covers; raises UsageError for a wrong `[mm]` table."""
    entries = EntrySource(ledger)
    roots = mm.configured(settings, environment)
    return Sources(VaultSource(vault), entries, (entries, roots) if roots is not None else (entries,))
