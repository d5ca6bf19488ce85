"""What a person can say about embeddings; read once by the host and handed down."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from shilu_core.errors import EmbedderUnusable

KEY_VARIABLE = "SHILU_EMBEDDING_KEY"


@dataclass(frozen=True)
class EmbedderSettings:
    """`embedder` is `auto` or a name of the table; the other fields belong to the models that need them."""

    embedder: str = "auto"
    model: str = ""  # a local folder or hub name (sentence-transformers), a model's name (openai)
    endpoint: str = ""  # base URL ending in /v1 (openai)
    key: str = field(default="", repr=False)  # openai; from the environment or a 0600 file, see `read_key`
    price_per_million_tokens: float = 0.0  # in the currency of `spend_cap`
    spend_cap: float = 1.0  # a month; nothing is sent once it is reached
    cache: Path | None = None  # profiles of models that are not packaged
    state: Path | None = None  # what was spent


def read_key(environment: Mapping[str, str], key_file: Path | None = None, vault: Path | None = None) -> str:
    """The endpoint's key: `SHILU_EMBEDDING_KEY`, else the first line of `key_file`, else `""`.

    Refuses a file that others may read, and one inside the vault, which is synced and shown to agents.
    """
    if environment.get(KEY_VARIABLE):
        return environment[KEY_VARIABLE].strip()
    if key_file is None:
        return ""
    path = key_file.expanduser()
    if vault is not None and path.resolve().is_relative_to(vault.resolve()):
        raise EmbedderUnusable(f"the key file {path} stands inside the vault; move it out, and use a new key")
    try:
        mode = path.stat().st_mode
        text = path.read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        raise EmbedderUnusable(f"the key file {path} cannot be read: {error}") from error
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        raise EmbedderUnusable(f"the key file {path} can be read by others; run: chmod 600 {path}")
    return text.splitlines()[0].strip() if text else ""
