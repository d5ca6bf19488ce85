"""`shilu index`: bring the search index up to date, make it anew, embed what has no vector yet."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, cast

from shilu_core.recall import Engine

from shilu_host.context import Context
from shilu_host.maintenance import under_way
from shilu_host.sources import sources

if TYPE_CHECKING:
    from shilu_core.embed.fill import Progress
    from shilu_core.recall.stored_meaning import StoredMeaning


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rebuild", action="store_true", help="make it anew; vectors are kept")
    parser.add_argument("--embed", action="store_true", help="embed what has no vector yet, with progress")


def run(arguments: argparse.Namespace, context: Context) -> int:
    with under_way(context.vault_state, "index"):
        return _run(arguments, context)


def _run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.rebuild:
        remove_index(context)
    embedder = None
    if arguments.embed:
        from shilu_host.embedders import embedder as load

        embedder = load(context)
    with context.ledger() as ledger:
        known = sources(context.vault, ledger, context.settings, context.environment)
        engine = Engine.open(context.vault, context.vault_cache, embedder=embedder, source=known)
        try:
            if embedder is not None:
                _embed(cast("StoredMeaning", engine.meaning), context)
            status = engine.status()
        finally:
            engine.close()
    context.tell("index-counts", notes=status.notes, facts=status.facts, passages=status.passages)
    if arguments.embed and embedder is None:
        context.tell("index-no-embedder")
    elif arguments.embed:
        context.tell("index-embedded", count=status.embedded, embedder=status.embedder)
    return 0


def remove_index(context: Context) -> None:
    """Removes the vault's index files, so that the next opening makes them anew; vectors stay."""
    for folder in (context.vault_cache / "index").glob("*"):
        for path in folder.glob("*"):
            if path.name != "vectors":
                _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _embed(meaning: StoredMeaning, context: Context) -> None:
    from rich.progress import Progress as Bar

    with Bar(console=context.console, transient=True) as bar:
        task = bar.add_task("embedding", total=None)

        def report(progress: Progress) -> None:
            bar.update(task, completed=progress.done, total=progress.total)

        meaning.fill(report)
