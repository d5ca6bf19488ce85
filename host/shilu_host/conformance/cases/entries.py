"""What an entry is, what its fields may be, and who sees it."""

from __future__ import annotations

import re

from shilu_host.conformance.case import Bench, Cases, collect, equal, fails, holds
from shilu_host.conformance.speaker import by, session

CASES: Cases = []
FIELDS = "agentKey createdAt id lastRecalled recallCount scope sessionId source tags text track updatedAt version workspaceKey"
UUID_4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)


@collect(CASES, "entry-fields", "2.1", "an entry has exactly the 14 fields and a version 4 UUID")
def _(bench: Bench) -> None:
    entry = bench.start().add("prefers tea", tags=["drink"])["entry"]
    equal("the fields", " ".join(sorted(entry)), FIELDS)
    holds("the id is a UUID of version 4", bool(UUID_4.fullmatch(entry["id"])))


@collect(CASES, "entry-fresh", "2.2", "a new entry starts at version 1, never recalled, with its writer's session")
def _(bench: Bench) -> None:
    entry = bench.start().add("prefers tea", write=by(session("writer")))["entry"]
    found = [entry[name] for name in ("version", "lastRecalled", "recallCount", "sessionId")]
    equal("version, last recall, recall count and session", found, [1, None, 0, "writer"])
    equal("the time of the last change", entry["updatedAt"], entry["createdAt"])
    holds(
        "times are whole milliseconds of this century",
        isinstance(entry["createdAt"], int) and entry["createdAt"] > 10**12,
    )


@collect(CASES, "entry-units", "2.3", "a length is counted in UTF-16 code units")
def _(bench: Bench) -> None:
    speaker = bench.start(
        budgets={"user": {"userGlobal": 4, "workspace": 4}, "agent": {"userGlobal": 4, "workspace": 4}}
    )
    equal("units of a Han character, an emoji and a letter", speaker.add("茶😀t")["usage"]["used"], 4)


@collect(CASES, "entry-verbatim", "2.4", "text comes back exactly as it was given")
def _(bench: Bench) -> None:
    texts = ["  edges\t", "two\r\nlines\n", " ", "e\u0301 é", "\u2028", "</memory> 'quoted' \"twice\" \\"]
    speaker = bench.start(writePolicy="auto")
    for text in texts:
        speaker.add(text)
    equal("the stored texts", speaker.texts(), texts)


@collect(CASES, "entry-text-required", "5.2", "empty or missing text is refused and nothing is stored")
def _(bench: Bench) -> None:
    speaker = bench.start()
    for text in ("", None, 5):
        fails("INVALID_INPUT", speaker.add, text)
    equal("the entries", speaker.entries(), [])


@collect(CASES, "entry-pot", "5.2", "an unknown track or scope is refused")
def _(bench: Bench) -> None:
    speaker = bench.start()
    fails("INVALID_INPUT", speaker.add, "text", "team")
    fails("INVALID_INPUT", speaker.add, "text", "user", "global")
    equal("the entries", speaker.entries(), [])


@collect(CASES, "entry-surrogate", "21", "NUL and lone surrogates are refused and the provider lives")
def _(bench: Bench) -> None:
    speaker = bench.start()
    for text in ("a\0b", "\ud83d", "\udc8a tail"):
        fails("INVALID_INPUT", speaker.add, text)
    equal("a whole pair", speaker.add("😀")["entry"]["text"], "😀")


@collect(CASES, "tags-normal", "2.8", "tags are trimmed as JavaScript trims, unique, in order")
def _(bench: Bench) -> None:
    tags = bench.start().add("text", tags=[" b\ufeff", "a", "b", "\u3000A "])["entry"]["tags"]
    equal("the tags", tags, ["b", "a", "A"])


