"""Who is asked, what the request shows, and what a denial leaves."""

from __future__ import annotations

from shilu_host.conformance.case import Bench, Cases, collect, equal, fails, holds
from shilu_host.conformance.client import Json, park
from shilu_host.conformance.speaker import Speaker, by, session

CASES: Cases = []
ITEM = {"track": "user", "scope": "user-global", "text": "item"}


def _asked(speaker: Speaker) -> Json:
    params: Json = speaker.client.asks[-1]["params"]
    return params


@collect(CASES, "ask-add", "6.3", "an add shows its text, and the write it belongs to")
def _(bench: Bench) -> None:
    speaker = bench.start()
    request = speaker.client.start("add", speaker.adding("the text", "agent", "workspace", source="tool"))
    speaker.client.wait(request)
    ask = _asked(speaker)
    found = [ask.get(name) for name in ("forRequest", "via", "action", "track", "scope", "text")]
    equal("the request", found, [request, "approval", "add", "agent", "workspace", "the text"])


@collect(CASES, "ask-replace", "6.3", "a replace shows the whole old and the whole new text")
def _(bench: Bench) -> None:
    speaker = bench.start()
    old = "old " + "x" * 500
    speaker.add(old)
    speaker.replace("old", "new\nlines")
    equal("the text", _asked(speaker)["text"], f"from:\n{old}\n\nto:\nnew\nlines")


@collect(CASES, "ask-remove", "6.3", "a remove shows the whole text")
def _(bench: Bench) -> None:
    speaker = bench.start()
    speaker.add("z" * 700)
    speaker.remove("zz")
    equal("the text", _asked(speaker)["text"], "z" * 700)


@collect(CASES, "ask-consolidate", "6.3", "a consolidation shows each target, cut at 300 units, and the new text")
def _(bench: Bench) -> None:
    speaker = bench.start()
    speaker.add("long " + "y" * 400)
    speaker.add("short")
    speaker.consolidate(["LONG", "short"], "merged")
    wanted = f"remove: LONG\nlong {'y' * 295}…\nremove: short\nshort\nnew text: merged"
    equal("the text", _asked(speaker)["text"], wanted)


@collect(CASES, "ask-seed", "6.2", "a seed is asked about as a batch, one line an entry")
def _(bench: Bench) -> None:
    speaker = bench.start()
    speaker.seed([ITEM, {**ITEM, "track": "agent", "text": "two"}])
    ask = _asked(speaker)
    found = [ask.get(name) for name in ("action", "track", "scope", "count", "text")]
    equal("the request", found, ["seed", "batch", "batch", 2, "user/user-global: item\nagent/user-global: two"])


@collect(CASES, "ask-once", "6.5", "a write asks once, and one that must fail asks nobody")
def _(bench: Bench) -> None:
    speaker = bench.start()
    speaker.add("one target")
    speaker.add("two target")
    fails("AMBIGUOUS_MATCH", speaker.remove, "target")
    fails("ENTRY_NOT_FOUND", speaker.replace, "none", "x")
    fails("BUDGET_EXCEEDED", speaker.add, "x" * 3000)
    equal("the asks", [ask["params"]["action"] for ask in speaker.client.asks], ["add", "add"])


@collect(CASES, "deny", "8.5", "a denied write stores nothing and leaves its row before the error")
def _(bench: Bench) -> None:
    bench.start(writePolicy="auto").add("kept")
    speaker = bench.start(lambda ask: "rejected")
    writes: list[tuple[str, Json]] = [
        ("add", {"input": ITEM}),
        ("replace", {"input": {**ITEM, "match": "kept"}}),
        ("remove", {"input": {**ITEM, "match": "kept"}}),
        ("consolidate", {"input": {**ITEM, "matches": ["kept"]}}),
        ("seed", {"inputs": [ITEM]}),
    ]
    for method, params in writes:
        call = {**params, "write": by()}
        details = fails("WRITE_DENIED", speaker.client.call, method, call)
        equal("the outcome", details.get("outcome"), "rejected")
        row = speaker.audit()[0]
        found = [row["action"], row["entryId"], row["text"], row["outcome"]]
        label = "rejected (via approval, writePolicy ask)"
        equal("the row", found, [f"{method}-denied", None, _asked(speaker)["text"], label])
    equal("the store", speaker.texts(), ["kept"])


@collect(CASES, "deny-unknown", "6.1", "an outcome that nobody knows is a denial with that outcome")
def _(bench: Bench) -> None:
    speaker = bench.start(lambda ask: "allowed-forever")
    equal("the outcome", fails("WRITE_DENIED", speaker.add, "x").get("outcome"), "allowed-forever")
    equal("the store", speaker.entries(), [])


