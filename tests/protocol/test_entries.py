"""Sections 1 and 2: identity, the entry model and tags."""

from __future__ import annotations

import uuid

import pytest
from shilu_core.ledger import SCHEMA_VERSION
from shilu_host.conformance.speaker import by, session

FIELDS = {
    "id",
    "track",
    "scope",
    "workspaceKey",
    "agentKey",
    "text",
    "source",
    "tags",
    "version",
    "createdAt",
    "updatedAt",
    "lastRecalled",
    "recallCount",
    "sessionId",
}


def test_1_1_initialize_names_the_protocol(speaker):
    assert speaker.greeting["protocol"] == "dsh-memory-protocol/v1"


def test_1_1_other_protocols_are_refused(connect, failing):
    assert failing(lambda: connect(protocol="dsh-memory-protocol/v2")).code == "INVALID_INPUT"
    assert failing(lambda: connect(protocol=None)).code == "INVALID_INPUT"


def test_1_2_unknown_optional_fields_of_an_input_are_no_error(speaker):
    assert speaker.add("text", somethingNew=1)["entry"]["text"] == "text"


def test_1_3_the_store_schema_version_is_its_own_integer(speaker):
    assert speaker.greeting["storeSchemaVersion"] == SCHEMA_VERSION


def test_1_4_the_entry_version_counts_its_own_changes(speaker):
    speaker.add("one")
    speaker.add("two")
    assert speaker.replace("one", "uno")["entry"]["version"] == 2
    assert [entry["version"] for entry in speaker.entries()] == [2, 1]


def test_1_5_the_envelope_has_the_literal_identity(speaker):
    envelope = speaker.client.call("export", {})
    assert (envelope["plugin"], envelope["schema"]) == ("dsh-memento", "memory-export-v1")


def test_2_1_an_entry_has_exactly_the_14_fields(speaker):
    entry = speaker.add("text", "agent", "workspace", tags=["a"])["entry"]
    assert set(entry) == FIELDS
    assert speaker.entries() == [entry]


def test_2_1_the_id_is_a_version_4_uuid(speaker):
    assert uuid.UUID(speaker.add("text")["entry"]["id"]).version == 4


def test_2_1_a_user_global_entry_has_no_workspace_even_if_one_is_given(speaker):
    assert speaker.add("text", workspaceKey="/elsewhere")["entry"]["workspaceKey"] == ""


def test_2_2_a_new_entry_starts_fresh(speaker):
    entry = speaker.add("text")["entry"]
    assert entry["version"] == 1 and entry["createdAt"] == entry["updatedAt"]
    assert (entry["lastRecalled"], entry["recallCount"], entry["sessionId"]) == (None, 0, "case-session")


def test_2_2_times_are_milliseconds_of_now(speaker):
    import time

    assert abs(speaker.add("text")["entry"]["createdAt"] - time.time() * 1000) < 60_000


def test_2_3_lengths_are_utf_16_units(connect):
    speaker = connect(budgets={"user": {"userGlobal": 4}})
    assert speaker.add("中😀a")["usage"]["used"] == 4


@pytest.mark.parametrize("text", ["  padded\t", "two\r\nlines\n", " ", "é", "e\u0301", "\u001c", "\ufeffx"])
def test_2_4_text_is_stored_exactly_as_given(speaker, text):
    assert speaker.add(text)["entry"]["text"] == text
    assert speaker.texts() == [text]


def test_2_5_duplicate_text_is_legal(speaker):
    speaker.add("same")
    speaker.add("same")
    assert speaker.texts() == ["same", "same"]


@pytest.mark.parametrize("source", [{}, {"source": None}, {"source": ""}])
def test_2_6_without_a_source_the_entry_has_the_providers_label(speaker, source):
    assert speaker.add("text", **source)["entry"]["source"] == "shilu"


def test_2_6_a_given_source_is_kept_verbatim(speaker):
    assert speaker.add("text", source=" My Tool ")["entry"]["source"] == " My Tool "


@pytest.mark.parametrize("tags", [{}, {"tags": None}, {"tags": []}])
def test_2_7_absent_tags_are_none(speaker, tags):
    assert speaker.add("text", **tags)["entry"]["tags"] == []


@pytest.mark.parametrize("tags", ["a", {"a": 1}, 3, True])
def test_2_7_tags_that_are_no_list_are_refused(speaker, failing, tags):
    assert failing(lambda: speaker.add("text", tags=tags)).code == "INVALID_INPUT"


@pytest.mark.parametrize("tag", [1, None, "", "  ", "\u3000\ufeff", "a\0b", "a\u001fb", "a\u007f", "x" * 33, "😀" * 17])
def test_2_8_bad_tags_are_refused_and_nothing_is_stored(speaker, failing, tag):
    assert failing(lambda: speaker.add("text", tags=["good", tag])).code == "INVALID_INPUT"
    assert speaker.entries() == []


def test_2_8_tags_of_32_units_pass(speaker):
    tags = ["x" * 32, "😀" * 16]
    assert speaker.add("text", tags=tags)["entry"]["tags"] == tags


def test_2_9_tags_are_unique_by_their_trimmed_form_and_keep_their_order(speaker):
    assert speaker.add("text", tags=["a ", "a", "b", "A"])["entry"]["tags"] == ["a", "b", "A"]


def test_2_9_seventeen_tags_with_one_duplicate_pass_and_without_fail(speaker, failing):
    names = [f"t{number}" for number in range(16)]
    assert speaker.add("text", tags=[*names, "t0 "])["entry"]["tags"] == names
    assert failing(lambda: speaker.add("text", tags=[*names, "t16"])).code == "INVALID_INPUT"


def test_2_10_tags_are_trimmed_as_javascript_trims(speaker, failing):
    spaces = "\t\n\v\f\r \u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
    assert speaker.add("text", tags=[f"{spaces}a{spaces}"])["entry"]["tags"] == ["a"]
    assert speaker.add("more", tags=["\u0085b"])["entry"]["tags"] == ["\u0085b"]
    assert failing(lambda: speaker.add("text", tags=["\u001ca"])).code == "INVALID_INPUT"


def test_2_11_tags_do_not_count_against_budgets(connect):
    speaker = connect(budgets={"user": {"userGlobal": 4}})
    assert speaker.add("1234", tags=["long tag that is not counted"])["usage"]["used"] == 4


def test_a1_the_writers_session_and_keys_stand_in_the_entry(speaker):
    entry = speaker.add("text", "agent", "workspace", by(session("s9", cwd="/w", preset=" pre ")))["entry"]
    assert (entry["sessionId"], entry["workspaceKey"], entry["agentKey"]) == ("s9", "/w", "pre")
