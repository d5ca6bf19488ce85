"""Queries, budgets, audit rows, snapshots, proposals and session events."""

from __future__ import annotations

from shilu_host.conformance.case import Bench, Cases, collect, equal, fails, holds
from shilu_host.conformance.speaker import by, session

CASES: Cases = []
ITEM = {"track": "user", "scope": "user-global", "text": "item"}
EVENTS = ["memory/added", "memory/updated", "memory/removed", "memory/recalled", "memory/snapshot"]


@collect(CASES, "query-page", "9.3", "a page has the given limit, the default 20, or the cap of 1000")
def _(bench: Bench) -> None:
    room = {"user": {"userGlobal": 9000, "workspace": 1}, "agent": {"userGlobal": 1, "workspace": 1}}
    speaker = bench.start(writePolicy="auto", budgets=room)
    speaker.seed([{**ITEM, "text": f"t{number}"} for number in range(1003)])
    for limit, size in ((3, 3), (2.0, 2), (None, 20), (0, 20), (True, 20), ("5", 20), (5000, 1000)):
        page = speaker.query({"limit": limit})
        found = [len(page["entries"]), page["total"], page["truncated"]]
        equal(f"size, total and truncation for {limit!r}", found, [size, 1003, True])


@collect(CASES, "query-filters", "9.2", "filters narrow, unknown values find nothing, and no error comes")
def _(bench: Bench) -> None:
    speaker = bench.start(writePolicy="auto")
    speaker.add("a")
    speaker.add("b", "agent", "workspace")
    for filters, hits in (
        ({}, 2),
        ({"track": "user"}, 1),
        ({"scope": "workspace"}, 1),
        ({"track": "x"}, 0),
        ({"text": ""}, 2),
    ):
        equal(f"hits for {filters}", speaker.query(filters)["total"], hits)


@collect(CASES, "query-counts", "9.5", "each entry of the page counts a recall, shown from the next time on")
def _(bench: Bench) -> None:
    speaker = bench.start(writePolicy="auto")
    entry = speaker.add("needle")["entry"]
    speaker.add("other")
    equal("as it was before", speaker.query({"text": "needle"})["entries"], [entry])
    after = {item["text"]: item for item in speaker.entries()}
    equal("recall counts", [after["needle"]["recallCount"], after["other"]["recallCount"]], [1, 0])
    kept = [after["needle"]["version"], after["needle"]["updatedAt"]]
    equal("version and change time", kept, [1, entry["updatedAt"]])
    holds("the last recall is a time", isinstance(after["needle"]["lastRecalled"], int))


@collect(CASES, "query-order", "9.4", "the often recalled come first")
def _(bench: Bench) -> None:
    speaker = bench.start(writePolicy="auto")
    for text in ("one word", "two words", "three words"):
        speaker.add(text)
    speaker.query({"text": "two"})
    equal("the first hit", speaker.query({"text": "word"})["entries"][0]["text"], "two words")


@collect(CASES, "query-visible", "3.8", "an agent key narrows to that agent, a session to its workspace")
def _(bench: Bench) -> None:
    speaker = bench.start(writePolicy="auto")
    speaker.add("shared")
    speaker.add("mine", write=by(session(preset="me")))
    speaker.add("here", "agent", "workspace", by(session(cwd="/w")))
    speaker.add("there", "agent", "workspace", by(session(cwd="/v")))
    for opts, texts in (
        ({}, 4),
        ({"agentKey": ""}, 3),
        ({"agentKey": "me"}, 4),
        ({"session": session(cwd="/w")}, 3),
    ):
        equal(f"hits for {opts}", speaker.query({}, **opts)["total"], texts)


@collect(CASES, "budgets", "7.6", "budgets are four rows in order")
def _(bench: Bench) -> None:
    speaker = bench.start()
    speaker.add("茶😀", "agent")
    rows = [(row["track"], row["scope"], row["used"], row["limit"]) for row in speaker.client.call("budgets", {})]
    wanted = [("user", "user-global", 0, 2000), ("user", "workspace", 0, 2000), ("agent", "user-global", 3, 4000),
              ("agent", "workspace", 0, 4000)]  # fmt: skip
    equal("the rows", rows, wanted)


@collect(CASES, "audit-writes", "8.2", "each allowed write leaves its rows, newest first, with rising numbers")
def _(bench: Bench) -> None:
    speaker = bench.start(writePolicy="auto")
    speaker.add("one")
    speaker.replace("one", "uno")
    speaker.seed([{**ITEM, "text": "two"}])
    speaker.consolidate(["uno", "two"], "both")
    speaker.remove("both")
    rows = speaker.audit()
    found = [(row["action"], row["text"]) for row in reversed(rows)]
    wanted = [("add", "one"), ("replace", "uno"), ("seed", "user/user-global: two"), ("add", "two"),
              ("consolidate-remove", "uno"), ("consolidate-remove", "two"), ("consolidate-add", "both"),
              ("remove", "both")]  # fmt: skip
    equal("the rows", found, wanted)
    numbers = [row["seq"] for row in rows]
    holds("the numbers rise strictly", numbers == sorted(set(numbers), reverse=True))
    wanted_fields = "action entryId outcome scope seq sessionId source text track ts"
    equal("the fields", " ".join(sorted(rows[0])), wanted_fields)


