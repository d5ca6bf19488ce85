"""Acceptance 3: killed before each statement of each write, the entries and their rows agree (POSIX: fork)."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys

import pytest
from shilu_core.ledger import Ledger
from shilu_host.conformance.speaker import by
from shilu_host.protocol.provider import Provider
from shilu_host.protocol.settings import read_settings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")

POT = {"track": "user", "scope": "user-global"}
WRITES = {
    "add": ("add", {"input": {**POT, "text": "new"}}),
    "replace": ("replace", {"input": {**POT, "match": "one", "text": "new"}}),
    "remove": ("remove", {"input": {**POT, "match": "one"}}),
    "consolidate": ("consolidate", {"input": {**POT, "matches": ["one", "two"], "text": "new"}}),
    "seed": ("seed", {"inputs": [{**POT, "text": "new"}, {**POT, "text": "newer"}]}),
    "approve": ("proposals/approve", {"id": "p1"}),
}
# Texts and the actions of new rows: as it was, or as it is when the write is whole.
BEFORE = (["one", "two"], [])
AFTER = {
    "add": (["one", "two", "new"], ["add"]),
    "replace": (["new", "two"], ["replace"]),
    "remove": (["two"], ["remove"]),
    "consolidate": (["new"], ["consolidate-remove", "consolidate-remove", "consolidate-add"]),
    "seed": (["one", "two", "new", "newer"], ["seed", "add", "add"]),
    "approve": (["one", "two", "candidate"], ["add"]),
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory, blank) -> bytes:
    path = tmp_path_factory.mktemp("filled") / "store.db"
    path.write_bytes(blank.read_bytes())
    with Ledger.open(path) as ledger:
        provider = Provider(ledger, read_settings({"writePolicy": "auto"}))
        provider.write("seed", {"inputs": [{**POT, "text": "one"}, {**POT, "text": "two"}], "write": by()})
        ledger.execute("DELETE FROM audit")
        ledger.execute(
            "INSERT INTO proposals VALUES ('p1', 'k', 'user', 'user-global', '', 'candidate', 'c', 's', 'pending', 1, NULL, '')"
        )
    return path.read_bytes()


@pytest.mark.parametrize("outcome", ["allowed-once", "rejected"])
@pytest.mark.parametrize("name", WRITES)
def test_a_write_killed_at_any_statement_is_whole_or_absent(store, filled, name, outcome):
    after = AFTER[name] if outcome == "allowed-once" else (BEFORE[0], [f"{_action(name)}-denied"])
    ends = []
    for statement in range(1, 100):
        _fresh(store, filled)
        killed = _killed_at(store, WRITES[name], outcome, statement)
        ends.append(_state(store))
        assert ends[-1] in (BEFORE, after), f"statement {statement}"
        if not killed:
            break
    assert ends[-1] == after and ends[0] == BEFORE
    assert ends.index(after) >= 4, "the child was not killed inside the write"
    if name == "approve":
        assert _proposal(store) == ("approved" if outcome == "allowed-once" else "pending")


def test_killed_while_it_waits_for_the_approval_nothing_changes(store, filled):
    _fresh(store, filled)
    child = os.fork()
    if child == 0:
        _write(store, WRITES["consolidate"], lambda ask: os.kill(os.getpid(), signal.SIGKILL))
    assert os.waitpid(child, 0)[1] != 0
    assert _state(store) == BEFORE


def _action(name):
    return "add" if name == "approve" else name


def _fresh(store, filled):
    for suffix in ("-wal", "-shm"):
        store.with_name(store.name + suffix).unlink(missing_ok=True)
    store.write_bytes(filled)


def _write(store, write, transport, watch=None):
    """Runs in the child, which never returns from here."""
    status = 1
    try:
        with Ledger.open(store) as ledger:
            if watch is not None:
                ledger._connection.set_trace_callback(watch)
            provider = Provider(ledger, read_settings({"approval": True}), transport=transport)
            method, params = write
            provider.write(method, {**params, "write": by()})
        status = 0
    except Exception:
        status = 0  # a denial is an exception, too
    finally:
        os._exit(status)


def _killed_at(store, write, outcome, number):
    child = os.fork()
    if child == 0:
        seen = []

        def watch(_statement):
            seen.append(None)
            if len(seen) == number:
                os.kill(os.getpid(), signal.SIGKILL)

        _write(store, write, lambda ask: outcome, watch)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def _state(store):
    with sqlite3.connect(store) as other:
        texts = [row[0] for row in other.execute("SELECT text FROM entries ORDER BY created_at, rowid")]
        actions = [row[0] for row in other.execute("SELECT action FROM audit ORDER BY seq")]
    other.close()
    return texts, actions


def _proposal(store):
    with sqlite3.connect(store) as other:
        status = other.execute("SELECT status FROM proposals").fetchone()[0]
    other.close()
    return status
