"""Sections 10, 11 and 16: snapshots, proposals and session events."""

from __future__ import annotations

import sqlite3

import pytest
from shilu_host.conformance.client import park
from shilu_host.conformance.speaker import by, session

FILLED = """\
[shilu: memory as of the start of this session; later writes show in the next one]

## About the user, everywhere — 3/2000 chars used
- a 中

## Facts and conventions of this workspace — 3/4000 chars used
- b
- cc"""


def bullets(text):
    return [line[2:] for line in text.splitlines() if line.startswith("- ")]


def test_10_1_the_first_rendering_is_frozen_for_its_session(speaker):
    speaker.add("before")
    shown = speaker.snapshot(session("s"))
    speaker.add("after")
    speaker.remove("before")
    assert speaker.snapshot(session("s")) == shown and bullets(shown) == ["before"]
    assert bullets(speaker.snapshot(session("t"))) == ["after"]
    assert speaker.actions().count("snapshot") == 2


def test_10_1_it_stays_frozen_over_a_restart(connect):
    first = connect()
    first.add("before")
    shown = first.snapshot(session("s"))
    first.add("after")
    assert connect().snapshot(session("s")) == shown


def test_10_1_an_empty_snapshot_is_frozen_too(speaker):
    assert speaker.snapshot(session("s")) == ""
    speaker.add("later")
    assert speaker.snapshot(session("s")) == ""


def test_10_2_groups_stand_in_order_with_what_the_session_sees_counted(speaker):
    speaker.add("b", "agent", "workspace", by(session(cwd="/w")))
    speaker.add("hidden elsewhere", "agent", "workspace", by(session(cwd="/v")))
    speaker.add("cc", "agent", "workspace", by(session(cwd="/w")))
    speaker.add("a 中", "user", "user-global", by(session(cwd="/v")))
    assert speaker.snapshot(session("s", cwd="/w")) == FILLED


def test_10_2_visible_pending_proposals_follow(speaker):
    mine = speaker.propose("candidate", session("one", cwd="/w"))
    speaker.propose("of another folder", session("two", cwd="/v"))
    decided = speaker.propose("decided", session("three", cwd="/w"))
    speaker.client.call("proposals/dismiss", {"id": decided["id"]})
    shown = speaker.snapshot(session("s", cwd="/w"))
    assert bullets(shown) == [f"[{mine['id']}] agent/workspace: candidate"]


def test_10_2_nothing_visible_is_the_empty_string(speaker):
    speaker.add("private", write=by(session(preset="other")))
    assert speaker.snapshot(session("s")) == ""


@pytest.mark.parametrize(
    ("language", "word"),
    [("en", "About the user"), ("zh", "关于用户"), ("xx", "About the user"), (5, "About")],
)
def test_10_3_the_language_chooses_the_headings_and_an_unknown_one_is_english(speaker, language, word):
    speaker.add("text")
    assert word in speaker.snapshot(session("s"), language=language)


def test_10_4_the_text_is_all_that_the_host_places(speaker):
    answer = speaker.client.call("snapshot", {"session": session("s")})
    assert set(answer) == {"text"}


@pytest.mark.parametrize("given", [None, {}, {"id": 5}, "s"])
def test_10_1_a_snapshot_needs_a_session_id(speaker, failing, given):
    assert failing(lambda: speaker.client.call("snapshot", {"session": given})).code == "INVALID_INPUT"


def test_11_1_11_2_a_proposal_has_its_fields_and_the_sessions_keys(speaker):
    holder = session("s", cwd="/w", preset="p")
    made = speaker.propose("candidate", holder)
    given = {name: value for name, value in made.items() if name not in ("id", "createdAt")}
    assert given == {
        "kind": "compaction-summary",
        "track": "agent",
        "scope": "workspace",
        "workspaceKey": "/w",
        "agentKey": "p",
        "text": "candidate",
        "source": "compaction",
        "sessionId": "s",
        "status": "pending",
        "decidedAt": None,
    }
    assert speaker.client.call("proposals/list", {}) == [made]
    assert speaker.entries() == [] and speaker.client.asks == []


def test_11_3_a_session_has_one_proposal_of_a_kind(speaker):
    assert speaker.propose("first") is not None
    assert speaker.propose("second") is None
    assert speaker.propose("other kind", kind="other") is not None
    assert [p["text"] for p in speaker.client.call("proposals/list", {})] == ["first", "other kind"]


