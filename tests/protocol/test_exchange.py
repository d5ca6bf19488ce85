"""Sections 12 and 13: the export envelope and the adapters."""

from __future__ import annotations

import re

import pytest
from shilu_host.conformance.speaker import by, session
from shilu_host.protocol.adapters import Adapter, Registry, built_in
from shilu_host.protocol.errors import ProtocolError

ITEM = {"track": "user", "scope": "user-global", "text": "text"}
ENVELOPE = {"plugin": "dsh-memento", "schema": "memory-export-v1"}


def export(speaker):
    return speaker.client.call("export", {})


def adapt(speaker, adapter, payload):
    return speaker.client.call("adapters/adapt", {"adapterId": adapter, "payload": payload})["entries"]


def test_12_1_the_envelope_holds_budgets_and_all_entries(speaker):
    entry = speaker.add("text", tags=["a"])["entry"]
    envelope = export(speaker)
    assert set(envelope) == {"plugin", "schema", "exportedAt", "budgets", "entries"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", envelope["exportedAt"])
    assert len(envelope["budgets"]) == 4 and envelope["budgets"][0]["used"] == 4
    assert envelope["entries"] == [entry]


def test_12_2_d7_exported_entries_have_all_14_fields_and_import_accepts_files_without_session_ids(speaker):
    speaker.add("text")
    entries = export(speaker)["entries"]
    assert len(entries[0]) == 14
    del entries[0]["sessionId"]
    assert speaker.import_({**ENVELOPE, "entries": entries})["added"] == 1


def test_12_3_d8_an_import_is_a_seed_that_carries_source_keys_and_tags(speaker):
    write = by(session("first", cwd="/w", preset="p"))
    speaker.add("workspace fact", "agent", "workspace", write, source="tool", tags=["a", "b"])
    speaker.replace("workspace", "changed workspace", "agent", "workspace", write)
    speaker.query({})
    envelope = export(speaker)
    speaker.remove("changed", "agent", "workspace", write)
    result = speaker.import_(envelope, by(session("second", cwd="/v", preset="q")))
    entry, old = result["entries"][0], envelope["entries"][0]
    for name in ("track", "scope", "text", "source", "tags", "workspaceKey", "agentKey"):
        assert entry[name] == old[name]
    assert entry["id"] != old["id"] and entry["version"] == 1 and entry["recallCount"] == 0
    assert (entry["lastRecalled"], entry["sessionId"]) == (None, "second")
    assert speaker.client.asks[-1]["params"]["action"] == "seed"
    assert speaker.actions()[-2:] == ["seed", "add"]


def test_12_3_empty_keys_are_not_carried_and_proposals_do_not_travel(speaker):
    speaker.propose("candidate")
    result = speaker.import_(
        {**ENVELOPE, "entries": [{**ITEM, "scope": "workspace", "workspaceKey": "", "source": ""}]}
    )
    entry = result["entries"][0]
    assert (entry["workspaceKey"], entry["source"]) == ("/case/workspace", "shilu")
    assert "proposals" not in export(speaker)


@pytest.mark.parametrize(
    "payload",
    [
        None,
        "x",
        [],
        {},
        {**ENVELOPE, "plugin": "other", "entries": [ITEM]},
        {**ENVELOPE, "schema": "memory-export-v2", "entries": [ITEM]},
        {**ENVELOPE},
        {**ENVELOPE, "entries": {}},
        {**ENVELOPE, "entries": []},
        {**ENVELOPE, "entries": [ITEM] * 1001},
        {**ENVELOPE, "entries": [ITEM, 5]},
        {**ENVELOPE, "entries": [{**ITEM, "text": ""}]},
        {**ENVELOPE, "entries": [{**ITEM, "track": None}]},
        {**ENVELOPE, "entries": [ITEM, {**ITEM, "scope": "elsewhere"}]},
        {**ENVELOPE, "entries": [{**ITEM, "tags": 5}]},
    ],
)
def test_12_4_what_is_no_envelope_is_refused_and_nobody_is_asked(speaker, failing, payload):
    assert failing(lambda: speaker.import_(payload)).code == "INVALID_INPUT"
    assert speaker.entries() == [] and speaker.client.asks == [] and speaker.audit() == []


def test_12_4_bare_items_are_enough_up_to_a_thousand(connect):
    assert connect(writePolicy="auto").import_({**ENVELOPE, "entries": [{**ITEM, "text": "x"}] * 1000})["added"] == 1000


def test_12_4_an_import_beyond_the_budget_stores_nothing(speaker, failing):
    payload = {**ENVELOPE, "entries": [ITEM, {**ITEM, "text": "x" * 2000}]}
    assert failing(lambda: speaker.import_(payload)).code == "BUDGET_EXCEEDED"
    assert speaker.entries() == [] and speaker.client.asks == []


def sample(**changed):
    return Adapter(
        **{
            "id": "sample",
            "name": "Sample",
            "description": "a sample",
            "version": "1",
            "import_formats": ("text",),
            "export_format": "text",
            "adapt": lambda payload: [{"text": payload}],
            "export": lambda entries: len(entries),
            **changed,
        }
    )


def test_13_1_an_adapter_is_registered_listed_used_and_disposed_of():
    registry = Registry()
    dispose = registry.register(sample())
    registry.register(sample(id="another"))
    assert [descriptor["id"] for descriptor in registry.list()] == ["another", "sample"]
    assert registry.list()[1] == {
        "id": "sample",
        "name": "Sample",
        "description": "a sample",
        "version": "1",
        "importFormats": ["text"],
        "exportFormat": "text",
    }
    assert registry.adapt("sample", "x") == [{"text": "x"}]
    assert registry.export("sample", [ITEM]) == 1
    dispose()
    dispose()
    assert [descriptor["id"] for descriptor in registry.list()] == ["another"]


def test_13_1_the_built_in_adapters_are_listed_by_id(speaker):
    descriptors = speaker.client.call("adapters/list", {})
    assert [d["id"] for d in descriptors] == ["claude-code-memory-md", "hermes-memory-md", "mem0"]
    assert (
        descriptors[2]["importFormats"] == ["mem0-facts"] and descriptors[0]["exportFormat"] == "claude-code-memory-md"
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"id": ""},
        {"id": "-a"},
        {"id": "A"},
        {"id": "a b"},
        {"id": "a\n"},
        {"id": 5},
        {"name": ""},
        {"description": 5},
        {"version": ""},
        {"export_format": ""},
        {"import_formats": "text"},
        {"import_formats": ("",)},
        {"adapt": None},
        {"export": "x"},
    ],
)
def test_13_2_a_bad_adapter_is_refused(changed):
    registry = Registry()
    with pytest.raises(ProtocolError) as caught:
        registry.register(sample(**changed))
    assert caught.value.code == "INVALID_INPUT" and registry.list() == []


