"""Sections 3 and 4: keys, who sees what, and substring matching."""

from __future__ import annotations

import os

import pytest
from shilu_host.conformance.speaker import by, session


@pytest.mark.parametrize(
    ("cwd", "key"),
    [
        ("/a/b", "/a/b"),
        ("/a//b/", "/a/b"),
        ("/a/./x/../b", "/a/b"),
        ("//a/b", "/a/b"),
        ("/", "/"),
        ("/用户/库", "/用户/库"),
        ("/A/b", "/A/b"),
    ],
)
def test_3_1_the_workspace_key_is_the_absolute_normalised_folder(speaker, cwd, key):
    entry = speaker.add("text", "agent", "workspace", by(session(cwd=cwd)))["entry"]
    assert entry["workspaceKey"] == key


@pytest.mark.parametrize("header", [{}, {"cwd": ""}, {"cwd": None}, {"cwd": 5}])
def test_3_1_without_a_folder_the_key_is_empty(speaker, header):
    write = {"agent": {"session": {"id": "s", "header": header}}}
    assert speaker.add("text", "agent", "workspace", write)["entry"]["workspaceKey"] == ""


def test_3_2_a_relative_folder_is_resolved_against_the_process(speaker):
    entry = speaker.add("text", "agent", "workspace", by(session(cwd="C:/conformance/ws")))["entry"]
    assert entry["workspaceKey"] == os.path.join(os.getcwd(), "C:", "conformance", "ws")


@pytest.mark.parametrize(("preset", "key"), [(" coder\t", "coder"), ("\ufeffx", "x"), ("", ""), ("  ", ""), (7, "")])
def test_3_3_the_agent_key_is_the_trimmed_preset(speaker, preset, key):
    write = {"agent": {"session": {"id": "s", "header": {"agentPreset": preset}}}}
    assert speaker.add("text", write=write)["entry"]["agentKey"] == key


def test_3_4_given_keys_win_for_new_entries_empty_ones_too(speaker):
    write = by(session(cwd="/w", preset="p"))
    given = speaker.add("a", "agent", "workspace", write, workspaceKey="K", agentKey="A")["entry"]
    empty = speaker.add("b", "agent", "workspace", write, workspaceKey="", agentKey="")["entry"]
    assert (given["workspaceKey"], given["agentKey"]) == ("K", "A")
    assert (empty["workspaceKey"], empty["agentKey"]) == ("", "")


def test_3_4_for_targeting_only_non_empty_keys_win(speaker, failing):
    speaker.add("of K and A", "agent", "workspace", workspaceKey="K", agentKey="A")
    write = by(session(cwd="K2", preset="p"))
    hidden = failing(lambda: speaker.remove("of K", "agent", "workspace", write, workspaceKey="", agentKey=""))
    assert hidden.code == "ENTRY_NOT_FOUND"
    removed = speaker.remove("of K", "agent", "workspace", write, workspaceKey="K", agentKey="A")
    assert removed["entry"]["text"] == "of K and A"


def test_3_5_a_session_sees_its_workspace_its_agent_and_what_is_shared(speaker):
    for name, scope, cwd, preset in [
        ("shared", "user-global", "/other", None),
        ("mine", "user-global", "/other", "me"),
        ("theirs", "user-global", "/w", "you"),
        ("here", "workspace", "/w", None),
        ("there", "workspace", "/other", None),
        ("mine here", "workspace", "/w", "me"),
        ("mine there", "workspace", "/other", "me"),
    ]:
        speaker.add(name, "user", scope, by(session(cwd=cwd, preset=preset)))
    me = session("me-1", cwd="/w", preset="me")
    assert _bullets(speaker.snapshot(me)) == ["shared", "mine", "here", "mine here"]


def test_3_5_a_session_without_preset_sees_the_shared_layer_only(speaker):
    speaker.add("shared")
    speaker.add("private", write=by(session(preset="me")))
    assert _bullets(speaker.snapshot(session("plain"))) == ["shared"]


def test_3_6_d2_entries_that_a_session_can_not_see_are_no_hits(speaker, failing):
    speaker.add("port 8080 of you", write=by(session(preset="you")))
    assert failing(lambda: speaker.remove("port", write=by(session(preset="me")))).code == "ENTRY_NOT_FOUND"


def test_3_6_d2_invisible_entries_make_no_match_ambiguous_before_or_after_the_approval(speaker):
    speaker.add("port 8080", "agent", "workspace", by(session(cwd="/mine", preset="me")))
    speaker.add("port 9090", "agent", "workspace", by(session(cwd="/other", preset="me")))
    speaker.add("port 7070", "agent", "workspace", by(session(cwd="/mine", preset="you")))
    write = by(session(cwd="/mine", preset="me"))
    assert speaker.replace("port", "port 1", "agent", "workspace", write)["previous"]["text"] == "port 8080"
    assert speaker.consolidate(["port"], "port 2", "agent", "workspace", write)["removed"][0]["text"] == "port 1"
    assert speaker.remove("port", "agent", "workspace", write)["entry"]["text"] == "port 2"
    assert speaker.texts() == ["port 9090", "port 7070"]


