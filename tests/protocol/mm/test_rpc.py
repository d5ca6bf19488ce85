"""The three methods of the JSON-RPC surface, called as the server calls them."""

import json
from pathlib import Path

import pytest
from shilu_host.mm import MmError
from shilu_host.mm.functions import FUNCTIONS
from shilu_host.mm.rpc import METHODS, Memories

NOW = "2026-01-02T03:04:05.000Z"


class Client:
    """Sends and receives what survives JSON."""

    def __init__(self) -> None:
        self.memories = Memories()

    def __call__(self, name: str, /, **params: object) -> object:
        given = json.loads(json.dumps({"env": {}, **params}))
        return json.loads(json.dumps(METHODS[name](self.memories, given)))

    def call(self, handle: str, method: str, *arguments: object, **params: object) -> object:
        return self("mm/call", handle=handle, method=method, args=list(arguments), **params)


@pytest.fixture
def client() -> Client:
    return Client()


def test_open_gives_a_handle_and_the_state(client: Client, root: Path) -> None:
    answer = client("mm/open", options={"root": str(root)}, create=True, now=NOW)
    assert answer == {
        "handle": "mm-1",
        "state": {
            "root": str(root),
            "memoryId": "local",
            "loaded": True,
            "initialized": True,
            "loadedAt": NOW,
            "pendingWrites": 0,
            "engine": answer["state"]["engine"],
        },
    }


def test_open_without_create_needs_the_root(client: Client, root: Path) -> None:
    with pytest.raises(MmError) as caught:
        client("mm/open", options={"root": str(root)}, create=False)
    assert (caught.value.code, dict(caught.value.details)) == ("E_NOT_INITIALIZED", {})
    root.mkdir()
    assert client("mm/open", options={"root": str(root)}, create=False)["state"]["initialized"] is False


def test_the_callers_environment_stands_in_the_place_of_our_own(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DSH_MEMORY_ROOT", str(tmp_path / "ours"))
    answer = client("mm/open", options={}, create=True, env={"DSH_HOME": str(tmp_path / "theirs")})
    assert answer["state"]["root"] == str(tmp_path / "theirs" / "memory")


def test_the_environment_of_a_call_names_the_session_logs(client: Client, root: Path, tmp_path: Path) -> None:
    (tmp_path / "h" / "sessions").mkdir(parents=True)
    (tmp_path / "h" / "sessions" / "s.md").write_text("MEMO: x", encoding="utf-8")
    handle = client("mm/open", options={"root": str(root)}, create=True)["handle"]
    assert client.call(handle, "digest")["value"]["sourceKind"] == "none"
    digest = client.call(handle, "digest", {}, env={"DSH_HOME": str(tmp_path / "h")})
    assert digest["value"]["candidates"][0]["body"] == "x"


def test_each_handle_has_its_own_snapshot(client: Client, root: Path) -> None:
    first, second = (client("mm/open", options={"root": str(root)}, create=True)["handle"] for _ in range(2))
    answer = client.call(first, "write", {"topic": "a", "content": "text", "tags": "x，y"}, now=NOW)
    assert (answer["value"]["action"], answer["state"]["pendingWrites"]) == ("created", 1)
    assert [client.call(handle, "readTopic", "a")["value"] for handle in (first, second)] == [None, None]
    assert client.call(second, "reload")["state"]["pendingWrites"] == 0
    note = client.call(second, "readTopic", "a")["value"]
    assert (note["body"], note["tags"], note["updated"], note["missingFile"]) == (
        "text",
        ["x", "y"],
        NOW,
        False,
    )
    assert client.call(first, "readTopic", "a")["value"] is None


def test_a_budget_failure_is_a_value(client: Client, root: Path) -> None:
    options = {"root": str(root), "defaultWriteBudget": 3}
    handle = client("mm/open", options=options, create=True)["handle"]
    value = client.call(handle, "write", {"topic": "a", "content": "text"})["value"]
    assert (value["ok"], value["code"], value["usage"]["overflow"]) == (False, "E_WRITE_BUDGET_EXCEEDED", 1)
    assert list(value) == ["ok", "code", "message", "reason", "usage", "topic"]


def test_every_method_of_a_memory_answers(client: Client, root: Path) -> None:
    handle = client("mm/open", options={"root": str(root)}, create=True)["handle"]
    given = {
        "readTopic": ["a"],
        "delete": ["a"],
        "search": ["x", {"limit": 1}],
        "uriFor": ["a"],
        "write": [{"topic": "a", "content": "x"}],
    }
    names = [
        "readIndex",
        "readTopic",
        "listNotes",
        "write",
        "delete",
        "search",
        "budget",
        "digest",
        "nudge",
        "reload",
        "uriFor",
        "dispose",
    ]
    for name in names:
        assert set(client.call(handle, name, *given.get(name, []))) == {"value", "state"}
    assert client.call(handle, "uriFor", "a")["value"] == "mm://local/a"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("mm/open", {"options": []}),
        ("mm/open", {"options": {"root": 7}}),
        ("mm/open", {"options": {"search": 7}}),
        ("mm/open", {"options": {}, "now": "yesterday"}),
        ("mm/call", {"handle": "none", "method": "nudge"}),
        ("mm/call", {"method": "nudge"}),
        ("mm/fn", {"name": "eval", "args": []}),
        ("mm/fn", {"name": "trim", "args": None}),
    ],
)
def test_wrong_parameters_are_invalid(client: Client, method: str, params: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(MmError) as caught:
        client(method, create=True, **{"env": {"DSH_HOME": str(tmp_path)}, **params})
    assert caught.value.code == "E_INVALID"


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("readTopic", []),
        ("write", ["a"]),
        ("search", []),
        ("search", ["x", 7]),
        ("uriFor", [7]),
        ("__class__", []),
        ("write", [{"topic": "a", "content": "x", "summary": 7}]),
        ("digest", [{"file": 7}]),
    ],
)
def test_wrong_arguments_are_invalid(client: Client, root: Path, method: str, arguments: list[object]) -> None:
    handle = client("mm/open", options={"root": str(root)}, create=True)["handle"]
    with pytest.raises(MmError) as caught:
        client.call(handle, method, *arguments)
    assert caught.value.code == "E_INVALID"


