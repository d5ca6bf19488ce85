"""Section 15 and the traps of section 21."""

from __future__ import annotations

import json
import sqlite3

import pytest
from shilu_host.conformance.client import park
from shilu_host.conformance.speaker import by

ADD = {"track": "user", "scope": "user-global", "text": "text"}


def test_15_1_every_code_of_the_protocol_is_raised_by_this_provider(connect, store, failing):
    from shilu_core.ledger import Ledger

    rejecting = connect(lambda ask: "rejected", budgets={"user": {"userGlobal": 5}})
    auto = connect(writePolicy="auto", budgets={"user": {"userGlobal": 5}})
    auto.add("aa")
    auto.add("ab")
    call = rejecting.client.call
    codes = {
        failing(lambda: call("add", {"input": {}, "write": by()})).code,
        failing(lambda: call("add", {})).code,
        failing(lambda: rejecting.add("123456")).code,
        failing(lambda: rejecting.remove("zz")).code,
        failing(lambda: rejecting.remove("a")).code,
        failing(lambda: rejecting.add("1")).code,
        failing(lambda: call("proposals/dismiss", {"id": "x"})).code,
        failing(lambda: call("adapters/adapt", {"adapterId": "x"})).code,
        failing(lambda: call("adapters/adapt", {"adapterId": "mem0"})).code,
    }
    newer = store.with_name("newer.db")
    Ledger.open(newer).close()
    with sqlite3.connect(newer) as other:
        other.execute("UPDATE meta SET value = '99'")
    other.close()
    broken = store.with_name("broken.db")
    broken.write_bytes(b"no database")
    codes |= {failing(lambda path=path: connect(dbPath=str(path))).code for path in (newer, broken)}
    assert codes == {
        "INVALID_INPUT", "WRITE_REQUIRES_AGENT", "BUDGET_EXCEEDED", "ENTRY_NOT_FOUND", "AMBIGUOUS_MATCH", "WRITE_DENIED",
        "PROPOSAL_NOT_FOUND", "ADAPTER_NOT_FOUND", "ADAPTER_PAYLOAD", "STORE_UNSUPPORTED_VERSION", "STORE_CORRUPT",
    }  # fmt: skip


def test_15_2_an_error_has_code_details_and_an_english_message(connect):
    speaker = connect()
    request = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 9,
            "method": "remove",
            "params": {"input": {**ADD, "match": "没有"}, "write": by()},
        }
    )
    error = speaker.client.raw(request.encode())["error"]
    assert error["code"] == -32000 and error["message"].isascii()
    assert error["data"] == {
        "code": "ENTRY_NOT_FOUND", "details": {"track": "user", "scope": "user-global", "match": "没有"},
    }  # fmt: skip


def test_15_2_details_are_an_empty_object_where_there_are_none(speaker, failing):
    assert failing(lambda: speaker.add("")).details == {}


def test_15_3_the_tool_facing_shape_is_made_from_the_error():
    from shilu_host.protocol.errors import ambiguous, denied, over_budget
    from shilu_host.protocol.tool_errors import tool_error

    assert tool_error(over_budget("user", "workspace", 5, 6, 9)) == {
        "code": "BUDGET_EXCEEDED", "message": str(over_budget("user", "workspace", 5, 6, 9)),
        "usage": {"track": "user", "scope": "workspace", "used": 5, "limit": 6},
    }  # fmt: skip
    assert tool_error(denied("rejected"))["outcome"] == "rejected"
    found = tool_error(ambiguous("user", "workspace", "x", ["ax", "bx"]))
    assert (found["candidates"], found["sample"]) == (2, ["ax", "bx"])


def test_21_lengths_are_units_and_neither_code_points_nor_bytes(connect, failing):
    speaker = connect(budgets={"user": {"userGlobal": 2}})
    assert failing(lambda: speaker.add("a😀")).details["needed"] == 3
    assert speaker.add("😀")["usage"]["used"] == 2
    speaker.remove("😀")
    assert speaker.add("中文")["usage"]["used"] == 2


def test_21_case_is_folded_by_no_unicode_rule(speaker):
    for text in ("İstanbul", "ǅ", "ﬀ"):
        speaker.add(text)
    assert [speaker.query({"text": match})["total"] for match in ("i̇stanbul", "ǆ", "ff", "ISTANBUL")] == [
        0,
        0,
        0,
        0,
    ]
    assert speaker.query({"text": "STANBUL"})["total"] == 1


def test_21_json_true_is_no_limit_and_three_point_zero_is(speaker):
    for number in range(25):
        speaker.add(f"t{number}")
    assert len(speaker.query({"limit": True})["entries"]) == 20
    assert len(speaker.query({"limit": 3.0})["entries"]) == 3
    assert len(speaker.audit(2.0)) == 2
    assert len(speaker.query({"limit": 10**400})["entries"]) == 25
    assert len(speaker.audit(10**30)) == 25
    assert speaker.client.call("proposals/list", {"limit": 10**30}) == []


@pytest.mark.parametrize("text", ["a\0b", "\ud83d", "x\udc8a", "\udc8a\ud83d"])
def test_21_nul_and_lone_surrogates_are_refused_before_the_store_sees_them(speaker, failing, text):
    for action in (
        lambda: speaker.add(text),
        lambda: speaker.add("ok", source=text),
        lambda: speaker.add("ok", agentKey=text),
        lambda: speaker.seed([ADD, {**ADD, "text": text}]),
        lambda: speaker.remove(text),
        lambda: speaker.propose(text),
    ):
        assert failing(action).code == "INVALID_INPUT"
    assert speaker.entries() == [] and speaker.client.asks == []


def test_21_no_lock_is_held_during_an_approval(connect, store):
    speaker, other = connect(park), connect(writePolicy="auto")
    request = speaker.client.start("add", speaker.adding("waiting"))
    ask = speaker.client.ask_for(request)
    other.add("other")
    with sqlite3.connect(store, timeout=0) as third:
        third.execute("BEGIN EXCLUSIVE")
        third.execute("ROLLBACK")
    third.close()
    speaker.client.answer(ask, "allowed-once")
    speaker.client.wait(request)
    assert speaker.texts() == ["other", "waiting"]


def test_21_entries_of_one_millisecond_keep_their_order(store):
    from shilu_core.ledger import Ledger
    from shilu_host.protocol.provider import Provider
    from shilu_host.protocol.settings import read_settings

    with Ledger.open(store) as ledger:
        provider = Provider(ledger, read_settings({"writePolicy": "auto"}), clock=lambda: 1_000)
        for number in range(30):
            provider.write("add", {"input": {**ADD, "text": f"t{number}"}, "write": by()})
        assert [entry["text"] for entry in provider.list_entries({})] == [f"t{number}" for number in range(30)]


def test_21_a_clock_that_runs_backwards_never_makes_an_entry_change_before_it_was_made(store):
    from shilu_core.ledger import Ledger
    from shilu_host.protocol.provider import Provider
    from shilu_host.protocol.settings import read_settings

    now = [5_000]
    with Ledger.open(store) as ledger:
        provider = Provider(ledger, read_settings({"writePolicy": "auto"}), clock=lambda: now[0])
        provider.write("add", {"input": ADD, "write": by()})
        now[0] = 4_000
        entry = provider.write("replace", {"input": {**ADD, "match": "text"}, "write": by()})["entry"]
    assert entry["updatedAt"] == entry["createdAt"] == 5_000
