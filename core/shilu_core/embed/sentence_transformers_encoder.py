"""Any sentence-transformers model: a local folder, or a hub model that the user named (extra `sentence-transformers`).

A local folder is loaded with the hub switched off. Prefixes come from the model's own prompts, else from a table of
the families that need them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from shilu_core.embed.embedder import Role
from shilu_core.embed.settings import EmbedderSettings
from shilu_core.embed.vectors import Vectors, normalised
from shilu_core.errors import EmbedderUnusable

NAME = "sentence-transformers"
BATCH = 32
# Model family (a part of its name) -> prefix of a question, prefix of a line; from the models' cards.
PREFIXES: tuple[tuple[str, str, str], ...] = (
    ("e5-", "query: ", "passage: "),
    ("bge-small-en", "Represent this sentence for searching relevant passages: ", ""),
    ("bge-base-en", "Represent this sentence for searching relevant passages: ", ""),
    ("bge-large-en", "Represent this sentence for searching relevant passages: ", ""),
    ("qwen3-embedding", "Instruct: Find the stored fact that answers the question\nQuery:", ""),
)
_PROMPTS: dict[Role, tuple[str, ...]] = {"query": ("query",), "passage": ("passage", "document")}
_HEAD = 1 << 20  # bytes of a weights file that go into its digest, beside its size


class SentenceTransformers:
    """The model, loaded once on the CPU."""

    name = NAME

    def __init__(self, model: str) -> None:
        folder = Path(model).expanduser()
        is_local = folder.is_dir()
        with _hub_off() if is_local else _as_it_is():
            self._model = _load(str(folder) if is_local else model)
        self.weights = _digest(folder) if is_local else _revision(self._model, model)
        self._prefixes = _prefixes(self._model, model)
        size = getattr(self._model, "get_embedding_dimension", None) or self._model.get_sentence_embedding_dimension
        self.dimensions = int(size())

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        prefixed = [self._prefixes[role] + text for text in texts]
        found = self._model.encode(
            prefixed, prompt="", batch_size=BATCH, show_progress_bar=False, convert_to_numpy=True
        )
        return normalised(np.asarray(found, dtype=np.float32))


def make(settings: EmbedderSettings) -> SentenceTransformers:
    if not settings.model:
        raise EmbedderUnusable("sentence-transformers needs a model: name a local folder or a hub model")
    return SentenceTransformers(settings.model)


def _load(model: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise EmbedderUnusable(
            "sentence-transformers is not installed; install it with: pip install 'shilu[sentence-transformers]'"
        ) from error
    try:
        return SentenceTransformer(model, device="cpu")
    except Exception as error:  # the library raises whatever the hub, the disk or the model's own code raises
        raise EmbedderUnusable(f"the model {model} could not be loaded: {type(error).__name__}: {error}") from error


@contextmanager
def _hub_off() -> Iterator[None]:
    """No call to the hub while a local folder is loaded; the environment is left as it was."""
    keys = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
    before = {key: os.environ.get(key) for key in keys}
    os.environ.update(dict.fromkeys(keys, "1"))
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value


@contextmanager
def _as_it_is() -> Iterator[None]:
    yield


def _digest(folder: Path) -> str:
    """Eight hex digits over name, size and head of every weights file."""
    hashed = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".safetensors", ".bin", ".json") and path.is_file():
            hashed.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode("utf-8", "replace"))
            with path.open("rb") as stream:
                hashed.update(stream.read(_HEAD))
    return hashed.hexdigest()[:8]


def _revision(model: Any, name: str) -> str:
    """The hub's revision where the library tells it, else the name alone."""
    config = getattr(getattr(model[0], "auto_model", None), "config", None)
    revision = str(getattr(config, "_commit_hash", "") or "")
    return f"{name}@{revision[:8]}" if revision else name


def _prefixes(model: Any, name: str) -> dict[Role, str]:
    prompts: dict[str, str] = dict(getattr(model, "prompts", None) or {})
    own: dict[Role, str] = {
        role: next((prompts[key] for key in keys if prompts.get(key)), "") for role, keys in _PROMPTS.items()
    }
    if any(own.values()):
        return own
    family = next((row for row in PREFIXES if row[0] in name.lower()), ("", "", ""))
    return {"query": family[1], "passage": family[2]}
