"""The embedder that the configuration asks for: `embedder = "NAME"` and, where a model needs it, `[embedding]`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from shilu_core.embed import Embedder, EmbedderSettings

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


def embedder(context: Context) -> Embedder | None:
    """The embedder, loaded, with the vault's remembered vectors; None where none is wanted or none works here."""
    from shilu_core.embed import resolve
    from shilu_core.embed.remembering import Remembering
    from shilu_core.embed.store import VectorStore

    found = resolve(embedder_settings(context))
    if found is None:
        return None
    store = VectorStore(context.vault_cache / "judged", found.model_id, found.dimensions)
    return cast("Embedder", Remembering(found, store))