def test_11_3_a_decided_one_still_counts(speaker):
    speaker.client.call("proposals/dismiss", {"id": speaker.propose("first")["id"]})
    assert speaker.propose("second") is None


def test_11_3_the_text_is_cut_at_2000_units(speaker):
    assert speaker.propose("x" * 2500)["text"] == "x" * 2000
    assert speaker.propose("😀" * 1500, session("t"))["text"] == "😀" * 1000


def test_11_3_at_most_eight_wait(speaker):
    made = [speaker.propose(f"p{number}", session(f"s{number}")) for number in range(9)]
    assert [proposal is not None for proposal in made] == [True] * 8 + [False]
    speaker.client.call("proposals/dismiss", {"id": made[0]["id"]})
    assert speaker.propose("now", session("late")) is not None


def test_11_4_approving_adds_under_the_proposals_keys(speaker):
    made = speaker.propose("candidate", session("s", cwd="/w", preset="p"))
    result = speaker.approve(made["id"], by(session("other", cwd="/v")))
    entry = result["entry"]
    assert set(result) == {"entry", "usage"}
    assert (entry["text"], entry["source"], entry["workspaceKey"], entry["agentKey"]) == (
        "candidate",
        "proposal",
        "/w",
        "p",
    )
    assert speaker.client.asks[-1]["params"]["action"] == "add"
    listed = speaker.client.call("proposals/list", {"status": "approved"})
    assert listed[0]["id"] == made["id"] and listed[0]["decidedAt"] >= made["createdAt"]


def test_11_4_a_denied_or_failing_approval_leaves_it_pending(connect, failing):
    speaker = connect(lambda ask: "rejected", budgets={"agent": {"workspace": 5}})
    small, large = speaker.propose("tiny"), speaker.propose("too large", session("t"))
    assert failing(lambda: speaker.approve(small["id"])).code == "WRITE_DENIED"
    assert failing(lambda: speaker.approve(large["id"])).code == "BUDGET_EXCEEDED"
    assert len(speaker.client.call("proposals/list", {"status": "pending"})) == 2


def test_11_4_a_write_that_was_approved_counts_even_if_it_was_dismissed_meanwhile(connect):
    speaker = connect(park)
    made = speaker.propose("candidate")
    request = speaker.client.start("proposals/approve", {"id": made["id"], "write": by()})
    ask = speaker.client.ask_for(request)
    speaker.client.call("proposals/dismiss", {"id": made["id"]})
    speaker.client.answer(ask, "allowed-once")
    assert speaker.client.wait(request)["entry"]["text"] == "candidate"
    assert speaker.client.call("proposals/list", {})[0]["status"] == "dismissed"


def test_11_4_dismissing_changes_the_status_only(speaker):
    made = speaker.propose("candidate")
    settled = speaker.client.call("proposals/dismiss", {"id": made["id"]})
    assert settled["status"] == "dismissed" and settled["decidedAt"] >= made["createdAt"]
    assert {**settled, "status": "pending", "decidedAt": None} == made
    assert speaker.entries() == [] and speaker.client.asks == []


@pytest.mark.parametrize("proposal_id", ["gone", "", "\udc8a"])
def test_11_5_an_unknown_proposal_is_not_found(speaker, failing, proposal_id):
    for action in (
        lambda: speaker.approve(proposal_id),
        lambda: speaker.client.call("proposals/dismiss", {"id": proposal_id}),
    ):
        failure = failing(action)
        assert (failure.code, failure.details) == ("PROPOSAL_NOT_FOUND", {"id": proposal_id})


def test_11_5_the_first_decision_wins(speaker, failing):
    made = speaker.propose("candidate")
    speaker.approve(made["id"])
    assert failing(lambda: speaker.client.call("proposals/dismiss", {"id": made["id"]})).code == "PROPOSAL_NOT_FOUND"
    assert failing(lambda: speaker.approve(made["id"])).code == "PROPOSAL_NOT_FOUND"


def test_11_5_an_unknown_status_is_refused(speaker, failing):
    assert failing(lambda: speaker.client.call("proposals/list", {"status": "open"})).code == "INVALID_INPUT"


