"""Sections 7, 8 and 9: budgets, the audit ledger and reads."""

from __future__ import annotations

import sqlite3
import time

import pytest
from shilu_host.conformance.client import park
from shilu_host.conformance.speaker import by, session

ADD = {"track": "user", "scope": "user-global", "text": "text"}
DAY = 86_400_000


def test_7_1_the_default_limits(speaker):
    assert [row["limit"] for row in speaker.client.call("budgets", {})] == [2000, 2000, 4000, 4000]


@pytest.mark.parametrize(
    "budgets",
    [
        {"user": {"userGlobal": 0}},
        {"user": {"userGlobal": -1}},
        {"user": {"workspace": 1.5}},
        {"agent": {"workspace": "9"}},
        {"agent": {"workspace": True}},
        {"agent": 5},
        [],
        {"team": {}},
        {"user": {"user-global": 5}},
    ],
)
def test_7_1_limits_are_positive_integers(connect, failing, budgets):
    assert failing(lambda: connect(budgets=budgets)).code == "INVALID_INPUT"


def test_7_1_limits_are_configured_by_track_and_scope(connect):
    budgets = {"user": {"userGlobal": 1, "workspace": 2}, "agent": {"userGlobal": 3, "workspace": 4.0}}
    assert [row["limit"] for row in connect(budgets=budgets).client.call("budgets", {})] == [1, 2, 3, 4]


def test_7_2_all_workspaces_and_agents_share_one_pot(speaker):
    speaker.add("12345", "agent", "workspace", by(session(cwd="/a", preset="x")))
    result = speaker.add("67", "agent", "workspace", by(session(cwd="/b", preset="y")))
    assert result["usage"]["used"] == 7


def test_7_3_exactly_full_is_fine(connect, failing):
    speaker = connect(budgets={"user": {"userGlobal": 6}})
    speaker.add("中😀abc")
    assert speaker.budget()["used"] == 6
    assert failing(lambda: speaker.add("x")).code == "BUDGET_EXCEEDED"


def test_7_4_needed_is_the_total(connect, failing):
    speaker = connect(budgets={"agent": {"workspace": 100}})
    speaker.add("x" * 30, "agent", "workspace")
    failure = failing(lambda: speaker.add("y" * 150, "agent", "workspace"))
    assert failure.details == {
        "track": "agent",
        "scope": "workspace",
        "used": 30,
        "limit": 100,
        "needed": 180,
    }


def test_7_5_nothing_is_truncated_or_compacted(connect, failing):
    speaker = connect(budgets={"user": {"userGlobal": 10}})
    speaker.add("1234567890")
    failing(lambda: speaker.add("x"))
    assert speaker.texts() == ["1234567890"]


def test_7_6_budgets_are_four_rows_in_order(speaker):
    speaker.add("中文😀", "agent", "user-global")
    assert speaker.client.call("budgets", {}) == [
        {"track": "user", "scope": "user-global", "used": 0, "limit": 2000},
        {"track": "user", "scope": "workspace", "used": 0, "limit": 2000},
        {"track": "agent", "scope": "user-global", "used": 4, "limit": 4000},
        {"track": "agent", "scope": "workspace", "used": 0, "limit": 4000},
    ]


def test_8_1_an_audit_row_has_its_ten_fields_and_seq_rises(speaker):
    speaker.add("a")
    speaker.seed([ADD])
    rows = speaker.audit()
    names = {"seq", "ts", "action", "track", "scope", "entryId", "text", "outcome", "source", "sessionId"}
    assert all(set(row) == names for row in rows)
    assert [row["seq"] for row in rows] == sorted({row["seq"] for row in rows}, reverse=True)
    assert all(abs(row["ts"] - time.time() * 1000) < 60_000 for row in rows)


