"""The store's file, and the process around it."""

from __future__ import annotations

import os
import stat

from shilu_core.files import create_exclusive

from shilu_host.conformance.case import Bench, Cases, Mismatch, collect, equal, fails, holds
from shilu_host.conformance.client import park

CASES: Cases = []


@collect(CASES, "store-durable", "14.1", "what was written is there after a restart")
def _(bench: Bench) -> None:
    first = bench.start(dbPath=str(bench.folder / "文件夹" / "store.db"))
    entry = first.add("kept")["entry"]
    bench.end()
    equal("the entries", bench.start(dbPath=str(bench.folder / "文件夹" / "store.db")).entries(), [entry])


@collect(CASES, "store-private", "14.2", "the file and its log are for the owner alone")
def _(bench: Bench) -> None:
    bench.start().add("text")
    if os.name != "posix":
        return
    for path in bench.folder.iterdir():
        equal(f"the mode of {path.name}", oct(stat.S_IMODE(path.stat().st_mode)), oct(0o600))


@collect(CASES, "store-corrupt", "14.4", "a file that is no store is refused and left alone")
def _(bench: Bench) -> None:
    before = b"this is not a database\n" * 50
    create_exclusive(bench.store, before)
    details = fails("STORE_CORRUPT", bench.start)
    equal("the path", details.get("path"), str(bench.store))
    equal("the file", bench.store.read_bytes() == before, True)


@collect(CASES, "store-shared", "14.7", "two providers on one store see each other's writes and keep the budget")
def _(bench: Bench) -> None:
    room = {"user": {"userGlobal": 10, "workspace": 10}, "agent": {"userGlobal": 10, "workspace": 10}}
    one, two = bench.start(budgets=room), bench.start(budgets=room)
    one.add("12345")
    two.add("abcde")
    fails("BUDGET_EXCEEDED", one.add, "x")
    equal("both see", [one.texts(), two.texts()], [["12345", "abcde"]] * 2)


@collect(CASES, "process-methods", "json-rpc", "initialize names the protocol, the schema and every method")
def _(bench: Bench) -> None:
    greeting = bench.start().greeting
    equal("the protocol", greeting.get("protocol"), "dsh-memory-protocol/v1")
    holds("the schema version is a number", isinstance(greeting.get("storeSchemaVersion"), int))
    missing = {"add", "replace", "remove", "consolidate", "seed", "import", "query", "budgets", "listEntries", "auditList",
               "export", "snapshot"} - set(greeting.get("methods", []))  # fmt: skip
    equal("methods that are missing", missing, set())


@collect(CASES, "process-envelope", "json-rpc", "broken envelopes get the standard codes and the provider lives")
def _(bench: Bench) -> None:
    speaker = bench.start()
    for line, code in ((b"{", -32700), (b"[]", -32600), (b'{"jsonrpc":"2.0","id":90,"method":"nope"}', -32601),
                       (b'{"jsonrpc":"2.0","id":91,"method":"add","params":[]}', -32602)):  # fmt: skip
        equal(f"the code for {line!r}", speaker.client.raw(line)["error"]["code"], code)
    equal("it lives", len(speaker.client.call("budgets", {})), 4)


@collect(CASES, "process-end", "json-rpc", "the provider ends by itself, with status 0, when its input closes")
def _(bench: Bench) -> None:
    speaker = bench.start(park)
    speaker.client.ask_for(speaker.client.start("add", speaker.adding("waiting")))
    bench.start().add("done")
    statuses = bench.end()
    if statuses != [0, 0]:
        raise Mismatch(f"exit statuses {statuses}; None stands for one that had to be killed after 4 seconds")
    equal("the store afterwards", bench.start().texts(), ["done"])
