"""What a command is handed: configuration, clock, folders, output; read once, here."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from shilu_core.errors import VaultMissing
from shilu_core.layout import Language
from shilu_core.settings import Settings, load
from shilu_core.vault import Vault, recognise

from shilu_host import texts

if TYPE_CHECKING:
    from rich.console import Console
    from shilu_core.ledger import Ledger


@dataclass
class Context:
    """Everything a command needs from outside; tests make one with other folders and another clock."""

    environment: Mapping[str, str]
    flags: Mapping[str, str] = field(default_factory=dict)
    verbose: bool = False

    @cached_property
    def config_file(self) -> Path:
        named = self.environment.get("SHILU_CONFIG")
        return Path(named) if named else _platform_folder("config") / "config.toml"

    @cached_property
    def state(self) -> Path:
        """Folder for what must be kept: ledgers, quarantine, log, tokens."""
        named = self.environment.get("SHILU_STATE_DIR")
        return Path(named) if named else _platform_folder("state")

    @cached_property
    def cache(self) -> Path:
        """Folder for what can be rebuilt: indexes, vectors."""
        named = self.environment.get("SHILU_CACHE_DIR")
        return Path(named) if named else _platform_folder("cache")

    @cached_property
    def settings(self) -> Settings:
        return load(self.config_file, self.environment, self.flags)

    @cached_property
    def vault(self) -> Vault:
        """The configured vault; raises VaultMissing with what to do where there is none."""
        named = self.settings.vault or _old_configuration(Path.home() / ".unified-memory.yaml")
        if not named:
            raise VaultMissing(
                f"no vault is configured; make one with `shilu init PATH`, or set vaultPath in {self.config_file}, "
                "SHILU_VAULT, or --vault PATH"
            )
        vault = recognise(named)
        from shilu_core.ledger import part_from_original

        if told := part_from_original(vault, self.state):
            print(f"shilu: {told}", file=sys.stderr)
        return vault

    @property
    def language(self) -> Language:
        """Language of texts for people: the one asked for (`--lang`, SHILU_LANG), the vault's, English without one."""
        asked = self.settings.text("language")
        if asked in ("zh", "en"):
            return "zh" if asked == "zh" else "en"
        try:
            return self.vault.layout.language
        except VaultMissing:
            return "en"

    def ledger(self) -> Ledger:
        """Opens the vault's ledger; the caller closes it."""
        from shilu_core.ledger import Ledger, ledger_path

        return Ledger.open(ledger_path(self.vault, self.state))

    @cached_property
    def vault_state(self) -> Path:
        """The state folder of this vault alone."""
        from shilu_core.ledger import vault_identity

        return self.state / vault_identity(self.vault)

    @cached_property
    def vault_cache(self) -> Path:
        """The cache folder of this vault alone."""
        from shilu_core.ledger import vault_identity

        return self.cache / vault_identity(self.vault)

    def now(self) -> datetime:
        """The local time, with its zone; SHILU_NOW (ISO 8601) replaces the clock."""
        fixed = self.environment.get("SHILU_NOW")
        return datetime.fromisoformat(fixed).astimezone() if fixed else datetime.now().astimezone()

    @cached_property
    def console(self) -> Console:
        from rich.console import Console

        return Console(file=sys.stdout, highlight=False, markup=False, soft_wrap=not sys.stdout.isatty())

    def tell(self, key: str, **parts: object) -> None:
        """One line to standard output: the text `key` of the table in the person's language."""
        self.say(self.text(key, **parts))

    def text(self, key: str, **parts: object) -> str:
        """A text of the table in the person's language."""
        return texts.text(key, self.language, **parts)

    def complain(self, key: str, **parts: object) -> None:
        """One line to standard error, in the person's language."""
        print(self.text(key, **parts).encode("utf-8", "backslashreplace").decode("utf-8"), file=sys.stderr)

    def say(self, text: str = "") -> None:
        """One line to standard output; a lone surrogate is shown as an escape and never breaks it."""
        print(text.encode("utf-8", "backslashreplace").decode("utf-8"))


def _platform_folder(kind: str) -> Path:
    import platformdirs

    return {
        "config": platformdirs.user_config_path,
        "state": platformdirs.user_state_path,
        "cache": platformdirs.user_cache_path,
    }[kind]("shilu", appauthor=False)


def _old_configuration(file: Path) -> str:
    """The vault named in dsh-unified-agent-memory's `~/.unified-memory.yaml`, `""` where there is none."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return ""
    found = [line.split(":", 1)[1].strip().strip("\"'") for line in lines if line.startswith("vault:")]
    return found[-1] if found else ""