def test_13_2_a_taken_id_is_refused():
    registry = Registry()
    registry.register(sample())
    with pytest.raises(ProtocolError) as caught:
        registry.register(sample(name="again"))
    assert caught.value.code == "INVALID_INPUT"


@pytest.mark.parametrize("method", ["adapters/adapt", "adapters/export"])
@pytest.mark.parametrize("adapter", ["unknown", "", None, 5])
def test_13_3_an_unknown_adapter_is_not_found(speaker, failing, method, adapter):
    failure = failing(lambda: speaker.client.call(method, {"adapterId": adapter, "payload": "", "entries": []}))
    assert (failure.code, failure.details) == ("ADAPTER_NOT_FOUND", {"adapterId": adapter})


def test_13_3_a_failure_inside_is_a_payload_it_can_not_map_and_domain_errors_pass():
    registry = Registry()
    registry.register(sample(adapt=lambda payload: payload["missing"]))
    with pytest.raises(ProtocolError) as caught:
        registry.adapt("sample", {})
    assert (caught.value.code, caught.value.details) == ("ADAPTER_PAYLOAD", {"adapterId": "sample"})

    def domain(payload):
        raise ProtocolError("BUDGET_EXCEEDED", "full", {"used": 1})

    registry.register(sample(id="other", adapt=domain))
    with pytest.raises(ProtocolError) as caught:
        registry.adapt("other", {})
    assert caught.value.code == "BUDGET_EXCEEDED"


@pytest.mark.parametrize("adapter", ["hermes-memory-md", "claude-code-memory-md"])
def test_13_4_adapting_is_idempotent(adapter):
    registry, text = built_in(), "## A\n- one\n* two\n"
    assert registry.adapt(adapter, text) == registry.adapt(adapter, text) == registry.adapt(adapter, {"text": text})


def test_13_5_mem0_facts_become_global_user_entries(speaker):
    facts = [
        {
            "memory": " likes tea ",
            "id": "x",
            "metadata": {"category": "taste", "tags": ["drink", "taste", "", 5]},
        },
        {"memory": "no metadata"},
        {"memory": "odd", "metadata": {"category": "", "tags": "no list"}},
    ]
    base = {"track": "user", "scope": "user-global", "source": "mem0"}
    expected = [
        {**base, "text": " likes tea ", "tags": ["taste", "drink"]},
        {**base, "text": "no metadata", "tags": []},
        {**base, "text": "odd", "tags": []},
    ]
    assert adapt(speaker, "mem0", facts) == expected
    assert adapt(speaker, "mem0", {"facts": facts}) == expected


@pytest.mark.parametrize(
    "payload",
    [
        None,
        "x",
        {},
        {"messages": []},
        {"facts": None},
        [None],
        [{}],
        [{"memory": ""}],
        [{"memory": 5}],
        ["text"],
        {"facts": {}},
    ],
)
def test_13_6_anything_else_is_no_mem0_payload(speaker, failing, payload):
    failure = failing(lambda: adapt(speaker, "mem0", payload))
    assert (failure.code, failure.details) == ("ADAPTER_PAYLOAD", {"adapterId": "mem0"})


