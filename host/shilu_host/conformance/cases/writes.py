"""The five writes and their budgets."""

from __future__ import annotations

from shilu_host.conformance.case import Bench, Cases, collect, equal, fails, holds
from shilu_host.conformance.client import park
from shilu_host.conformance.speaker import by, session

CASES: Cases = []
ITEM = {"track": "user", "scope": "user-global", "text": "item"}
SMALL = {"user": {"userGlobal": 10, "workspace": 10}, "agent": {"userGlobal": 10, "workspace": 10}}


@collect(
    CASES,
    "agent-required",
    "5.3",
    "a write without an agent is refused before everything else and leaves no row",
)
def _(bench: Bench) -> None:
    speaker = bench.start()
    for write in ({}, {"agent": None}):
        params = {"input": {"track": "nobody"}, "write": write}
        fails("WRITE_REQUIRES_AGENT", speaker.client.call, "add", params)
    fails("WRITE_REQUIRES_AGENT", speaker.client.call, "seed", {"inputs": [], "write": {}})
    equal("the audit", speaker.audit(), [])


@collect(CASES, "agent-sessionless", "5.3", "an agent without a session may write")
def _(bench: Bench) -> None:
    entry = bench.start().add("text", "agent", "workspace", {"agent": {}})["entry"]
    found = [entry["sessionId"], entry["workspaceKey"], entry["agentKey"]]
    equal("session and keys", found, [None, "", ""])


@collect(CASES, "replace", "5.12", "a replace keeps the identity, raises the version and returns the old entry")
def _(bench: Bench) -> None:
    speaker = bench.start()
    old = speaker.add("Uses port 8080", source="tool", tags=["net"])["entry"]
    result = speaker.replace("PORT 8080", "Uses port 9090", write=by(session("second")), source="other")
    equal("the old entry", result["previous"], old)
    same = ("id", "createdAt", "source", "tags", "workspaceKey", "agentKey")
    equal("what stays", [result["entry"][name] for name in same], [old[name] for name in same])
    equal(
        "what changes",
        [result["entry"][n] for n in ("text", "version", "sessionId")],
        ["Uses port 9090", 2, "second"],
    )
    equal("the store", speaker.entries(), [result["entry"]])


@collect(CASES, "replace-tags", "5.13", "given tags replace the old ones, the empty list clears them")
def _(bench: Bench) -> None:
    speaker = bench.start()
    speaker.add("one", tags=["a"])
    equal("omitted", speaker.replace("one", "two")["entry"]["tags"], ["a"])
    equal("given", speaker.replace("two", "three", tags=["b"])["entry"]["tags"], ["b"])
    equal("empty", speaker.replace("three", "four", tags=[])["entry"]["tags"], [])


@collect(CASES, "remove", "5.16", "a remove returns the entry, and the second one finds nothing")
def _(bench: Bench) -> None:
    speaker = bench.start()
    entry = speaker.add("gone soon")["entry"]
    equal("the removed entry", speaker.remove("gone")["entry"], entry)
    details = fails("ENTRY_NOT_FOUND", speaker.remove, "gone")
    equal("the details", dict(details), {"track": "user", "scope": "user-global", "match": "gone"})


@collect(CASES, "consolidate", "5.18", "a consolidation replaces its targets by one fresh entry, in one step")
def _(bench: Bench) -> None:
    speaker = bench.start()
    for text in ("first", "second", "third"):
        speaker.add(text, tags=["old"])
    result = speaker.consolidate(["SECOND", "first"], "both")
    equal("the removed texts", [entry["text"] for entry in result["removed"]], ["second", "first"])
    equal("version and tags of the new entry", [result["entry"]["version"], result["entry"]["tags"]], [1, []])
    equal("the store", speaker.texts(), ["third", "both"])
    equal("the asks", len(speaker.client.asks), 4)


@collect(CASES, "consolidate-whole", "5.18", "a consolidation with one bad match changes nothing")
def _(bench: Bench) -> None:
    speaker = bench.start()
    speaker.add("first target")
    fails("ENTRY_NOT_FOUND", speaker.consolidate, ["first", "absent"], "x")
    fails("ENTRY_NOT_FOUND", speaker.consolidate, ["first", "target"], "x")
    for matches in ([], ["x"] * 21, [""], "first"):
        fails("INVALID_INPUT", speaker.consolidate, matches, "x")
    equal("the store", speaker.texts(), ["first target"])


