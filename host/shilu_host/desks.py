"""Opening the desk for a command: vault, ledger, embedder, progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

from shilu_inbox.desk import Desk

from shilu_host.context import Context
from shilu_host.embedders import embedder
from shilu_host.rpc.rulings import ProtocolItems
from shilu_host.rpc.vault_store import configured

PROGRESS_FROM = 200  # lines; fewer are judged before a bar would be read


@contextmanager
def open_desk(context: Context, *, by: str = "a person", embed: bool = False) -> Iterator[Desk]:
    """The vault's desk with its ledger open; `embed` lets the review load the embedder, once a line waits to be judged."""
    with context.ledger() as ledger:
        yield Desk(
            context.vault,
            ledger,
            context.vault_state,
            context.now(),
            by,
            cache(lambda: embedder(context)) if embed else None,
            _progress() if sys.stderr.isatty() else None,
            ProtocolItems(ledger, lambda: configured(context.settings), context.vault.layout.language),
            context.settings.number("lockSeconds"),
        )


def _progress() -> Callable[[int, int], None]:
    def show(done: int, total: int) -> None:
        if total >= PROGRESS_FROM:
            end = "\n" if done == total else ""
            print(f"\rjudging {done:,} of {total:,}", end=end, file=sys.stderr, flush=True)

    return show