def test_13_7_the_mem0_export_keeps_track_and_scope_as_metadata(speaker):
    entry = speaker.add("fact", "agent", "workspace", by(session(cwd="/w", preset="p")), source="tool", tags=["t"])[
        "entry"
    ]
    document = speaker.client.call("adapters/export", {"adapterId": "mem0", "entries": [entry]})
    metadata = {
        "track": "agent",
        "scope": "workspace",
        "source": "tool",
        "workspace_key": "/w",
        "agent_key": "p",
        "tags": ["t"],
    }
    assert document == {
        "plugin": "mem0",
        "facts": [
            {
                "memory": "fact",
                "created_at": entry["createdAt"],
                "updated_at": entry["updatedAt"],
                "metadata": metadata,
            }
        ],
    }
    again = adapt(speaker, "mem0", document)
    assert [(item["track"], item["scope"], item["text"], item["tags"]) for item in again] == [
        ("user", "user-global", "fact", ["t"])
    ]


def test_13_8_13_9_hermes_sections_and_bullets(speaker):
    text = "- first \r\n\n##  Tools \n* two\n- \n-  三 \u3000\n## \n- four"
    base = {"track": "user", "scope": "user-global", "source": "hermes-memory-md"}
    assert adapt(speaker, "hermes-memory-md", text) == [
        {**base, "text": "first"},
        {**base, "text": "two", "tags": ["Tools"]},
        {**base, "text": "三", "tags": ["Tools"]},
        {**base, "text": "four"},
    ]


@pytest.mark.parametrize(
    "line", ["# Title", "### deep", "  - indented", "prose", "-no blank", "##no blank", "\t* x", "-"]
)
def test_13_8_any_other_line_is_refused_with_its_number(speaker, line):
    with pytest.raises(Exception, match=r"ADAPTER_PAYLOAD.*line 3"):
        adapt(speaker, "hermes-memory-md", f"## A\n- one\n{line}\n- two")


@pytest.mark.parametrize("payload", [None, 5, [], {}, {"text": 5}])
@pytest.mark.parametrize("adapter", ["hermes-memory-md", "claude-code-memory-md"])
def test_13_8_a_payload_is_markdown(speaker, failing, adapter, payload):
    assert failing(lambda: adapt(speaker, adapter, payload)).code == "ADAPTER_PAYLOAD"


@pytest.mark.parametrize("adapter", ["hermes-memory-md", "claude-code-memory-md"])
def test_13_10_the_export_groups_by_pot(speaker, adapter):
    entries = [
        {**ITEM, "text": "one"},
        {"track": "agent", "scope": "workspace", "text": "two\nlines"},
        {**ITEM, "scope": "workspace", "text": "three"},
        {**ITEM, "text": "four", "tags": ["lost"]},
    ]
    document = speaker.client.call("adapters/export", {"adapterId": adapter, "entries": entries})
    assert document == {
        "plugin": adapter,
        "text": "## agent/workspace\n- two lines\n\n## user/user-global\n- one\n- four\n\n## user/workspace\n- three",
    }
    assert speaker.client.call("adapters/export", {"adapterId": adapter, "entries": []}) == {
        "plugin": adapter,
        "text": "",
    }
    back = adapt(speaker, adapter, document["text"])
    assert [(item["text"], item["tags"]) for item in back] == [
        ("two lines", ["agent/workspace"]),
        ("one", ["user/user-global"]),
        ("four", ["user/user-global"]),
        ("three", ["user/workspace"]),
    ]


@pytest.mark.parametrize("entries", [None, {}, "x", [5], [{"track": "user"}]])
def test_13_10_only_entries_are_exported(speaker, failing, entries):
    given = {"adapterId": "hermes-memory-md", "entries": entries}
    assert failing(lambda: speaker.client.call("adapters/export", given)).code == "ADAPTER_PAYLOAD"


def test_13_11_claude_code_joins_prose_into_paragraphs(speaker):
    text = "# Title\n  second line \r\n\n### x\nprose\n- bullet\nafter\n## S\nin section\n* b2\n\nlast"
    found = [(item["text"], item.get("tags")) for item in adapt(speaker, "claude-code-memory-md", text)]
    assert found == [
        ("# Title second line", None),
        ("### x prose", None),
        ("bullet", None),
        ("after", None),
        ("in section", ["S"]),
        ("b2", ["S"]),
        ("last", ["S"]),
    ]


def test_13_11_what_is_adapted_can_be_seeded(speaker):
    items = adapt(speaker, "claude-code-memory-md", "## 工具\n- 用 uv 管理依赖\n")
    entry = speaker.seed(items)["entries"][0]
    assert (entry["text"], entry["tags"], entry["source"]) == (
        "用 uv 管理依赖",
        ["工具"],
        "claude-code-memory-md",
    )
