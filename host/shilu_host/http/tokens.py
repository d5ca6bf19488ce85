"""Tokens of the loopback listener: what each may do, and whose name it is bound to.

`token`, `hook-token` and `read-token` stand in the vault's state folder, 0600; tokens bound to an agent
stand in
`tokens.json` as digests only, so that the file gives none away.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets as random
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from shilu_core.files import create_exclusive, replace_whole

Scope = Literal["full", "hook", "read", "agent"]
FILES: dict[Scope, str] = {"full": "token", "hook": "hook-token", "read": "read-token"}
PREFIX = "shilu_"


@dataclass(frozen=True)
class Bearer:
    """Who asks: the scope of the token and, for an agent's own token, the agent it is bound to."""

    scope: Scope
    agent: str = ""


class Tokens:
    """The tokens of one vault."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._named = {scope: _read_or_make(folder / name) for scope, name in FILES.items()}

    def value(self, scope: Scope) -> str:
        return self._named[scope]

    def bearer(self, given: str) -> Bearer | None:
        """Whose token `given` is; None for nobody's. Compares in constant time."""
        for scope, value in self._named.items():
            if hmac.compare_digest(value.encode(), given.encode("utf-8", "replace")):
                return Bearer(scope)
        agent = self._bound().get(_digest(given)) if given.startswith(PREFIX) else None
        return Bearer("agent", agent) if agent else None

    def bind(self, agent: str) -> str:
        """Makes a token for one agent: it may search, show and submit, under that name only."""
        token = PREFIX + random.token_urlsafe(32)
        self._write({**self._bound(), _digest(token): agent})
        return token

    def agents(self) -> list[str]:
        return sorted(set(self._bound().values()))

    def revoke(self, agent: str) -> int:
        """Ends all tokens bound to `agent`; returns how many."""
        bound = self._bound()
        kept = {digest: name for digest, name in bound.items() if name != agent}
        self._write(kept)
        return len(bound) - len(kept)

    def _bound(self) -> dict[str, str]:
        try:
            found = json.loads((self._folder / "tokens.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return {str(digest): str(agent) for digest, agent in found.items()} if isinstance(found, dict) else {}

    def _write(self, bound: dict[str, str]) -> None:
        data = json.dumps(bound, ensure_ascii=False, indent=1).encode()
        replace_whole(self._folder / "tokens.json", data, private=True)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _read_or_make(path: Path) -> str:
    for _ in range(2):
        try:
            if value := path.read_text(encoding="ascii").strip():
                return value
            replace_whole(path, (PREFIX + random.token_urlsafe(32) + "\n").encode(), private=True)
        except FileNotFoundError:
            try:
                create_exclusive(path, (PREFIX + random.token_urlsafe(32) + "\n").encode(), private=True)
            except FileExistsError:
                continue
    return path.read_text(encoding="ascii").strip()