def test_8_2_8_3_each_allowed_write_leaves_its_rows(speaker):
    one = speaker.add("one", source="tool")["entry"]
    speaker.replace("one", "uno", source="other")
    speaker.seed([{**ADD, "text": "two"}, {**ADD, "scope": "workspace", "text": "three"}])
    merged = speaker.consolidate(["uno", "two"], "both")["entry"]
    speaker.remove("both")
    rows = [(row["action"], row["text"]) for row in reversed(speaker.audit())]
    assert rows == [
        ("add", "one"),
        ("replace", "uno"),
        ("seed", "user/user-global: two\nuser/workspace: three"),
        ("add", "two"),
        ("add", "three"),
        ("consolidate-remove", "uno"),
        ("consolidate-remove", "two"),
        ("consolidate-add", "both"),
        ("remove", "both"),
    ]
    by_action = {row["action"]: row for row in speaker.audit()}
    assert by_action["replace"]["entryId"] == one["id"] and by_action["replace"]["source"] == "tool"
    assert by_action["remove"]["entryId"] == merged["id"]
    seed = by_action["seed"]
    assert (seed["track"], seed["scope"], seed["entryId"], seed["sessionId"]) == (
        None,
        None,
        None,
        "case-session",
    )


def test_8_4_d9_the_label_names_the_policy_that_decided(connect):
    speaker = connect(writePolicies={"agent/workspace": "auto"})
    speaker.add("a")
    speaker.add("b", "agent", "workspace")
    assert [row["outcome"] for row in reversed(speaker.audit())] == [
        "allowed-once (via approval, writePolicy ask)",
        "allowed-once (via approval, writePolicy auto)",
    ]


def test_8_5_every_denied_write_leaves_one_row_before_its_error(connect):
    setup = connect(writePolicy="auto")
    setup.add("target text")
    speaker = connect(lambda ask: "rejected")
    before = len(speaker.audit())
    writes = [
        ("add", {"input": {**ADD, "source": "tool"}}),
        ("replace", {"input": {**ADD, "match": "target"}}),
        ("remove", {"input": {**ADD, "match": "target"}}),
        ("consolidate", {"input": {**ADD, "matches": ["target"]}}),
        ("seed", {"inputs": [ADD]}),
    ]
    for number, (method, params) in enumerate(writes, 1):
        with pytest.raises(Exception, match="WRITE_DENIED"):
            speaker.client.call(method, {**params, "write": by()})
        row = speaker.audit()[0]
        ask = speaker.client.asks[-1]["params"]
        assert len(speaker.audit()) == before + number
        assert row["action"] == f"{method}-denied" and row["entryId"] is None
        assert (row["track"], row["scope"], row["text"]) == (ask["track"], ask["scope"], ask["text"])
        assert row["source"] == ask.get("source", "shilu") and row["sessionId"] == "case-session"
        assert row["outcome"] == "rejected (via approval, writePolicy ask)"
    assert speaker.texts() == ["target text"]


def test_8_5_a_denied_gate_is_named_so(connect, failing):
    speaker = connect(lambda ask: "rejected")
    failing(lambda: speaker.add("a", write=by(gate=True)))
    assert speaker.audit()[0]["outcome"] == "rejected (via write gate)"


def test_8_5_an_import_is_denied_as_a_seed(connect, failing):
    speaker = connect(lambda ask: "rejected")
    payload = {"plugin": "dsh-memento", "schema": "memory-export-v1", "entries": [ADD]}
    failing(lambda: speaker.import_(payload))
    row = speaker.audit()[0]
    assert (row["action"], row["track"], row["scope"]) == ("seed-denied", "batch", "batch")


def test_8_6_a_query_for_a_session_leaves_a_recalled_row(speaker):
    speaker.query({"text": "needle", "track": "user"}, sessionId="s1")
    speaker.query({}, sessionId="s2")
    speaker.query({"text": "unseen"})
    first, second = reversed(speaker.audit())
    assert (first["action"], first["text"], first["track"], first["scope"]) == (
        "recalled",
        "needle",
        "user",
        None,
    )
    assert (first["outcome"], first["sessionId"], first["entryId"]) == ("ok", "s1", None)
    assert (second["text"], second["track"], second["sessionId"]) == (None, None, "s2")


def test_8_6_a_secret_in_a_query_is_masked_in_the_row(speaker):
    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    speaker.query({"text": f"token {secret}"}, sessionId="s1")
    text = speaker.audit()[0]["text"]
    assert secret not in text and "token" in text


