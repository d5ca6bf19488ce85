"""mm v1: files, snapshots, budgets as values, search and digest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shilu_core.files import replace_whole

from shilu_host.conformance.case import Bench, Cases, collect, equal, fails, holds
from shilu_host.conformance.client import Client

CASES: Cases = []
NOW = "2026-03-04T05:06:07.000Z"


class _Root:
    """One open memory."""

    def __init__(self, client: Client, root: Path, create: bool = True, **options: Any) -> None:
        self.client, self.root = client, root
        given = {"options": {"root": str(root), **options}, "create": create, "env": {}}
        answer = client.call("mm/open", given)
        self.handle, self.state = answer["handle"], answer["state"]

    def call(self, method: str, *args: Any) -> Any:
        given = {"handle": self.handle, "method": method, "args": list(args), "env": {}, "now": NOW}
        answer = self.client.call("mm/call", given)
        self.state = answer["state"]
        return answer["value"]

    def text(self, name: str = "MEMORY.md") -> str:
        return (self.root / name).read_bytes().decode("utf-8")


def _root(bench: Bench, **options: Any) -> _Root:
    return _Root(bench.start_mm(), bench.folder / "记忆", **options)


@collect(CASES, "mm-empty", "mm 4.8", "an empty root has the index of nine lines")
def _(bench: Bench) -> None:
    text = _root(bench).text()
    equal("lines and bytes", [text.count("\n"), len(text.encode())], [9, 252])
    holds("it ends in one newline", text.endswith("bytes\n") and text.startswith("# MEMORY.md\n\n"))


@collect(CASES, "mm-write", "mm 4.9", "a write makes note and index entry, byte for byte")
def _(bench: Bench) -> None:
    root = _root(bench)
    value = root.call("write", {"topic": "deploy", "content": "区域：北京\n", "summary": "where", "tags": "Net, 部署"})
    equal("value", [value["ok"], value["action"], value["uri"]], [True, "created", "mm://local/deploy"])
    note = "# deploy\n\n> mm-id: local\n> mm-version: 1\n> mm-kind: note\n> mm-topic: deploy\n> mm-file: memories/deploy.md\n\n区域：北京\n"
    equal("the note", root.text("memories/deploy.md"), note)
    entry = "## deploy\n- **summary:** where\n- **tags:** net, 部署\n- **file:** memories/deploy.md\n"
    entry += f"- **updated:** {NOW}\n- **budget:** 6/4000\n"
    holds("the index ends with the entry", root.text().endswith("bytes\n" + entry))


@collect(CASES, "mm-frozen", "mm 7.1", "reads serve the snapshot until a reload")
def _(bench: Bench) -> None:
    root = _root(bench)
    root.call("write", {"topic": "later", "content": "text"})
    equal("before the reload", [root.call("readTopic", "later"), root.state["pendingWrites"]], [None, 1])
    root.call("reload")
    equal("after it", [root.call("readTopic", "later")["body"], root.state["pendingWrites"]], ["text", 0])


@collect(CASES, "mm-budget", "mm 6.5", "a write over budget is a value, counts code points, and writes nothing")
def _(bench: Bench) -> None:
    root = _root(bench)
    before = root.text()
    value = root.call("write", {"topic": "big", "content": "😀" * 6, "budget": 5})
    found = [value["ok"], value["code"], value["usage"]["bodyChars"], value["usage"]["overflow"]]
    equal("the value", found, [False, "E_WRITE_BUDGET_EXCEEDED", 6, 1])
    equal("the index", root.text(), before)
    equal(
        "exactly at budget",
        root.call("write", {"topic": "big", "content": "😀" * 5, "budget": 5})["ok"],
        True,
    )


@collect(CASES, "mm-index-cap", "mm 6.3", "an index over its lines asks for a rewrite and writes nothing")
def _(bench: Bench) -> None:
    root = _root(bench, indexLines=16)
    equal("the first", root.call("write", {"topic": "a", "content": "x"})["ok"], True)
    value = root.call("write", {"topic": "b", "content": "x"})
    equal("the second", [value["ok"], value["code"]], [False, "E_INDEX_BUDGET_EXCEEDED"])
    holds("the message says rewrite", "rewrite" in value["message"])
    holds("no note was written", not (root.root / "memories" / "b.md").exists())


@collect(CASES, "mm-search", "mm 8.3", "a scan finds Han characters inside a longer run")
def _(bench: Bench) -> None:
    root = _root(bench)
    root.call("write", {"topic": "deploy", "content": "部署区域在北京"})
    root.call("reload")
    found = root.call("search", "区域", {"mode": "scan"})
    equal("engine and topics", [found["engine"], [m["topic"] for m in found["matches"]]], ["scan", ["deploy"]])
    fails("E_INVALID", root.call, "search", " ", {})


@collect(CASES, "mm-topics", "mm 3.1", "a bad topic is an error, a blank content a value")
def _(bench: Bench) -> None:
    root = _root(bench)
    for topic in ("../up", "a b", "", "a\n", "x" * 65):
        fails("E_INVALID", root.call, "write", {"topic": topic, "content": "x"})
    equal("blank content", root.call("write", {"topic": "a", "content": "  "})["code"], "E_INVALID")


@collect(CASES, "mm-missing", "mm 2.3", "a missing root is not initialized unless it may be made")
def _(bench: Bench) -> None:
    client = bench.start_mm()
    fails("E_NOT_INITIALIZED", _Root, client, bench.folder / "none", create=False)


@collect(CASES, "mm-crlf", "mm 16", "a root with CRLF line ends loses nothing on the next write")
def _(bench: Bench) -> None:
    root = _root(bench)
    root.call("write", {"topic": "one", "content": "first"})
    index = root.root / "MEMORY.md"
    replace_whole(index, index.read_bytes().replace(b"\n", b"\r\n"))
    again = _Root(root.client, root.root)
    again.call("write", {"topic": "two", "content": "second"})
    again.call("reload")
    equal("the topics", [note["topic"] for note in again.call("listNotes")], ["one", "two"])


@collect(CASES, "mm-digest", "mm 9.4", "a digest finds marked memories and writes nothing")
def _(bench: Bench) -> None:
    root = _root(bench)
    before = sorted(path.name for path in root.root.rglob("*"))
    text = "see mm://local/deploy, region is Beijing\nREMEMBER: drink tea\n## Team rules\nreview twice\n"
    found = root.call("digest", {"source": text})
    kinds = [(item["kind"], item["topic"], item["body"]) for item in found["candidates"]]
    wanted = [
        ("uri", "deploy", "region is Beijing"),
        ("explicit", "memo-1", "drink tea"),
        ("heading", "team-rules", "review twice"),
    ]
    equal("the candidates", kinds, wanted)
    equal("the files", sorted(path.name for path in root.root.rglob("*")), before)


@collect(CASES, "mm-functions", "mm 1.1", "counting and slugs follow the format's own units")
def _(bench: Bench) -> None:
    client = bench.start_mm()
    for name, argument, wanted in (("countChars", "茶😀", 2), ("byteLength", "茶😀", 7), ("countLines", "a\nb", 2),
                                   ("countLines", "", 0), ("slugForTopic", "Ｔeam Rules!", "team-rules"),
                                   ("slugForTopic", "团队", None), ("parseMemoryUri", "https://x", None)):  # fmt: skip
        equal(
            f"{name}({argument!r})",
            client.call("mm/fn", {"name": name, "args": [argument], "env": {}}),
            wanted,
        )
