"""The JSON Schema fits what the provider gives, and nothing else."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator
from shilu_host.conformance.speaker import by, session
from shilu_host.protocol.errors import ambiguous, denied, invalid, no_adapter, over_budget, requires_agent
from shilu_host.protocol.schemas import schema, schema_of
from shilu_host.protocol.tool_errors import tool_error


def fits(name, value):
    return Draft202012Validator(schema_of(name)).is_valid(value)


@pytest.fixture
def entry(speaker):
    return speaker.add("text 一", "agent", "workspace", by(session(preset="p")), tags=["a", "b"])["entry"]


def test_the_schema_itself_is_valid():
    Draft202012Validator.check_schema(schema())


def test_2_1_every_kind_of_entry_fits(speaker, entry):
    speaker.add("global", write={"agent": {}})
    speaker.replace("text", "more", "agent", "workspace", by(session(preset="p")))
    speaker.query({})
    assert [fits("entry", stored) for stored in speaker.entries()] == [True, True]


@pytest.mark.parametrize(
    "change",
    [
        {"id": "x"}, {"id": "3f2504e0-4f89-11d3-9a0c-0305e82c3301"}, {"track": "team"}, {"scope": "global"}, {"text": ""},
        {"source": ""}, {"tags": ["a", "a"]}, {"tags": [""]}, {"tags": ["x" * 33]}, {"tags": ["a\n"]},
        {"tags": [str(n) for n in range(17)]}, {"version": 0}, {"createdAt": -1}, {"createdAt": 1.5},
        {"lastRecalled": "now"}, {"recallCount": -1}, {"sessionId": 5}, {"extra": 1},
        {"scope": "user-global", "workspaceKey": "/w"},
    ],
)  # fmt: skip
def test_2_1_what_is_no_entry_does_not_fit(entry, change):
    assert fits("entry", entry) and not fits("entry", {**entry, **change})


def test_2_1_every_field_is_required(entry):
    assert [name for name in entry if fits("entry", {k: v for k, v in entry.items() if k != name})] == []


def test_12_1_the_envelope_fits(speaker, entry):
    envelope = speaker.client.call("export", {})
    assert fits("envelope", envelope)
    assert not fits("envelope", {**envelope, "plugin": "shilu"})
    assert not fits("envelope", {**envelope, "budgets": envelope["budgets"][:3]})
    assert not fits("envelope", {**envelope, "entries": [entry] * 1001})


def test_15_3_every_tool_error_fits():
    errors = [
        invalid("no"), requires_agent(), over_budget("user", "workspace", 1, 2, 3), denied("rejected"),
        ambiguous("user", "workspace", "x", ["a", "b"]), no_adapter("x"),
    ]  # fmt: skip
    assert all(fits("error", tool_error(error)) for error in errors)
    assert not fits("error", {"code": "OTHER", "message": "x"}) and not fits("error", {"code": "INVALID_INPUT"})


def test_the_command_prints_the_schema():
    import json
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-m", "shilu_host", "protocol", "schema", "entry"], capture_output=True)
    assert json.loads(done.stdout) == schema_of("entry")