def test_8_7_a_snapshot_row_holds_the_shown_text(speaker):
    assert speaker.snapshot(session("empty")) == ""
    speaker.add("fact 一")
    shown = speaker.snapshot(session("full"))
    rows = [row for row in speaker.audit() if row["action"] == "snapshot"]
    assert [row["text"] for row in rows] == [shown, ""]
    assert [(row["outcome"], row["track"], row["scope"], row["entryId"]) for row in rows] == [
        ("ok", None, None, None)
    ] * 2


def test_8_8_a_proposal_leaves_a_pending_row_and_its_decision_none(speaker):
    first = speaker.propose("candidate")
    second = speaker.propose("other", session("second"))
    row = speaker.audit()[-1 - 0]
    assert (row["action"], row["outcome"], row["entryId"]) == ("proposal", "pending", first["id"])
    assert (row["source"], row["text"]) == ("compaction", "candidate")
    speaker.client.call("proposals/dismiss", {"id": second["id"]})
    speaker.approve(first["id"])
    assert speaker.actions() == ["proposal", "proposal", "add"]


def test_8_9_an_export_leaves_no_row(speaker):
    speaker.client.call("export", {})
    assert speaker.audit() == []


def test_8_10_the_newest_hundred_rows_come_first(connect):
    speaker = connect(writePolicy="auto")
    speaker.seed([{**ADD, "text": f"t{number}"} for number in range(120)])
    assert [row["text"] for row in speaker.audit()] == [f"t{number}" for number in range(119, 19, -1)]
    assert len(speaker.audit(3)) == 3 and len(speaker.audit(500)) == 121


@pytest.mark.parametrize("limit", [0, -1, "5", True, 1.5, {}])
def test_8_10_a_limit_that_is_no_positive_integer_counts_as_absent(connect, limit):
    speaker = connect(writePolicy="auto")
    speaker.seed([ADD] * 110)
    assert len(speaker.audit(limit)) == 100


def test_8_11_a_retention_drops_old_read_rows_at_open_and_no_write_row(connect, store):
    speaker = connect()
    speaker.add("kept")
    speaker.query({"text": "old"}, sessionId="s")
    speaker.snapshot(session("old"))
    _age(store, 3 * DAY)
    speaker.query({"text": "new"}, sessionId="s")
    assert connect(auditRetentionDays=0).actions() == ["add", "recalled", "snapshot", "recalled"]
    assert connect(auditRetentionDays=4).actions() == ["add", "recalled", "snapshot", "recalled"]
    later = connect(auditRetentionDays=2)
    assert [(row["action"], row["text"]) for row in later.audit()] == [("recalled", "new"), ("add", "kept")]


def test_8_11_a_retention_of_very_many_days_keeps_all(connect):
    connect().query({"text": "x"}, sessionId="s")
    assert connect(auditRetentionDays=10**30).actions() == ["recalled"]


@pytest.mark.parametrize("days", [-1, 1.5, "7", True, []])
def test_8_11_a_retention_is_a_number_of_days(connect, failing, days):
    assert failing(lambda: connect(auditRetentionDays=days)).code == "INVALID_INPUT"


def test_9_1_a_query_returns_a_page_and_asks_nobody(speaker):
    speaker.add("a fact")
    asked = len(speaker.client.asks)
    page = speaker.query({"text": "fact"})
    assert (page["total"], page["truncated"], len(page["entries"])) == (1, False, 1)
    assert set(page) == {"entries", "total", "truncated"} and len(speaker.client.asks) == asked


@pytest.mark.parametrize(
    ("filter", "found"),
    [
        ({}, {"a", "b", "c"}),
        ({"track": "user"}, {"a", "b"}),
        ({"scope": "workspace"}, {"b", "c"}),
        ({"track": "user", "scope": "workspace"}, {"b"}),
        ({"text": ""}, {"a", "b", "c"}),
        ({"text": 5}, {"a", "b", "c"}),
        ({"track": "team"}, set()),
        ({"scope": "global"}, set()),
        ({"track": 5}, set()),
        ({"text": "A"}, {"a"}),
        ({"text": "\udc8a"}, set()),
        ({"text": "a\0"}, set()),
        ({"track": None}, {"a", "b", "c"}),
    ],
)
def test_9_2_filters_narrow_and_unknown_values_find_nothing(speaker, filter, found):
    speaker.add("a")
    speaker.add("b", "user", "workspace")
    speaker.add("c", "agent", "workspace")
    page = speaker.query(filter, sessionId="s\udc8a")
    assert {entry["text"] for entry in page["entries"]} == found and page["total"] == len(found)


