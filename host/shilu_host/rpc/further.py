"""mm's methods on the same connection; its code is imported with the first call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shilu_host.mm.rpc import Memories

NAMES = ("mm/open", "mm/call", "mm/fn")


class MmMethods:
    """The `mm/*` methods of one connection, which owns the memories they open."""

    def __init__(self) -> None:
        self._memories: Memories | None = None

    @property
    def table(self) -> Mapping[str, Callable[[Mapping[str, Any]], Any]]:
        return {name: partial(self._call, name) for name in NAMES}

    def close(self) -> None:
        if self._memories is not None:
            self._memories.close()

    def _call(self, name: str, params: Mapping[str, Any]) -> Any:
        from shilu_host.mm.rpc import METHODS, Memories

        if self._memories is None:
            self._memories = Memories()
        return METHODS[name](self._memories, params)
