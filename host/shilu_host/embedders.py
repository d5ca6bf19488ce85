"""The embedder that the configuration asks for: `embedder = "NAME"` and, where a model needs it, `[embedding]`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from shilu_core.embed import Embedder, EmbedderSettings
    from shilu_core.embed.store import VectorStore
    from shilu_core.embed.vectors import Vectors

    from shilu_host.context import Context


def embedder_settings(context: Context) -> EmbedderSettings:
    """Settings of the embedder; the key comes from the environment or a private file, never from the vault."""
    from shilu_core.embed import EmbedderSettings
    from shilu_core.embed.settings import read_key

    table: Mapping[str, Any] = context.settings.tables.get("embedding", {})
    key_file = Path(str(table["keyFile"])) if table.get("keyFile") else None
    return EmbedderSettings(
        embedder=context.settings.text("embedder") or "auto",
        model=str(table.get("model", "")),
        endpoint=str(table.get("endpoint", "")),
        key=read_key(context.environment, key_file, context.vault.folder),
        price_per_million_tokens=float(table.get("pricePerMillionTokens", 0.0)),
        spend_cap=float(table.get("spendCap", 1.0)),
        cache=context.cache,
        state=context.state,
    )


class Remembering:
    """An embedder that keeps every passage's vector in the vault's cache, so that a line is embedded once."""

    def __init__(self, embedder: Embedder, store: VectorStore) -> None:
        self._embedder, self._store = embedder, store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def remembered(self, texts: Sequence[str]) -> Mapping[str, Vectors]:
        """Vectors of those of `texts` that were embedded before."""
        return self._store.known(texts)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors (n, d) of `texts`; new ones are computed and kept."""
        import numpy as np

        unknown = [text for text in dict.fromkeys(texts) if text not in self._store.known(texts)]
        if unknown:
            self._store.add(unknown, self._embedder.passages(unknown))
        known = self._store.known(texts)
        return np.stack([known[text] for text in texts]) if texts else np.zeros((0, self._embedder.dimensions), np.float32)


def embedder(context: Context) -> Embedder | None:
    """The embedder, loaded, with the vault's remembered vectors; None where none is wanted or none works here."""
    from shilu_core.embed import resolve
    from shilu_core.embed.store import VectorStore

    found = resolve(embedder_settings(context))
    if found is None:
        return None
    store = VectorStore(context.vault_cache / "judged", found.model_id, found.dimensions)
    return cast("Embedder", Remembering(found, store))