def test_9_3_the_limit_is_a_positive_integer_or_the_default_with_a_cap(connect):
    speaker = connect(writePolicy="auto", budgets={"user": {"userGlobal": 10_000}})
    speaker.seed([{**ADD, "text": f"t{number}"} for number in range(1005)])
    for limit, size in [
        (5, 5),
        (3.0, 3),
        (None, 20),
        (0, 20),
        (-3, 20),
        (True, 20),
        ("7", 20),
        (2.5, 20),
        (5000, 1000),
    ]:
        page = speaker.query({"limit": limit})
        assert (len(page["entries"]), page["total"], page["truncated"]) == (size, 1005, True), limit
    assert len(connect(defaultQueryLimit=7).query()["entries"]) == 7


@pytest.mark.parametrize("limit", [0, -1, "20", True, 1.5])
def test_9_3_a_bad_default_limit_fails_at_load(connect, failing, limit):
    assert failing(lambda: connect(defaultQueryLimit=limit)).code == "INVALID_INPUT"


def test_9_4_the_often_recalled_and_newly_changed_come_first(speaker, store):
    for text in ("one x", "two x", "three x", "four x"):
        speaker.add(text)
    with sqlite3.connect(store) as other:
        other.execute("UPDATE entries SET created_at = 1000, updated_at = 1000, id = 'b' WHERE text = 'one x'")
        other.execute("UPDATE entries SET created_at = 1000, updated_at = 1000, id = 'a' WHERE text = 'two x'")
        other.execute("UPDATE entries SET created_at = 1000, updated_at = 3000 WHERE text = 'three x'")
        other.execute("UPDATE entries SET created_at = 1000, updated_at = 500, recall_count = 2 WHERE text = 'four x'")
    texts = [entry["text"] for entry in speaker.query({"text": "x"})["entries"]]
    assert texts == ["four x", "three x", "two x", "one x"]


def test_9_5_each_entry_of_the_page_counts_one_recall_and_shows_the_state_before(speaker):
    before = [speaker.add(text)["entry"] for text in ("hit 1", "hit 2", "miss")]
    page = speaker.query({"text": "hit", "limit": 1})
    shown = page["entries"][0]
    assert (shown["recallCount"], shown["lastRecalled"]) == (0, None)
    after = {entry["text"]: entry for entry in speaker.entries()}
    assert after[shown["text"]]["recallCount"] == 1
    assert abs(after[shown["text"]]["lastRecalled"] - time.time() * 1000) < 60_000
    assert [entry["recallCount"] for entry in after.values()].count(0) == 2
    kept = ("updatedAt", "version", "text")
    assert [[after[entry["text"]][name] for name in kept] for entry in before] == [[e[n] for n in kept] for e in before]


def test_9_6_the_management_view_lists_all_in_creation_order(speaker):
    texts = [f"t{number}" for number in range(30)]
    for text in texts:
        speaker.add(text)
    speaker.query({"text": "t7"})
    assert speaker.texts() == texts


def test_9_7_reads_are_answered_while_a_write_waits(connect):
    speaker = connect(park)
    request = speaker.client.start("add", speaker.adding("text"))
    ask = speaker.client.ask_for(request)
    assert speaker.query()["total"] == 0 and speaker.budget()["used"] == 0
    assert speaker.snapshot(session("other")) == "" and speaker.entries() == []
    assert not speaker.client.is_answered(request)
    speaker.client.answer(ask, "allowed-once")
    assert speaker.client.wait(request)["entry"]["text"] == "text"


def _age(store, milliseconds):
    with sqlite3.connect(store) as other:
        other.execute("UPDATE audit SET ts = ts - ?", (milliseconds,))
