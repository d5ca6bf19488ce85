"""json-rpc.md: the process as a client sees it, from outside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from shilu_host.conformance.channel import Process
from shilu_host.conformance.client import Client, park
from shilu_host.conformance.speaker import Speaker, by, session

COMMAND = [sys.executable, "-m", "shilu_host", "protocol", "serve", "--stdio"]
V1 = "dsh-memory-protocol/v1"
METHODS = {
    "add", "replace", "remove", "consolidate", "seed", "import", "proposals/approve", "query", "budgets", "listEntries",
    "auditList", "export", "snapshot", "adapters/list", "adapters/adapt", "adapters/export", "proposals/create",
    "proposals/list", "proposals/dismiss", "initialize", "mm/open", "mm/call", "mm/fn",
}  # fmt: skip


@pytest.fixture
def serve(store: Path):
    """A function that starts the command and returns its speaker; the process ends with the test."""
    processes: list[Process] = []

    def serve(approver=None, initialize=True, **config) -> Speaker:
        process = Process(COMMAND)
        processes.append(process)
        speaker = Speaker(Client(process, approver) if approver else Client(process))
        speaker.process = process
        if initialize:
            given = {"protocol": V1, "dbPath": str(store), "approval": True, **config}
            speaker.greeting = speaker.client.call("initialize", given)
        return speaker

    yield serve
    for process in processes:
        process.close()


def run(lines: list[bytes], end: bytes = b"\n") -> tuple[int, list[dict]]:
    """Sends all lines at once, closes the input, and returns status and messages."""
    data = b"".join(line + end for line in lines)
    done = subprocess.run(COMMAND, input=data, capture_output=True, timeout=60)
    assert done.stdout == b"" or done.stdout.endswith(b"\n")
    assert b"\r" not in done.stdout and not done.stdout.startswith(b"\xef\xbb\xbf")
    return done.returncode, [json.loads(line) for line in done.stdout.split(b"\n")[:-1]]


def line(number, method, params) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


def start(store, **config) -> bytes:
    return line(1, "initialize", {"protocol": V1, "dbPath": str(store), "writePolicy": "auto", **config})


def test_initialize_names_protocol_schema_server_and_methods(serve):
    greeting = serve().greeting
    assert greeting["protocol"] == V1 and isinstance(greeting["storeSchemaVersion"], int)
    assert set(greeting["server"]) == {"name", "version"}
    assert set(greeting["methods"]) >= METHODS and len(set(greeting["methods"])) == len(greeting["methods"])


def test_it_ends_by_itself_with_status_0_when_input_closes(store):
    status, messages = run([start(store), line(2, "budgets", {})])
    assert status == 0 and [message["id"] for message in messages] == [1, 2]


def test_it_ends_in_time_while_a_write_waits_and_leaves_its_row(serve, store):
    speaker = serve(park)
    request = speaker.client.start("add", speaker.adding("text"))
    speaker.client.ask_for(request)
    began = time.monotonic()
    assert speaker.process.close() == 0 and time.monotonic() - began < 4
    later = serve()
    assert later.entries() == [] and later.actions() == ["add-denied"]


def test_a_last_line_without_its_newline_is_read(store):
    done = subprocess.run(COMMAND, input=start(store), capture_output=True, timeout=60)
    assert done.returncode == 0 and json.loads(done.stdout)["id"] == 1


def test_requests_are_handled_in_arrival_order(store):
    texts = [f"t{number}" for number in range(50)]
    writes = [
        line(n, "add", {"input": {"track": "user", "scope": "workspace", "text": t}, "write": by()})
        for n, t in enumerate(texts, 2)
    ]
    _, messages = run([start(store), *writes, line(99, "listEntries", {})])
    assert [message["id"] for message in messages] == [*range(1, 52), 99]
    assert [entry["text"] for entry in messages[-1]["result"]] == texts


@pytest.mark.parametrize(
    ("sent", "code", "reply_id"),
    [
        (b"{", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b'{"jsonrpc":"2.0","id":7,"method":"budgets","params":{"limit":NaN}}', -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"[]", -32600, None),
        (b'[{"jsonrpc":"2.0","id":7,"method":"budgets"}]', -32600, None),
        (b"5", -32600, None),
        (b"{}", -32600, None),
        (b'{"jsonrpc":"1.0","id":7,"method":"budgets"}', -32600, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":5}', -32600, 7),
        (b'{"jsonrpc":"2.0","id":{},"method":"budgets"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":7,"method":"nope"}', -32601, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"session/event","params":{}}', -32601, 7),
        (b'{"jsonrpc":"2.0","id":"x","method":"budgets","params":[]}', -32602, "x"),
        (b'{"jsonrpc":"2.0","id":7,"method":"add","params":"text"}', -32602, 7),
        (
            b'{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocol":"dsh-memory-protocol/v1"}}',
            -32600,
            7,
        ),
    ],
)
def test_a_broken_envelope_is_answered_by_its_standard_code(connect, sent, code, reply_id):
    speaker = connect()
    reply = speaker.client.raw(sent)
    assert (reply["error"]["code"], reply["id"]) == (code, reply_id)
    assert speaker.entries() == []


def test_before_initialize_nothing_else_is_served(serve):
    speaker = serve(initialize=False)
    reply = speaker.client.raw(line(7, "budgets", {}))
    assert reply["error"]["code"] == -32600


def test_a_failed_initialize_may_be_repeated(serve, store):
    speaker = serve(initialize=False)
    bad = speaker.client.raw(line(1, "initialize", {"protocol": V1, "dbPath": str(store), "writePolicy": "maybe"}))
    assert bad["error"]["data"] == {"code": "INVALID_INPUT", "details": {}}
    good = speaker.client.raw(line(2, "initialize", {"protocol": V1, "dbPath": str(store)}))
    assert good["result"]["protocol"] == V1


def test_lone_surrogates_arrive_and_the_server_lives_f21(connect, failing):
    speaker = connect()
    sent = b'{"jsonrpc":"2.0","id":7,"method":"add","params":{"input":{"track":"user","scope":"user-global","text":"a\\udc8a"},"write":{"agent":{}}}}'
    assert speaker.client.raw(sent)["error"]["data"]["code"] == "INVALID_INPUT"
    for key in ("tags", "source", "workspaceKey", "agentKey"):
        value = ["\udc8a"] if key == "tags" else "\udc8a"
        assert failing(lambda k=key, v=value: speaker.add("x", **{k: v})).code == "INVALID_INPUT"
    assert failing(lambda: speaker.remove("\ud83d")).code == "INVALID_INPUT"
    assert failing(lambda: speaker.add("x", write=by(session("\udc8a")))).code == "INVALID_INPUT"
    assert speaker.add("whole 😀")["entry"]["text"] == "whole 😀"


def test_a_surrogate_that_we_send_back_is_an_escape(connect, failing):
    failure = failing(lambda: connect().client.call("proposals/dismiss", {"id": "\udc8a"}))
    assert failure.details == {"id": "\udc8a"}


def test_separators_inside_a_text_break_no_line(serve):
    speaker = serve()
    text = "a\u2028b\u2029c\u0085d\r\ne"
    assert speaker.add(text)["entry"]["text"] == text and speaker.texts() == [text]


def test_standard_output_carries_messages_only_even_if_something_prints(store):
    code = "import sys; from shilu_host import cli; from shilu_host.protocol.provider import READS\n"
    code += "import os; READS['budgets'] = lambda *_: (print('stray'), os.write(1, b'stray'), [])[2]\n"
    code += "sys.exit(cli.main(['protocol', 'serve', '--stdio']))"
    lines = b"\n".join([start(store), line(2, "budgets", {})]) + b"\n"
    done = subprocess.run([sys.executable, "-c", code], input=lines, capture_output=True, timeout=60)
    assert [json.loads(item)["id"] for item in done.stdout.splitlines()] == [1, 2] and b"stray" in done.stderr


def test_a_bug_is_an_internal_error_and_the_server_lives(connect):
    from shilu_host.protocol.provider import READS

    speaker, plain = connect(), READS["budgets"]
    READS["budgets"] = lambda provider, params: 1 / 0
    try:
        assert speaker.client.raw(line(7, "budgets", {}))["error"]["code"] == -32603
    finally:
        READS["budgets"] = plain
    assert len(speaker.client.call("budgets", {})) == 4


def test_many_writes_wait_at_once_and_are_answered_out_of_order(serve):
    speaker = serve(park)
    requests = [speaker.client.start("add", speaker.adding(f"t{number}")) for number in range(40)]
    asks = [speaker.client.ask_for(request) for request in requests]
    assert speaker.query()["total"] == 0
    for ask in reversed(asks):
        speaker.client.answer(ask, "allowed-once")
    for request in requests:
        speaker.client.wait(request)
    assert speaker.texts() == [f"t{number}" for number in range(39, -1, -1)]
    assert len({ask["id"] for ask in asks}) == 40 and all(isinstance(ask["id"], str) for ask in asks)


def test_a_client_that_is_slow_to_read_does_not_stop_the_reading(store):
    """4 MB of replies wait unread while requests still go in."""
    speaker_input = [start(store, budgets={"user": {"workspace": 100_000}})]
    text = "x" * 20_000
    speaker_input.append(
        line(2, "add", {"input": {"track": "user", "scope": "workspace", "text": text}, "write": by()})
    )
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    done = threading.Event()

    def feed():
        for item in [*speaker_input, *(line(n, "listEntries", {}) for n in range(3, 203))]:
            process.stdin.write(item + b"\n")
        process.stdin.flush()
        done.set()

    thread = threading.Thread(target=feed, daemon=True)
    thread.start()
    assert done.wait(60), "the server stopped reading"
    replies = [json.loads(process.stdout.readline()) for _ in range(202)]
    process.stdin.close()
    assert process.wait(20) == 0 and replies[-1]["id"] == 202
    process.stdout.close()


@pytest.mark.parametrize("given", ["7", None, True, 8, {}])
def test_a_cancel_for_another_id_ends_nothing(connect, given):
    speaker = connect(park)
    request = speaker.client.start("add", speaker.adding("text"))
    ask = speaker.client.ask_for(request)
    speaker.client._send({"method": "$/cancel", "params": {"id": given}})
    speaker.client.answer(ask, "allowed-once")
    assert speaker.client.wait(request)["entry"]["text"] == "text"


def test_a_late_or_unknown_answer_is_ignored(connect, failing):
    speaker = connect(park)
    request = speaker.client.start("add", speaker.adding("text"))
    ask = speaker.client.ask_for(request)
    speaker.client.answer(ask, "rejected")
    speaker.client.answer(ask, "allowed-once")
    speaker.client._send({"id": "s99", "result": {"outcome": "allowed-once"}})
    speaker.client._send({"id": 1, "result": {"outcome": "allowed-once"}})
    assert failing(lambda: speaker.client.wait(request)).code == "WRITE_DENIED"
    assert speaker.entries() == []


def test_a_notification_of_a_request_method_does_nothing(connect):
    speaker = connect(writePolicy="auto")
    speaker.client._send({"method": "add", "params": speaker.adding("text")})
    assert speaker.entries() == []


def test_a_write_id_that_waits_is_not_taken_twice(connect):
    speaker = connect(park)
    request = speaker.client.start("add", speaker.adding("text"))
    speaker.client.ask_for(request)
    reply = speaker.client.raw(line(request, "add", speaker.adding("text")))
    assert reply["error"]["code"] == -32600


def test_an_mm_run_serves_mm_only(serve):
    speaker = serve(initialize=False)
    greeting = speaker.client.call("initialize", {"protocol": "mm/v1"})
    assert greeting["protocol"] == "mm/v1" and set(greeting["methods"]) == {
        "initialize",
        "mm/open",
        "mm/call",
        "mm/fn",
    }
    assert speaker.client.raw(line(9, "budgets", {}))["error"]["code"] == -32601


def test_mm_is_called_on_the_same_connection_with_its_own_error_codes(serve, tmp_path, failing):
    speaker = serve(initialize=False)
    speaker.client.call("initialize", {"protocol": "mm/v1"})
    env = {"DSH_MEMORY_ROOT": str(tmp_path / "根")}
    failure = failing(lambda: speaker.client.call("mm/open", {"options": {}, "create": False, "env": env}))
    assert failure.code == "E_NOT_INITIALIZED" and isinstance(failure.details, dict)
    opened = speaker.client.call("mm/open", {"options": {}, "create": True, "env": env})
    assert opened["state"]["root"] == str(tmp_path / "根")
    assert speaker.client.call("mm/fn", {"name": "countChars", "args": ["中😀"], "env": env}) == 2


def test_start_up_imports_nothing_heavy(store):
    code = "import sys; sys.argv = ['shilu', 'protocol', 'serve', '--stdio']\nfrom shilu_host import cli\ncli.main()\n"
    code += "print(sorted({'numpy', 'rich', 'networkx', 'starlette', 'yaml', 'platformdirs'} & set(sys.modules)), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], input=start(store) + b"\n", capture_output=True, timeout=60)
    assert done.stderr.strip() == b"[]"


def test_serve_wants_stdio(tmp_path):
    done = subprocess.run(COMMAND[:-1], capture_output=True, timeout=60, env={**os.environ, "HOME": str(tmp_path)})
    assert done.returncode == 2 and b"--stdio" in done.stderr