@collect(CASES, "deny-error", "6.10", "an approver that fails is unavailable, with a denied row")
def _(bench: Bench) -> None:
    speaker = bench.start(park)
    request = speaker.client.start("add", speaker.adding("x"))
    speaker.client.answer_raw(speaker.client.ask_for(request), {"error": {"code": -32603, "message": "no"}})
    equal(
        "the outcome",
        fails("WRITE_DENIED", speaker.client.wait, request).get("outcome"),
        "unavailable",
    )
    equal("the rows", speaker.actions(), ["add-denied"])


@collect(CASES, "policy", "6.7", "auto allows and off refuses without asking; nobody to ask is unavailable")
def _(bench: Bench) -> None:
    auto, off, alone = (
        bench.start(writePolicy="auto"),
        bench.start(writePolicy="off"),
        bench.start(approval=False),
    )
    auto.add("x")
    equal("off", fails("WRITE_DENIED", off.add, "y").get("outcome"), "rejected")
    equal("nobody", fails("WRITE_DENIED", alone.add, "z").get("outcome"), "unavailable")
    equal("the asks", [*auto.client.asks, *off.client.asks, *alone.client.asks], [])
    wanted = ["allowed-once (via approval, writePolicy auto)", "rejected (via approval, writePolicy off)",
              "unavailable (via approval, writePolicy ask)"]  # fmt: skip
    equal("the labels", [row["outcome"] for row in reversed(auto.audit())], wanted)


@collect(
    CASES,
    "policy-rules",
    "6.8",
    "source beats track/scope beats the global policy, and the label names the real one",
)
def _(bench: Bench) -> None:
    rules = {"source:trusted": "auto", "user/user-global": "off"}
    speaker = bench.start(writePolicies=rules)
    speaker.add("a", source="trusted")
    fails("WRITE_DENIED", speaker.add, "b")
    speaker.add("c", "agent")
    policies = [row["outcome"].rsplit(" ", 1)[1] for row in reversed(speaker.audit())]
    equal("the deciding policies", policies, ["auto)", "off)", "ask)"])
    speaker.seed([{**ITEM, "source": "trusted"}])
    equal("the asks", [ask["params"]["action"] for ask in speaker.client.asks], ["add", "seed"])


@collect(CASES, "policy-bad", "6.8", "a bad policy or rule fails at initialize")
def _(bench: Bench) -> None:
    for config in ({"writePolicy": "allow"}, {"writePolicies": {"user": "auto"}}, {"writePolicies": {"source:A": "auto"}},
                   {"writePolicies": {"user/workspace": "maybe"}}, {"budgets": {"user": {"userGlobal": 0}}}):  # fmt: skip
        fails("INVALID_INPUT", bench.start, **config)


@collect(CASES, "stance-never", "6.9", "the stance never refuses without asking, whatever the policy")
def _(bench: Bench) -> None:
    for policy in ("ask", "auto"):
        speaker = bench.start(writePolicy=policy)
        write = by(sessionPolicy="never")
        details = fails("WRITE_DENIED", speaker.add, "x", write=write)
        equal("outcome and asks", [details.get("outcome"), speaker.client.asks], ["rejected", []])
    equal("the rows", speaker.actions(), ["add-denied", "add-denied"])


@collect(CASES, "gate", "6.11", "the gate asks even without approval, under its own label")
def _(bench: Bench) -> None:
    speaker = bench.start(approval=False)
    speaker.add("x", write=by(gate=True))
    equal("via", _asked(speaker)["via"], "gate")
    equal("the label", speaker.audit()[0]["outcome"], "allowed-once (via write gate)")


@collect(
    CASES,
    "cancel",
    "5.8",
    "a cancelled write ends at once with a denied row, and a late answer changes nothing",
)
def _(bench: Bench) -> None:
    speaker = bench.start(park)
    request = speaker.client.start("add", speaker.adding("x"))
    ask = speaker.client.ask_for(request)
    speaker.client.cancel(request)
    equal("the outcome", fails("WRITE_DENIED", speaker.client.wait, request).get("outcome"), "cancelled")
    speaker.client.answer(ask, "allowed-once")
    equal("store and rows", [speaker.entries(), speaker.actions()], [[], ["add-denied"]])


@collect(CASES, "concurrent", "9.7", "reads and other writes are served while writes wait, answered in any order")
def _(bench: Bench) -> None:
    speaker = bench.start(park)
    requests = [
        speaker.client.start("add", speaker.adding(f"t{number}", write=by(session(f"s{number}"))))
        for number in range(8)
    ]
    asks = [speaker.client.ask_for(request) for request in requests]
    equal("a read meanwhile", speaker.query()["total"], 0)
    for ask in reversed(asks):
        speaker.client.answer(ask, "allowed-once")
    for request in requests:
        speaker.client.wait(request)
    equal("the store", speaker.texts(), [f"t{number}" for number in range(7, -1, -1)])
    holds("every ask has its own id", len({ask["id"] for ask in asks}) == 8)
