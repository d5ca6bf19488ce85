"""`mm/open`, `mm/call` and `mm/fn`, for the server that speaks JSON-RPC.

`METHODS` maps a method's name to `(memories, params) -> result`; results are JSON values. Failures are
`MmError` with `.code` and `.details`. `Memories` holds the open handles of one connection; `close` ends them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from shilu_host.mm import functions, options, wire
from shilu_host.mm.errors import invalid
from shilu_host.mm.memory import Clock, Memory

Params = Mapping[str, Any]
_ENVIRONMENT_NAMES = ("DSH_HOME", "DSH_MEMORY_ROOT")


class Memories:
    """The memories that one connection has open, each with its own snapshot."""

    def __init__(self) -> None:
        self._open: dict[str, Memory] = {}
        self._opened = 0

    def add(self, memory: Memory) -> str:
        self._opened += 1
        handle = f"mm-{self._opened}"
        self._open[handle] = memory
        return handle

    def get(self, handle: object) -> Memory:
        memory = self._open.get(handle) if isinstance(handle, str) else None
        if memory is None:
            raise invalid(f"no open memory has the handle {handle!r}; open one with mm/open")
        return memory

    def close(self) -> None:
        for memory in self._open.values():
            memory.dispose()
        self._open.clear()


def open_memory(memories: Memories, params: Params) -> dict[str, Any]:
    given = params.get("options")
    if given is not None and not isinstance(given, dict):
        raise invalid("options must be an object")
    memory = Memory(options.from_json(given or {}), environment=_environment(params))
    with memory.surrounded(None, _clock(params)):
        memory = memory.initialize() if params.get("create") is True else memory.load()
    return {"handle": memories.add(memory), "state": wire.to_wire(memory.state)}


def call(memories: Memories, params: Params) -> dict[str, Any]:
    memory = memories.get(params.get("handle"))
    name, arguments = params.get("method"), params.get("args")
    method = _CALLS.get(name) if isinstance(name, str) else None
    if method is None:
        raise invalid(f"no method {name!r}; there are: {', '.join(_CALLS)}")
    with memory.surrounded(_environment(params), _clock(params)):
        value = method(memory, arguments if isinstance(arguments, list) else [])
    return {"value": wire.to_wire(value), "state": wire.to_wire(memory.state)}


def function(memories: Memories, params: Params) -> Any:
    arguments = params.get("args")
    return functions.call(params.get("name"), arguments if isinstance(arguments, list) else [])


METHODS: Mapping[str, Callable[[Memories, Params], Any]] = MappingProxyType(
    {"mm/open": open_memory, "mm/call": call, "mm/fn": function}
)


def _environment(params: Params) -> Mapping[str, str]:
    """The process's environment; where `env` is given, its two variables stand in the place of our own."""
    given = params.get("env")
    if not isinstance(given, dict):
        return os.environ
    own = {name: value for name, value in os.environ.items() if name not in _ENVIRONMENT_NAMES}
    return own | {name: given[name] for name in _ENVIRONMENT_NAMES if isinstance(given.get(name), str)}


def _clock(params: Params) -> Clock | None:
    """A clock that stands at `now`, None where the request carries none."""
    given = params.get("now")
    if given is None:
        return None
    try:
        moment = datetime.fromisoformat(given)
    except (TypeError, ValueError) as error:
        raise invalid(f"now must be an ISO time, not {given!r}") from error
    fixed = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return lambda: fixed


def _first(arguments: Sequence[Any]) -> Any:
    return arguments[0] if arguments else None


def _record(arguments: Sequence[Any], place: int = 0) -> Params:
    value = arguments[place] if place < len(arguments) else None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise invalid(f"argument {place + 1} must be an object")
    return value


def _write(memory: Memory, arguments: Sequence[Any]) -> Any:
    given = _record(arguments)
    return memory.write(
        given.get("topic"),  # type: ignore[arg-type]  # checked there: a bad topic is E_INVALID
        given.get("content"),  # type: ignore[arg-type]  # checked there: a bad content is a value
        budget=given.get("budget"),
        summary=wire.optional_text(given, "summary"),
        tags=wire.optional_text(given, "tags"),
        updated=wire.optional_text(given, "updated"),
    )


def _search(memory: Memory, arguments: Sequence[Any]) -> Any:
    given = _record(arguments, 1)
    limit = given.get("limit")
    counted = int(limit) if isinstance(limit, int | float) and not isinstance(limit, bool) else None
    return memory.search(_first(arguments), mode=given.get("mode"), limit=counted)


def _digest(memory: Memory, arguments: Sequence[Any]) -> Any:
    given = _record(arguments)
    return memory.digest(
        source=wire.optional_text(given, "source"),
        file=wire.optional_text(given, "file"),
        max_items=given.get("maxItems"),
        topic_hint=wire.optional_text(given, "topicHint"),
    )


def _nothing(act: Callable[[Memory], object]) -> Callable[[Memory, Sequence[Any]], None]:
    """A call that answers null: what it changed shows in the state."""

    def done(memory: Memory, arguments: Sequence[Any]) -> None:
        act(memory)

    return done


_CALLS: Mapping[str, Callable[[Memory, Sequence[Any]], Any]] = MappingProxyType(
    {
        "readIndex": lambda memory, arguments: memory.read_index(),
        "readTopic": lambda memory, arguments: memory.read_topic(_first(arguments)),
        "listNotes": lambda memory, arguments: memory.list_notes(),
        "write": _write,
        "delete": lambda memory, arguments: memory.delete(_first(arguments)),
        "search": _search,
        "budget": lambda memory, arguments: memory.budget(),
        "digest": _digest,
        "nudge": lambda memory, arguments: memory.nudge(),
        "reload": _nothing(Memory.load),
        "uriFor": lambda memory, arguments: memory.uri_for(_first(arguments)),
        "dispose": _nothing(Memory.dispose),
    }
)
