"""A case: a numbered claim about a provider, and the conversation that checks it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shilu_host.conformance.channel import Process
from shilu_host.conformance.client import Approver, Client, Failure, allow
from shilu_host.conformance.speaker import Speaker

V1 = "dsh-memory-protocol/v1"
MM = "mm/v1"


class Mismatch(Exception):
    """The provider did something else than the case claims."""


class Bench:
    """Starts providers for one case, all on the case's own store, and ends them."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self._command = command
        self._environment = environment
        self._open: list[Process] = []
        self.folder = folder
        self.store = folder / "store.db"

    def start(self, approver: Approver = allow, **config: Any) -> Speaker:
        """A connection that is initialized for v1; approvals are allowed unless said otherwise."""
        given = {"protocol": V1, "dbPath": str(self.store), "approval": True, **config}
        return self.connect(given, approver)

    def start_mm(self) -> Client:
        return self.connect({"protocol": MM}).client

    def connect(self, given: Mapping[str, Any], approver: Approver = allow) -> Speaker:
        process = Process(self._command, self._environment)
        self._open.append(process)
        speaker = Speaker(Client(process, approver))
        speaker.greeting = speaker.client.call("initialize", dict(given))
        return speaker

    def end(self) -> list[int | None]:
        """Closes the input of every provider; their exit statuses, None for one that had to be killed."""
        statuses = [process.close() for process in self._open]
        self._open.clear()
        return statuses


@dataclass(frozen=True)
class Case:
    """`about` is the numbered requirement of the protocol's document."""

    id: str
    about: str
    title: str
    run: Callable[[Bench], None]


Cases = list[Case]


def collect(cases: Cases, case_id: str, about: str, title: str) -> Callable[[Callable[[Bench], None]], None]:
    """A decorator that makes a function a case of `cases`."""

    def add(run: Callable[[Bench], None]) -> None:
        cases.append(Case(case_id, about, title, run))

    return add


def equal(what: str, found: Any, wanted: Any) -> None:
    """Raises Mismatch unless both are equal."""
    if found != wanted:
        raise Mismatch(f"{what}: expected {_short(wanted)}, got {_short(found)}")


def holds(what: str, claim: bool) -> None:
    """Raises Mismatch unless the claim is true."""
    if not claim:
        raise Mismatch(f"{what}: it does not")


def fails(code: str, action: Callable[..., Any], *given: Any, **named: Any) -> Mapping[str, Any]:
    """Runs an action that must end in an error of this code; its details."""
    try:
        answer = action(*given, **named)
    except Failure as failure:
        equal("the error's code", failure.code, code)
        return dict(failure.details)
    raise Mismatch(f"expected the error {code}, got {_short(answer)}")


def command_line(text: str) -> list[str]:
    return shlex.split(text)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 300 else text[:300] + "…"