def test_3_7_without_an_agent_key_everything_is_seen(speaker):
    speaker.add("a", write=by(session(preset="me")))
    speaker.add("b", "agent", "workspace", by(session(cwd="/x", preset="you")))
    assert speaker.query()["total"] == 2
    assert len(speaker.entries()) == 2


def test_3_8_a_query_narrows_to_an_agent_only_for_a_string_key(speaker):
    speaker.add("shared")
    speaker.add("mine", write=by(session(preset="me")))
    speaker.add("yours", write=by(session(preset="you")))
    assert _texts(speaker.query(agentKey="me")) == {"shared", "mine"}
    assert _texts(speaker.query(agentKey="")) == {"shared"}
    assert _texts(speaker.query(agentKey=None)) == {"shared", "mine", "yours"}


def test_3_8_d3_a_query_for_a_session_sees_workspace_entries_of_its_own_folder(speaker):
    speaker.add("here", "agent", "workspace", by(session(cwd="/w")))
    speaker.add("there", "agent", "workspace", by(session(cwd="/v")))
    speaker.add("everywhere", write=by(session(cwd="/v")))
    assert _texts(speaker.query(session=session(cwd="/w"))) == {"here", "everywhere"}


@pytest.mark.parametrize(
    ("text", "match", "hit"),
    [
        ("Project TDD", "project", True),
        ("project", "PROJECT", True),
        ("CAFÉ", "café", False),
        ("café", "CAFé", True),
        ("straße", "STRASSE", False),
        ("ΣΑΣ", "σας", False),
        ("部署区域在北京", "区域", True),
        ("K", "\u212a", False),
        ("İ", "i", False),
    ],
)
def test_4_1_case_is_folded_for_a_to_z_only(speaker, failing, text, match, hit):
    speaker.add(text)
    assert speaker.query({"text": match})["total"] == int(hit)
    if hit:
        assert speaker.remove(match)["entry"]["text"] == text
    else:
        assert failing(lambda: speaker.remove(match)).code == "ENTRY_NOT_FOUND"


@pytest.mark.parametrize("match", ["%", "_", "*", "?", "[a]", ".*", "\\"])
def test_4_2_a_match_has_no_wildcards(speaker, match):
    speaker.add("nothing special")
    speaker.add(f"literal {match} here")
    assert speaker.query({"text": match})["total"] == 1
    assert speaker.remove(match)["entry"]["text"] == f"literal {match} here"


def test_4_3_several_occurrences_in_one_entry_are_one_hit(speaker):
    speaker.add("tab tab tab")
    assert speaker.remove("tab")["entry"]["text"] == "tab tab tab"


def test_4_4_candidates_are_of_the_same_track_and_scope_without_a_cap(connect, failing):
    speaker = connect(budgets={"user": {"userGlobal": 100_000}}, writePolicy="auto")
    speaker.add("same word", "agent")
    speaker.seed([{"track": "user", "scope": "user-global", "text": f"same word {n}"} for n in range(1100)])
    assert failing(lambda: speaker.remove("same word")).details["candidates"] == 1100
    assert speaker.remove("same", "agent")["entry"]["text"] == "same word"


@pytest.mark.parametrize("operation", ["replace", "remove", "consolidate"])
def test_4_5_no_hit_is_entry_not_found_with_its_details(speaker, failing, operation):
    calls = {
        "replace": lambda: speaker.replace("gone", "x"),
        "remove": lambda: speaker.remove("gone"),
        "consolidate": lambda: speaker.consolidate(["gone"], "x"),
    }
    failure = failing(calls[operation])
    assert failure.code == "ENTRY_NOT_FOUND"
    assert failure.details == {"track": "user", "scope": "user-global", "match": "gone"}
    assert speaker.client.asks == [] and speaker.audit() == []


def test_4_6_an_ambiguous_match_lists_every_candidate_in_creation_order(speaker, failing):
    texts = ["key " + "x" * 300, "key 中", "key " + "😀" * 150]
    for text in texts:
        speaker.add(text)
    failure = failing(lambda: speaker.replace("KEY", "new"))
    assert failure.code == "AMBIGUOUS_MATCH"
    assert failure.details == {
        "track": "user",
        "scope": "user-global",
        "match": "KEY",
        "candidates": 3,
        "sample": ["key " + "x" * 196 + "…", "key 中", "key " + "😀" * 98 + "…"],
    }
    assert speaker.texts() == texts


@pytest.mark.parametrize("match", ["", None, 5, ["a"], True])
def test_4_7_a_match_is_a_non_empty_string(speaker, failing, match):
    speaker.add("text")
    assert failing(lambda: speaker.replace(match, "x")).code == "INVALID_INPUT"
    assert failing(lambda: speaker.remove(match)).code == "INVALID_INPUT"


def _texts(page):
    return {entry["text"] for entry in page["entries"]}


def _bullets(text):
    return [line[2:] for line in text.splitlines() if line.startswith("- ")]