def test_11_5_proposals_are_listed_oldest_first(speaker, store):
    for number in range(4):
        speaker.propose(f"p{number}", session(f"s{number}"))
    with sqlite3.connect(store) as other:
        other.execute("UPDATE proposals SET created_at = created_at - 5000 WHERE text = 'p3'")
    assert [p["text"] for p in speaker.client.call("proposals/list", {})] == ["p3", "p0", "p1", "p2"]
    assert [p["text"] for p in speaker.client.call("proposals/list", {"limit": 2})] == ["p3", "p0"]


@pytest.mark.parametrize(
    "given", [{"kind": ""}, {"kind": 5}, {"track": "x"}, {"scope": "x"}, {"text": ""}, {"source": 5}]
)
def test_11_2_a_bad_proposal_is_refused(speaker, failing, given):
    fields = {"text": "text", **given}
    assert failing(lambda: speaker.propose(**fields)).code == "INVALID_INPUT"


def kinds(speaker):
    return [event["type"] for event in speaker.client.events]


def test_16_1_each_change_is_told_with_its_data(speaker):
    entry = speaker.add("one")["entry"]
    changed = speaker.replace("one", "two")
    removed = speaker.remove("two")["entry"]
    assert speaker.client.events == [
        {
            "type": "memory/added",
            "sessionId": "case-session",
            "data": {"entry": entry, "source": "shilu", "sessionId": "case-session"},
        },
        {
            "type": "memory/updated",
            "sessionId": "case-session",
            "data": {
                "previous": changed["previous"],
                "entry": changed["entry"],
                "source": "shilu",
                "sessionId": "case-session",
            },
        },
        {
            "type": "memory/removed",
            "sessionId": "case-session",
            "data": {"entry": removed, "source": "shilu", "sessionId": "case-session"},
        },
    ]


def test_16_1_a_snapshot_and_a_recall_are_told_once(speaker):
    speaker.add("needle")
    holder = session("s", cwd="/w")
    text = speaker.snapshot(holder)
    speaker.snapshot(holder)
    speaker.query({"text": "needle"}, session=holder)
    snapshot, recalled = speaker.client.events[1:]
    assert snapshot["type"] == "memory/snapshot" and snapshot["sessionId"] == "s"
    assert (snapshot["data"]["text"], snapshot["data"]["workspaceKey"]) == (text, "/w") and snapshot["data"]["at"] > 0
    assert recalled == {
        "type": "memory/recalled",
        "sessionId": "s",
        "data": {"query": "needle", "matches": 1, "sessionId": "s"},
    }


def test_16_2_only_known_types_are_told(connect):
    silent = connect(knownSessionEvents=[])
    silent.add("one")
    silent.replace("one", "two")
    assert silent.client.events == []
    some = connect(knownSessionEvents=["memory/removed", "other/type"])
    some.add("three")
    some.remove("three")
    assert kinds(some) == ["memory/removed"]


def test_16_2_a_consolidation_tells_removals_then_the_addition_and_a_seed_each(speaker):
    speaker.seed([{"track": "user", "scope": "user-global", "text": text} for text in ("one", "two")])
    speaker.consolidate(["two", "one"], "both")
    assert kinds(speaker) == ["memory/added"] * 2 + ["memory/removed"] * 2 + ["memory/added"]
    assert [event["data"]["entry"]["text"] for event in speaker.client.events] == [
        "one",
        "two",
        "two",
        "one",
        "both",
    ]


def test_16_2_a_denied_or_failed_write_tells_nothing(connect, failing):
    speaker = connect(lambda ask: "rejected")
    failing(lambda: speaker.add("text"))
    failing(lambda: speaker.remove("text"))
    assert speaker.client.events == []


def test_16_3_a_recall_is_told_only_for_a_session_object(speaker):
    speaker.query({"text": "x"}, sessionId="s")
    assert speaker.client.events == []
    speaker.query({}, session=session("s"))
    assert speaker.client.events[0]["data"] == {"query": "", "matches": 0, "sessionId": "s"}


@pytest.mark.parametrize("known", ["memory/added", [1], {}])
def test_16_2_known_events_are_a_list_of_types(connect, failing, known):
    assert failing(lambda: connect(knownSessionEvents=known)).code == "INVALID_INPUT"