@collect(CASES, "seed", "5.22", "a seed stores all its items, in order, under one approval")
def _(bench: Bench) -> None:
    speaker = bench.start()
    result = speaker.seed([{**ITEM, "text": "b"}, {**ITEM, "scope": "workspace", "text": "a"}])
    equal("added", result["added"], 2)
    equal("the texts", [entry["text"] for entry in result["entries"]], ["b", "a"])
    equal("the asks", len(speaker.client.asks), 1)


@collect(CASES, "seed-whole", "5.23", "a seed over budget in sum stores nothing and asks nobody")
def _(bench: Bench) -> None:
    speaker = bench.start(budgets=SMALL)
    details = fails("BUDGET_EXCEEDED", speaker.seed, [{**ITEM, "text": "x" * 6}, {**ITEM, "text": "y" * 5}])
    equal("needed", details.get("needed"), 11)
    fails("INVALID_INPUT", speaker.seed, [ITEM, {**ITEM, "tags": "no list"}])
    equal("store and asks", [speaker.entries(), speaker.client.asks], [[], []])


@collect(CASES, "budget-exact", "7.3", "exactly full fits, one more does not, and needed is the total")
def _(bench: Bench) -> None:
    speaker = bench.start(budgets=SMALL)
    speaker.add("12345678")
    details = fails("BUDGET_EXCEEDED", speaker.add, "abc")
    wanted = {"track": "user", "scope": "user-global", "used": 8, "limit": 10, "needed": 11}
    equal("the details", dict(details), wanted)
    equal(
        "usage",
        speaker.add("ab")["usage"],
        {"track": "user", "scope": "user-global", "used": 10, "limit": 10},
    )


@collect(CASES, "budget-shared", "7.2", "all workspaces and agents share one pot of a track and scope")
def _(bench: Bench) -> None:
    speaker = bench.start(budgets=SMALL)
    speaker.add("123456", "agent", "workspace", by(session(cwd="/a", preset="one")))
    other = by(session(cwd="/b", preset="two"))
    fails("BUDGET_EXCEEDED", speaker.add, "12345", "agent", "workspace", other)


@collect(CASES, "budget-net", "5.14", "a replace or consolidation is charged its net change")
def _(bench: Bench) -> None:
    speaker = bench.start(budgets=SMALL)
    speaker.add("12345")
    speaker.add("abcde")
    equal("used after the replace", speaker.replace("1234", "54321")["usage"]["used"], 10)
    equal("used after the merge", speaker.consolidate(["543", "abc"], "0123456789")["usage"]["used"], 10)


@collect(CASES, "after-approval", "5.6", "the target and the budget are looked at again after the approval")
def _(bench: Bench) -> None:
    waiting, quick = bench.start(park, budgets=SMALL), bench.start(budgets=SMALL, writePolicy="auto")
    quick.add("port 1")
    change = waiting.client.start("replace", {"input": {**ITEM, "match": "port", "text": "port 3"}, "write": by()})
    growth = waiting.client.start("add", waiting.adding("1234"))
    gone = waiting.client.start("remove", {"input": {**ITEM, "match": "port 1"}, "write": by()})
    asks = [waiting.client.ask_for(request) for request in (change, growth, gone)]
    quick.replace("port", "port 22")
    for ask in asks:
        waiting.client.answer(ask, "allowed-once")
    equal("the entry that was replaced", waiting.client.wait(change)["previous"]["text"], "port 22")
    holds("the rest of the pot takes the addition", waiting.client.wait(growth)["usage"]["used"] == 10)
    fails("ENTRY_NOT_FOUND", waiting.client.wait, gone)


@collect(CASES, "after-approval-budget", "5.6", "a budget that was used up meanwhile refuses the approved write")
def _(bench: Bench) -> None:
    speaker = bench.start(park, budgets=SMALL)
    first = speaker.client.start("add", speaker.adding("123456"))
    second = speaker.client.start("add", speaker.adding("abcdef"))
    asks = [speaker.client.ask_for(request) for request in (second, first)]
    for ask in asks:
        speaker.client.answer(ask, "allowed-once")
    speaker.client.wait(second)
    fails("BUDGET_EXCEEDED", speaker.client.wait, first)
    equal("the store", speaker.texts(), ["abcdef"])
