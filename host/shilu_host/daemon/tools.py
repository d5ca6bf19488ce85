"""The six tools, as the daemon carries them out: none of them can promote, decide or edit."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from shilu_core.errors import ShiluError

from shilu_host.daemon.service import Service
from shilu_host.mcp import protocol

Result = TypeVar("Result")
NAMES = tuple(tool["name"] for tool in protocol.load_tools())


class Tools:
    """Carries out tool calls from any thread; `recall` runs an action on the thread that owns the engine."""

    def __init__(self, service: Service, recall: Callable[[Callable[[], Any]], Any]) -> None:
        self._service, self._recall = service, recall
        self._schemas = {tool["name"]: tool["inputSchema"] for tool in protocol.load_tools()}
        self._actions: dict[str, Callable[[dict[str, Any], str], str]] = {
            "memory_search": self._search,
            "memory_show": self._show,
            "memory_submit": self._submit,
            "memory_status": self._status,
            "memory_preview": self._preview,
            "memory_setup": self._setup,
        }

    def call(self, name: str, arguments: dict[str, Any], *, agent: str = "") -> tuple[str, bool]:
        """The tool's text, and whether it is an error; `agent` is the name that the caller's token is
        bound to."""
        if name not in self._actions:
            return f"no tool {name!r}; there are {', '.join(NAMES)}", True
        if wrong := protocol.wrong_argument(self._schemas[name], arguments):
            return f"{name}: {wrong}", True
        try:
            return self._actions[name](arguments, agent), False
        except (ShiluError, LookupError, RuntimeError) as error:
            return str(error.args[0] if error.args else error), True

    def read(self, note: str) -> str:
        try:
            return str(self._recall(lambda: self._service.show(note)))
        except (LookupError, ShiluError) as error:
            raise protocol.Refused(protocol.INVALID_PARAMS, str(error.args[0])) from None

    def notes(self) -> list[dict[str, str]]:
        return list(self._recall(self._service.notes))

    def _search(self, arguments: dict[str, Any], agent: str) -> str:
        query, limit = arguments["query"], int(arguments.get("limit", 5))
        history = bool(arguments.get("history", False))
        return str(self._recall(lambda: self._service.search_text(query, limit=limit, history=history)))

    def _show(self, arguments: dict[str, Any], agent: str) -> str:
        return str(self._recall(lambda: self._service.show(arguments["doc"])))

    def _submit(self, arguments: dict[str, Any], agent: str) -> str:
        return self._service.inbox.submit(
            arguments["facts"],
            agent=agent or arguments.get("agent", ""),
            verified=bool(agent),
            target=arguments.get("target", ""),
        )

    def _status(self, arguments: dict[str, Any], agent: str) -> str:
        status = self._recall(lambda: self._service.status(self._service.settings()))
        return json.dumps(status, ensure_ascii=False, indent=1, default=str)

    def _preview(self, arguments: dict[str, Any], agent: str) -> str:
        return self._service.inbox.preview()

    def _setup(self, arguments: dict[str, Any], agent: str) -> str:
        from shilu_host.daemon.setup_report import setup_report

        return setup_report(self._service)

    def pending(self) -> dict[str, Any]:
        return self._service.inbox.pending()


@dataclass(frozen=True)
class ToolsOf:
    """The tools as a peer's backend, in the name of the caller."""

    tools: Tools
    agent: str

    def call(self, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        return self.tools.call(name, arguments, agent=self.agent)

    def notes(self) -> list[dict[str, str]]:
        return self.tools.notes()

    def read(self, note: str) -> str:
        return self.tools.read(note)
