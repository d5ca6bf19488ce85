"""The registry of adapters; what is registered can be taken out again by its disposer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from shilu_host.protocol.adapters import claude_code, hermes, mem0
from shilu_host.protocol.errors import ProtocolError, bad_payload, invalid, no_adapter

Inputs = list[dict[str, Any]]
_ID = re.compile(r"[a-z0-9][a-z0-9-]*")


@dataclass(frozen=True)
class Adapter:
    """A pure converter: `adapt` gives add inputs, `export` a foreign document; neither reads or writes
    anything.
    """

    id: str
    name: str
    description: str
    version: str
    import_formats: tuple[str, ...]
    export_format: str
    adapt: Callable[[Any], list[dict[str, Any]]]
    export: Callable[[Sequence[dict[str, Any]]], Any]

    def descriptor(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "name": self.name,
            "description": self.description,
            "version": self.version,
            "importFormats": list(self.import_formats),
            "exportFormat": self.export_format,
        }


BUILT_IN = (
    Adapter(
        mem0.ID,
        "mem0",
        "Extracted facts of mem0; conversations are refused, since no model runs here",
        "1.0.0",
        ("mem0-facts",),
        "mem0-facts",
        mem0.adapt,
        mem0.export,
    ),
    Adapter(
        hermes.ID,
        "Hermes memory.md",
        "Sections and bullets of a Hermes memory file; anything else is refused with its line",
        "1.0.0",
        (hermes.ID,),
        hermes.ID,
        hermes.adapt,
        hermes.export,
    ),
    Adapter(
        claude_code.ID,
        "Claude Code CLAUDE.md",
        "Sections, bullets and paragraphs of a CLAUDE.md file",
        "1.0.0",
        (claude_code.ID,),
        claude_code.ID,
        claude_code.adapt,
        claude_code.export,
    ),
)


class Registry:
    """Adapters by id."""

    def __init__(self) -> None:
        self._adapters: dict[str, Adapter] = {}

    def register(self, adapter: Adapter) -> Callable[[], None]:
        """Adds an adapter and returns its disposer; raises INVALID_INPUT for a bad or taken one (13.2)."""
        _check(adapter)
        if adapter.id in self._adapters:
            raise invalid(f"an adapter is registered as {adapter.id} already; dispose of it first")
        self._adapters[adapter.id] = adapter

        def dispose() -> None:
            if self._adapters.get(adapter.id) is adapter:
                del self._adapters[adapter.id]

        return dispose

    def list(self) -> list[dict[str, Any]]:
        """The descriptors, sorted by id."""
        return [self._adapters[key].descriptor() for key in sorted(self._adapters)]

    def adapt(self, adapter_id: object, payload: object) -> Inputs:
        """The add inputs of a foreign document; raises ADAPTER_NOT_FOUND or ADAPTER_PAYLOAD."""
        adapter = self._get(adapter_id)
        inputs: Inputs = _guarded(adapter, lambda: adapter.adapt(payload))
        return inputs

    def export(self, adapter_id: object, entries: object) -> Any:
        """The foreign document of entries; raises ADAPTER_NOT_FOUND or ADAPTER_PAYLOAD."""
        adapter = self._get(adapter_id)
        if not isinstance(entries, list) or not all(_is_entry(item) for item in entries):
            raise bad_payload(adapter.id, "entries must be a list of entries, each with track, scope and text")
        return _guarded(adapter, lambda: adapter.export(entries))

    def _get(self, adapter_id: object) -> Adapter:
        adapter = self._adapters.get(adapter_id) if isinstance(adapter_id, str) else None
        if adapter is None:
            raise no_adapter(adapter_id)
        return adapter


def built_in() -> Registry:
    """A registry with the adapters that ship with Shilu."""
    registry = Registry()
    for adapter in BUILT_IN:
        registry.register(adapter)
    return registry


def _guarded(adapter: Adapter, convert: Callable[[], Any]) -> Any:
    """What the adapter gives; any failure that is not of the protocol is a payload it could not map (13.3)."""
    try:
        return convert()
    except ProtocolError:
        raise
    except Exception as error:
        raise bad_payload(adapter.id, str(error) or type(error).__name__) from error


def _check(adapter: Adapter) -> None:
    if not isinstance(adapter.id, str) or not _ID.fullmatch(adapter.id):
        raise invalid("an adapter's id begins with a-z or 0-9 and goes on with a-z, 0-9 and -")
    for name in ("name", "description", "version", "export_format"):
        value = getattr(adapter, name)
        if not isinstance(value, str) or not value:
            raise invalid(f"adapter {adapter.id}: {name} must be a non-empty string")
    formats = adapter.import_formats
    if not isinstance(formats, list | tuple) or not all(isinstance(item, str) and item for item in formats):
        raise invalid(f"adapter {adapter.id}: import_formats must be non-empty strings")
    if not callable(adapter.adapt) or not callable(adapter.export):
        raise invalid(f"adapter {adapter.id}: adapt and export must be callable")


def _is_entry(item: object) -> bool:
    return isinstance(item, dict) and all(isinstance(item.get(name), str) for name in ("track", "scope", "text"))
