"""A connection to the real server, in this process and over the real message bytes."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from shilu_core.ledger import Ledger
from shilu_host.conformance.channel import Silent
from shilu_host.conformance.client import Client, Failure, allow
from shilu_host.conformance.speaker import Speaker
from shilu_host.rpc import messages
from shilu_host.rpc.opening import Opener
from shilu_host.rpc.server import Server

V1 = "dsh-memory-protocol/v1"
ALL_EVENTS = ["memory/added", "memory/updated", "memory/removed", "memory/recalled", "memory/snapshot"]


class NoMethods:
    table: ClassVar[dict[str, Any]] = {}

    def close(self) -> None:
        pass


class Loop:
    """A channel whose far end is a server in this process."""

    def __init__(self, opener: Opener) -> None:
        self.lines: deque[bytes] = deque()
        self.server = Server(lambda message: self.lines.append(messages.write(message)), opener, NoMethods())

    def send(self, line: bytes) -> None:
        self.server.receive(line)

    def receive(self, seconds: float) -> bytes:
        if not self.lines:
            raise Silent("the server has nothing to say")
        return self.lines.popleft()


def no_vault() -> Any:
    raise AssertionError("this test opens no vault")


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store, made once: copying it is faster than making one for each test."""
    path = tmp_path_factory.mktemp("blank") / "store.db"
    Ledger.open(path).close()
    return path


@pytest.fixture
def store(tmp_path: Path, blank: Path) -> Path:
    folder = tmp_path / "库"
    folder.mkdir()
    return Path(shutil.copy(blank, folder))


@pytest.fixture
def connect(store: Path):
    """A function that initializes a connection on the test's store and returns its speaker."""
    loops: list[Loop] = []

    def connect(approver: Callable[[Any], str | None] = allow, **config: Any) -> Speaker:
        loop = Loop(Opener(no_vault))
        loops.append(loop)
        client = Client(loop, approver)
        given = {"protocol": V1, "dbPath": str(store), "approval": True, "knownSessionEvents": ALL_EVENTS}
        speaker = Speaker(client)
        speaker.greeting = client.call("initialize", {**given, **config})
        return speaker

    yield connect
    for loop in loops:
        loop.server.close()


@pytest.fixture
def speaker(connect) -> Speaker:
    return connect()


@pytest.fixture
def failing():
    """A function that runs an action and returns the Failure it must end in."""

    def failing(action: Callable[[], Any]) -> Failure:
        with pytest.raises(Failure) as caught:
            action()
        return caught.value

    return failing