@collect(CASES, "audit-recalled", "8.6", "a query for a session leaves a row, one without leaves none")
def _(bench: Bench) -> None:
    speaker = bench.start()
    speaker.query({"text": "tea"})
    speaker.query({"text": "tea", "track": "user"}, sessionId="s")
    row = speaker.audit()[0]
    found = [row[name] for name in ("action", "text", "track", "scope", "outcome", "sessionId")]
    equal("the row", found, ["recalled", "tea", "user", None, "ok", "s"])
    equal("the number of rows", len(speaker.audit()), 1)


@collect(CASES, "audit-limit", "8.10", "the audit list has the given limit, else 100")
def _(bench: Bench) -> None:
    speaker = bench.start(writePolicy="auto")
    speaker.seed([ITEM] * 110)
    equal("sizes", [len(speaker.audit(limit)) for limit in (None, 5, 0, True)], [100, 5, 100, 100])


@collect(CASES, "snapshot-frozen", "10.1", "a session's snapshot is frozen, and its row holds the shown text")
def _(bench: Bench) -> None:
    speaker = bench.start(writePolicy="auto")
    speaker.add("before")
    shown = speaker.snapshot(session("s"))
    speaker.add("after")
    equal("the second time", speaker.snapshot(session("s")), shown)
    holds("it shows the entry and not the later one", "- before" in shown and "after" not in shown)
    rows = [row["text"] for row in speaker.audit() if row["action"] == "snapshot"]
    equal("the rows", rows, [shown])


@collect(
    CASES,
    "snapshot-visible",
    "10.2",
    "a snapshot shows what its session sees, by group, with its usage, or nothing",
)
def _(bench: Bench) -> None:
    speaker = bench.start(writePolicy="auto")
    speaker.add("elsewhere", "agent", "workspace", by(session(cwd="/v")))
    equal("nothing visible", speaker.snapshot(session("empty", cwd="/w")), "")
    speaker.add("here", "agent", "workspace", by(session(cwd="/w")))
    speaker.add("global")
    shown = speaker.snapshot(session("s", cwd="/w"))
    equal("the bullets", [line for line in shown.splitlines() if line.startswith("- ")], ["- global", "- here"])
    holds("usage counts the visible only", "4/4000" in shown and "6/2000" in shown)


@collect(CASES, "proposal-approve", "11.4", "an approved proposal becomes an entry with its own keys")
def _(bench: Bench) -> None:
    speaker = bench.start()
    made = speaker.propose("candidate", session("s", cwd="/w", preset="p"))
    equal("no second of its kind", speaker.propose("other", session("s")), None)
    entry = speaker.approve(made["id"])["entry"]
    found = [entry[name] for name in ("text", "source", "workspaceKey", "agentKey")]
    equal("the entry", found, ["candidate", "proposal", "/w", "p"])
    equal("the status", speaker.client.call("proposals/list", {})[0]["status"], "approved")
    fails("PROPOSAL_NOT_FOUND", speaker.approve, made["id"])


@collect(CASES, "proposal-limits", "11.3", "a proposal is cut at 2000 units and eight wait at most")
def _(bench: Bench) -> None:
    speaker = bench.start()
    made = [speaker.propose("x" * 2500, session(f"s{number}")) for number in range(9)]
    equal("the lengths", [proposal and len(proposal["text"]) for proposal in made], [2000] * 8 + [None])
    equal("no entry", speaker.entries(), [])


@collect(CASES, "events", "16.2", "known events are told in order, unknown ones never")
def _(bench: Bench) -> None:
    speaker, silent = bench.start(knownSessionEvents=EVENTS), bench.start()
    speaker.seed([{**ITEM, "text": "one"}, {**ITEM, "text": "two"}])
    speaker.replace("one", "uno")
    speaker.consolidate(["uno", "two"], "both")
    speaker.query({"text": "both"}, session=session("s"))
    silent.remove("both")
    kinds = [event["type"].removeprefix("memory/") for event in speaker.client.events]
    equal("the events", kinds, ["added", "added", "updated", "removed", "removed", "added", "recalled"])
    equal("the recall", speaker.client.events[-1]["data"], {"query": "both", "matches": 1, "sessionId": "s"})
    equal("the silent one", silent.client.events, [])