@collect(CASES, "tags-limits", "2.9", "tags are at most 16, of 32 units, without control characters, not blank")
def _(bench: Bench) -> None:
    speaker = bench.start()
    many = [f"tag {number}" for number in range(17)]
    for tags in (many, ["x" * 33], ["😀" * 17], ["a\x07b"], [" "], [5], "tag"):
        fails("INVALID_INPUT", speaker.add, "text", tags=tags)
    equal(
        "sixteen after one repetition",
        len(speaker.add("text", tags=[*many[:16], "tag 0"])["entry"]["tags"]),
        16,
    )


@collect(CASES, "tags-trim", "2.10", "U+001C is no white space in a tag and U+0085 is kept")
def _(bench: Bench) -> None:
    speaker = bench.start()
    fails("INVALID_INPUT", speaker.add, "text", tags=["\x1ctag"])
    equal("the tag", speaker.add("text", tags=["\x85tag"])["entry"]["tags"], ["\x85tag"])


@collect(CASES, "keys-derived", "3.1", "keys come from the session's folder and preset")
def _(bench: Bench) -> None:
    write = by(session(cwd="/a//b/../c/", preset=" reviewer\t"))
    entry = bench.start().add("text", "agent", "workspace", write)["entry"]
    equal("the keys", [entry["workspaceKey"], entry["agentKey"]], ["/a/c", "reviewer"])


@collect(CASES, "keys-global", "2.1", "a user-global entry has no workspace key")
def _(bench: Bench) -> None:
    equal("the key", bench.start().add("text", write=by(session(cwd="/a")))["entry"]["workspaceKey"], "")


@collect(CASES, "keys-given", "3.4", "keys given for a new entry win over the session's, the empty one too")
def _(bench: Bench) -> None:
    write = by(session(cwd="/a", preset="p"))
    entry = bench.start().add("text", "agent", "workspace", write, workspaceKey="K", agentKey="")["entry"]
    equal("the keys", [entry["workspaceKey"], entry["agentKey"]], ["K", ""])


@collect(CASES, "visible-targets", "3.6", "what a session can not see is no hit and makes nothing ambiguous")
def _(bench: Bench) -> None:
    speaker = bench.start()
    mine, other = by(session(cwd="/w", preset="me")), by(session(cwd="/v", preset="me"))
    speaker.add("port 8080", "agent", "workspace", mine)
    speaker.add("port 9090", "agent", "workspace", other)
    speaker.add("port 7070", "agent", "workspace", by(session(cwd="/w", preset="you")))
    fails("ENTRY_NOT_FOUND", speaker.remove, "9090", "agent", "workspace", mine)
    equal(
        "the replaced text",
        speaker.replace("port", "port 1", "agent", "workspace", mine)["previous"]["text"],
        "port 8080",
    )
    equal("the removed text", speaker.remove("port", "agent", "workspace", mine)["entry"]["text"], "port 1")


@collect(CASES, "match-ascii", "4.1", "a match folds A to Z and nothing else, and takes no wildcards")
def _(bench: Bench) -> None:
    speaker = bench.start(writePolicy="auto")
    for text in ("CAFÉ Noir", "100% sure", "部署区域在北京"):
        speaker.add(text)
    for match, hits in (("caf", 1), ("café", 0), ("NOIR", 1), ("%", 1), ("_", 0), ("区域", 1)):
        equal(f"hits for {match!r}", speaker.query({"text": match})["total"], hits)
    fails("ENTRY_NOT_FOUND", speaker.remove, "café")


@collect(
    CASES,
    "match-ambiguous",
    "4.6",
    "an ambiguous match lists every candidate, cut at 200 units, oldest first",
)
def _(bench: Bench) -> None:
    speaker = bench.start(writePolicy="auto")
    speaker.add("key " + "x" * 300)
    speaker.add("key two")
    details = fails("AMBIGUOUS_MATCH", speaker.remove, "KEY")
    equal("the candidates", details.get("candidates"), 2)
    equal("the sample", details.get("sample"), ["key " + "x" * 196 + "…", "key two"])
    equal("what the match was", details.get("match"), "KEY")
