"""Whatever the params hold, each request is answered once and nothing is an internal error."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shilu_host.protocol.provider import READS, WRITES
from shilu_host.rpc import messages
from shilu_host.rpc.further import MmMethods
from shilu_host.rpc.opening import Opener
from shilu_host.rpc.server import Server

V1 = "dsh-memory-protocol/v1"
WORDS = [
    "",
    "a",
    "user",
    "agent",
    "user-global",
    "workspace",
    "\ud83d",
    "a\0",
    "中😀",
    "mem0",
    "hermes-memory-md",
    "- a\n- b",
]
NAMES = [
    "input", "inputs", "filter", "opts", "limit", "id", "payload", "session", "agent", "header", "cwd", "agentPreset", "track",
    "scope", "text", "match", "matches", "tags", "source", "workspaceKey", "agentKey", "gate", "sessionPolicy", "adapterId",
    "entries", "kind", "status", "language", "sessionId", "plugin", "schema", "facts", "memory", "metadata",
]  # fmt: skip
plain = st.one_of(st.sampled_from(WORDS), st.sampled_from([None, True, False, 0, 1, -1, 2.0, 1.5, 10**30, 1e308]))
values = st.recursive(
    plain,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)),
)
POT = {"track": "user", "scope": "workspace", "text": "ab", "match": "a", "matches": ["a", "b"], "kind": "k"}
WRITE = {"agent": {"session": {"id": "s", "header": {"cwd": "/w"}}}, "gate": True}
odd = st.dictionaries(st.sampled_from(NAMES), values, max_size=3)
params = st.one_of(
    st.dictionaries(st.sampled_from([*NAMES, "write"]), values, max_size=4),
    st.tuples(odd, odd).map(lambda both: {"input": {**POT, **both[0]}, "write": WRITE, **both[1]}),
    odd.map(lambda extra: {"inputs": [{**POT, **extra}], "write": WRITE, "session": WRITE["agent"]["session"]}),
)
requests = st.tuples(
    st.sampled_from([*WRITES, *READS]), params, st.one_of(values, st.just({"outcome": "allowed-once"}))
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(history=st.lists(requests, min_size=1, max_size=12))
def test_every_request_is_answered_once_and_none_is_an_internal_error(blank, history):
    folder = Path(tempfile.mkdtemp())
    said: list[dict] = []
    server = Server(said.append, Opener(lambda: None), MmMethods())
    try:
        opening = {"protocol": V1, "dbPath": str(shutil.copy(blank, folder)), "knownSessionEvents": ["memory/added"]}
        _send(server, {"id": 0, "method": "initialize", "params": opening})
        for number, (method, given_params, answer) in enumerate(history, 1):
            _send(server, {"id": number, "method": method, "params": given_params})
            if said and said[-1].get("method") == "approval/ask":
                _send(server, {"id": said[-1]["id"], "result": answer})
        replies = [message for message in said if "method" not in message]
        assert [reply["id"] for reply in replies] == list(range(len(history) + 1))
        assert [reply for reply in replies if reply.get("error", {}).get("code") == messages.INTERNAL] == []
        assert all(messages.write(message) for message in said)
    finally:
        server.close()
        shutil.rmtree(folder)


def _send(server, message):
    server.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())