ENTRY = {
    "topic": "a",
    "memoryId": "local",
    "summary": "s",
    "tags": ["t"],
    "file": "memories/a.md",
    "updated": "u",
    "bodyChars": 1,
    "writeBudget": 2,
    "entryBody": "by hand",
}
NOTE = {"topic": "a", "memoryId": "m", "file": "memories/a.md", "body": "x"}
CALLS = [
    ("parseNoteText", ["# a\n> mm-id: m\n\nx\n"], {"topic": "a", "body": "x", "header": {"memoryId": "m"}}),
    ("parseMemoryUri", ["mm:a"], {"memoryId": None, "topic": "a"}),
    ("parseMemoryUri", ["no"], None),
    ("uriFor", ["m", "a"], "mm://m/a"),
    ("assertSafeRelPath", ["memories/a.md"], "memories/a.md"),
    ("validateTopic", ["a"], "a"),
    ("slugForTopic", ["A b"], "a-b"),
    ("slugForTopic", ["部署"], None),
    ("parseTags", ["a，B"], ["a", "b"]),
    ("normalizeLine", [" a\n b "], "a b"),
    ("firstLine", ["a\nb"], "a"),
    ("tokenize", ["部署"], ["部", "部署", "署"]),
    ("countLines", ["a\n"], 1),
    ("countChars", ["😀"], 1),
    ("byteLength", ["区"], 3),
    ("chooseSearchEngine", ["auto", False], "scan"),
]


@pytest.mark.parametrize(("name", "arguments", "value"), CALLS)
def test_a_function_gives_its_value(client: Client, name: str, arguments: list[object], value: object) -> None:
    assert client("mm/fn", name=name, args=arguments) == value


def test_the_index_functions_are_inverse(client: Client) -> None:
    given = {"memoryId": "local", "indexLines": 200, "indexBytes": 25600, "entries": [ENTRY]}
    text = client("mm/fn", name="serializeIndex", args=[given])
    parsed = client("mm/fn", name="parseIndex", args=[text, {"memoryId": "x"}])
    assert parsed["entries"] == [ENTRY]
    assert parsed["header"] == {
        "memoryId": "local",
        "version": 1,
        "kind": "index",
        "caps": "200 lines / 25600 bytes",
    }
    assert (parsed["lineCount"], parsed["byteCount"]) == (17, len(text.encode()))


def test_the_note_functions_are_inverse(client: Client) -> None:
    text = client("mm/fn", name="serializeNoteText", args=[NOTE])
    assert client("mm/fn", name="parseNoteText", args=[text])["body"] == "x"


def test_every_function_is_served(client: Client) -> None:
    tested = {name for name, _, _ in CALLS} | {
        "parseIndex",
        "serializeIndex",
        "serializeNoteText",
        "requiresSqlite",
    }
    assert tested == set(FUNCTIONS)
    assert client("mm/fn", name="requiresSqlite", args=[]) in (True, False)


def test_close_lets_go_of_all_handles(client: Client, root: Path) -> None:
    handle = client("mm/open", options={"root": str(root)}, create=True)["handle"]
    client.memories.close()
    with pytest.raises(MmError, match="no open memory"):
        client.call(handle, "nudge")
