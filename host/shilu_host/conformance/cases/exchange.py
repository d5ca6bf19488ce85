"""Export, import and adapters."""

from __future__ import annotations

from typing import Any

from shilu_host.conformance.case import Bench, Cases, collect, equal, fails, holds
from shilu_host.conformance.speaker import Speaker, by, session

CASES: Cases = []
ITEM = {"track": "user", "scope": "user-global", "text": "item"}
ENVELOPE = {"plugin": "dsh-memento", "schema": "memory-export-v1"}


def _adapt(speaker: Speaker, adapter: str, payload: object) -> list[dict[str, object]]:
    return list(speaker.client.call("adapters/adapt", {"adapterId": adapter, "payload": payload})["entries"])


@collect(
    CASES,
    "export-import",
    "12.3",
    "an import carries text, pot, source, keys and tags, and starts everything else anew",
)
def _(bench: Bench) -> None:
    speaker = bench.start()
    speaker.add("fact", "agent", "workspace", by(session(cwd="/w", preset="p")), source="tool", tags=["a", "b"])
    speaker.query({})
    envelope = speaker.client.call("export", {})
    old = envelope["entries"][0]
    holds("the envelope names its format", {name: envelope[name] for name in ENVELOPE} == ENVELOPE)
    new = speaker.import_(envelope, by(session("importer", cwd="/v")))["entries"][0]
    kept = ("track", "scope", "text", "source", "tags", "workspaceKey", "agentKey")
    equal("what is carried", [new[name] for name in kept], [old[name] for name in kept])
    equal("what is new", [new["version"], new["recallCount"], new["sessionId"]], [1, 0, "importer"])
    holds("the id is new", new["id"] != old["id"])
    equal("the last ask", speaker.client.asks[-1]["params"]["action"], "seed")


@collect(CASES, "import-refused", "12.4", "what is no envelope is refused, and nobody is asked")
def _(bench: Bench) -> None:
    speaker = bench.start()
    for payload in (None, {**ENVELOPE, "plugin": "x", "entries": [ITEM]}, {**ENVELOPE, "schema": "v9", "entries": [ITEM]},
                    {**ENVELOPE, "entries": []}, {**ENVELOPE, "entries": [ITEM] * 1001},
                    {**ENVELOPE, "entries": [{**ITEM, "text": ""}]}):  # fmt: skip
        fails("INVALID_INPUT", speaker.import_, payload)
    equal("store and asks", [speaker.entries(), speaker.client.asks], [[], []])


@collect(CASES, "adapters", "13.3", "the three adapters are listed; an unknown one is not found")
def _(bench: Bench) -> None:
    speaker = bench.start()
    ids = [descriptor["id"] for descriptor in speaker.client.call("adapters/list", {})]
    equal("the ids", ids, ["claude-code-memory-md", "hermes-memory-md", "mem0"])
    details = fails("ADAPTER_NOT_FOUND", _adapt, speaker, "nope", "")
    equal("the details", dict(details), {"adapterId": "nope"})


@collect(CASES, "adapter-mem0", "13.5", "mem0 facts become entries with category and tags")
def _(bench: Bench) -> None:
    speaker = bench.start()
    fact = {"memory": "likes tea", "metadata": {"category": "taste", "tags": ["drink", "taste"]}}
    wanted = {
        "track": "user",
        "scope": "user-global",
        "text": "likes tea",
        "source": "mem0",
        "tags": ["taste", "drink"],
    }
    equal("the entries", _adapt(speaker, "mem0", {"facts": [fact]}), [wanted])
    unmapped: list[Any] = [{"messages": []}, [None], [{"memory": ""}]]
    for payload in unmapped:
        fails("ADAPTER_PAYLOAD", _adapt, speaker, "mem0", payload)


@collect(CASES, "adapter-hermes", "13.8", "a Hermes file is sections and bullets, anything else is refused")
def _(bench: Bench) -> None:
    speaker = bench.start()
    found = _adapt(speaker, "hermes-memory-md", "- one\r\n\r\n## Tools\r\n* two \n- \n")
    equal(
        "texts and tags",
        [(item["text"], item.get("tags")) for item in found],
        [("one", None), ("two", ["Tools"])],
    )
    for line in ("# Title", "prose", "  - indented", "### deep"):
        fails("ADAPTER_PAYLOAD", _adapt, speaker, "hermes-memory-md", f"- one\n{line}\n")


@collect(
    CASES,
    "adapter-claude-code",
    "13.11",
    "prose becomes paragraphs, bullets and sections work as in Hermes files",
)
def _(bench: Bench) -> None:
    found = _adapt(bench.start(), "claude-code-memory-md", "# Title\nmore\n\n## S\n- bullet\ntail")
    wanted = [("# Title more", None), ("bullet", ["S"]), ("tail", ["S"])]
    equal("texts and tags", [(item["text"], item.get("tags")) for item in found], wanted)


@collect(CASES, "adapter-export", "13.10", "an export groups bullets by track and scope, in the order of that name")
def _(bench: Bench) -> None:
    speaker = bench.start()
    entries = [speaker.add("one")["entry"], speaker.add("two\nlines", "agent", "workspace")["entry"]]
    call = {"adapterId": "hermes-memory-md", "entries": entries}
    wanted = "## agent/workspace\n- two lines\n\n## user/user-global\n- one"
    equal(
        "the document",
        speaker.client.call("adapters/export", call),
        {"plugin": "hermes-memory-md", "text": wanted},
    )
