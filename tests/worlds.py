"""A vault with its ledger for tests of the write path: a folder, a fixed clock, the real functions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from shilu_core.creation import create
from shilu_core.layout import Language
from shilu_core.ledger import Ledger, ledger_path
from shilu_core.vault import Vault, recognise
from shilu_inbox.apply import Applied, apply
from shilu_inbox.desk import Desk, show
from shilu_inbox.drops import drop
from shilu_inbox.review import Review
from shilu_inbox.submissions import Header

NOW = datetime(2026, 11, 30, 9, 28, 25, tzinfo=UTC)


@dataclass(frozen=True)
class World:
    """`folder` holds a vault and a state folder; everything is opened anew for each call, as processes do."""

    folder: Path

    @property
    def vault(self) -> Vault:
        return recognise(self.folder / "vault")

    def desk(self, ledger: Ledger, now: datetime = NOW) -> Desk:
        vault = self.vault
        path = ledger_path(vault, self.folder / "state")
        return Desk(vault, ledger, path.parent, now)

    def ledger(self) -> Ledger:
        return Ledger.open(ledger_path(self.vault, self.folder / "state"))

    def submit(self, *facts: str, agent: str = "codex", now: datetime = NOW, **fields: str) -> Path:
        vault = self.vault
        state = ledger_path(vault, self.folder / "state").parent
        return drop(vault, facts, Header(agent, **fields), now=now, vault_state=state)  # type: ignore[arg-type]

    def drop_file(self, name: str, data: bytes, *, age: float = 60.0) -> Path:
        """A file that another program put into the inbox `age` seconds ago."""
        path = self.vault.inbox / name
        path.write_bytes(data)
        then = path.stat().st_mtime - age
        os.utime(path, (then, then))
        return path

    def review(self, now: datetime = NOW) -> Review:
        with self.ledger() as ledger:
            return show(self.desk(ledger, now))

    def apply(self, now: datetime = NOW) -> Applied:
        with self.ledger() as ledger:
            return apply(self.desk(ledger, now))

    def accept_all(self) -> Applied:
        """Reviews, ticks everything that waits, applies."""
        self.review()
        for path in (self.vault.pending, self.vault.conflicts):
            if path.exists():
                path.write_bytes(path.read_bytes().replace(b"- [ ] ", b"- [x] "))
        return self.apply()

    def note(self, name: str) -> str:
        return (self.vault.root / name).read_bytes().decode("utf-8", "surrogateescape")

    def write_note(self, name: str, text: str) -> None:
        path = self.vault.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))

    def facts(self) -> list[str]:
        """Texts of all current facts."""
        notes = (self.vault.parse(note) for note in self.vault.note_ids())
        return [fact.text for note in notes for fact in note.facts if not fact.superseded]


def make_world(folder: Path, language: Language = "en") -> World:
    """A fresh world; the path has a blank and Chinese characters, as people's paths do."""
    home = folder / "a b" / "用户"
    home.mkdir(parents=True)
    create(home / "vault", language)
    return World(home)
