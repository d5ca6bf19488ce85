"""Where an index takes its lines from: the notes of a vault, by size, time and digest."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from shilu_core.index.entries import Entry, entries_of
from shilu_core.notes import parse
from shilu_core.vault import Vault


class Source(Protocol):
    """Notes by id with size and modification time (ns), and the lines of one with a digest of its bytes."""

    @property
    def name(self) -> str: ...

    def notes(self) -> Mapping[str, tuple[int, int]]: ...

    def load(self, note: str) -> tuple[bytes, Sequence[Entry]]: ...

    def digest(self, note: str) -> bytes: ...


@dataclass(frozen=True)
class VaultSource:
    """The canonical notes of a vault on disk."""

    vault: Vault

    @property
    def name(self) -> str:
        return str(self.vault.folder).encode("utf-8", "backslashreplace").decode("utf-8")

    def notes(self) -> dict[str, tuple[int, int]]:
        """A note that vanishes while we look, or whose name is no text, is left out."""
        out = {}
        for note in self.vault.note_ids():
            try:
                note.encode("utf-8")
                status = self.vault.note_path(note).stat()
            except (OSError, UnicodeEncodeError):
                continue
            out[note] = (status.st_size, status.st_mtime_ns)
        return out

    def load(self, note: str) -> tuple[bytes, Sequence[Entry]]:
        data = self.vault.read(note)
        return _digest(data), entries_of(parse(note, data))

    def digest(self, note: str) -> bytes:
        return _digest(self.vault.read(note))


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()
