"""How much of the vault has vectors, as the daemon tells or, without one, as the files say."""

from __future__ import annotations

from typing import Any

from shilu_host.client import call as client
from shilu_host.context import Context
from shilu_host.daemon.running import running_status


def vectors_line(context: Context) -> str:
    """Embedded lines, all lines and the model; what to do where there are no vectors."""
    index = _told_by_the_daemon(context) or _as_the_files_say(context)
    if index is None:
        return context.text("vectors-none")
    if not index.get("embedder"):
        return context.text("vectors-no-model")
    lines = int(index["facts"]) + int(index["passages"])
    return context.text("vectors-some", embedded=index["embedded"], lines=lines, embedder=index["embedder"])


def _told_by_the_daemon(context: Context) -> dict[str, Any] | None:
    try:
        index = running_status(context).get("index", {})
    except client.NoDaemon:
        return None
    return index if "embedded" in index else None


def _as_the_files_say(context: Context) -> dict[str, Any] | None:
    """None where there are no files of vectors: none are made, and no index is built, by asking."""
    if not any(context.vault_cache.glob("index/*/vectors/*")):
        return None
    from shilu_core.recall import Engine

    from shilu_host.embedders import embedder
    from shilu_host.sources import sources

    with context.ledger() as ledger:
        known = sources(context.vault, ledger, context.settings, context.environment)
        engine = Engine.open(context.vault, context.vault_cache, embedder=embedder(context), source=known)
        try:
            return vars(engine.status())
        finally:
            engine.close()
