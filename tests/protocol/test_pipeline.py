"""Section 5: the write pipeline and the five writes."""

from __future__ import annotations

import pytest
from shilu_host.conformance.client import park
from shilu_host.conformance.speaker import by, session

ADD = {"track": "user", "scope": "user-global", "text": "text"}


def parked(speaker, method, params):
    """Starts a write and waits until it asks; returns its id and its ask."""
    request = speaker.client.start(method, params)
    return request, speaker.client.ask_for(request)


def test_5_1_the_checks_stand_before_the_approval_and_the_row_after_the_change(connect):
    speaker = connect(park)
    request, ask = parked(speaker, "add", speaker.adding("text"))
    assert speaker.entries() == [] and speaker.audit() == []
    speaker.client.answer(ask, "allowed-once")
    assert speaker.client.wait(request)["entry"]["text"] == "text"
    assert speaker.actions() == ["add"]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({**ADD, "track": "team", "scope": "global"}, "track"),
        ({**ADD, "scope": "global", "text": ""}, "scope"),
        ({**ADD, "text": "", "tags": "x"}, "text"),
        ({**ADD, "tags": "x"}, "tags"),
    ],
)
def test_5_2_fields_are_checked_in_order(speaker, given, code):
    reply = speaker.client.start("add", {"input": given, "write": by()})
    with pytest.raises(Exception, match=f"INVALID_INPUT: {code}"):
        speaker.client.wait(reply)


def test_5_2_the_agent_comes_before_every_field(speaker, failing):
    for method in ("add", "replace", "remove", "consolidate"):
        call = {"input": {"track": "team"}, "write": {}}
        assert failing(lambda m=method, c=call: speaker.client.call(m, c)).code == "WRITE_REQUIRES_AGENT"
    assert failing(lambda: speaker.client.call("seed", {"inputs": [], "write": {}})).code == "WRITE_REQUIRES_AGENT"
    assert failing(lambda: speaker.client.call("import", {"write": {}})).code == "WRITE_REQUIRES_AGENT"
    assert failing(lambda: speaker.client.call("proposals/approve", {})).code == "WRITE_REQUIRES_AGENT"


def test_5_2_a_match_is_checked_after_text_and_tags(speaker):
    for given, word in [({"text": ""}, "text"), ({"text": "x", "tags": 1}, "tags"), ({"text": "x"}, "match")]:
        request = speaker.client.start(
            "replace", {"input": {"track": "user", "scope": "workspace", **given}, "write": by()}
        )
        with pytest.raises(Exception, match=f"(a )?{word}"):
            speaker.client.wait(request)


@pytest.mark.parametrize("write", [None, {}, {"agent": None}, "x", []])
def test_5_3_a_write_without_agent_is_refused_and_leaves_nothing(speaker, failing, write):
    failure = failing(lambda: speaker.client.call("add", {"input": ADD, "write": write}))
    assert (failure.code, failure.details) == ("WRITE_REQUIRES_AGENT", {})
    assert speaker.audit() == [] and speaker.client.asks == []


@pytest.mark.parametrize("agent", [{}, {"session": None}, {"session": {}}, {"session": {"id": 7}}])
def test_5_3_an_agent_without_a_session_may_write(speaker, agent):
    entry = speaker.add("text", "agent", "workspace", {"agent": agent})["entry"]
    assert (entry["sessionId"], entry["workspaceKey"], entry["agentKey"]) == (None, "", "")


def test_5_4_early_defects_ask_nobody_and_leave_no_row(connect, failing):
    speaker = connect(budgets={"user": {"userGlobal": 10}})
    speaker.add("ab 1")
    speaker.add("ab 2")
    before = len(speaker.client.asks)
    codes = [
        failing(lambda: speaker.add("")).code,
        failing(lambda: speaker.remove("zz")).code,
        failing(lambda: speaker.remove("ab")).code,
        failing(lambda: speaker.add("0123456789")).code,
    ]
    assert codes == ["INVALID_INPUT", "ENTRY_NOT_FOUND", "AMBIGUOUS_MATCH", "BUDGET_EXCEEDED"]
    assert len(speaker.client.asks) == before and speaker.actions() == ["add", "add"]


def test_5_5_a_failed_write_changes_nothing(connect, failing):
    speaker = connect(budgets={"user": {"userGlobal": 10}})
    speaker.add("one")
    failing(lambda: speaker.seed([ADD, {**ADD, "track": "nobody"}]))
    failing(lambda: speaker.seed([{**ADD, "text": "ok"}, {**ADD, "text": "x" * 20}]))
    failing(lambda: speaker.consolidate(["one", "two"], "x"))
    failing(lambda: speaker.replace("one", "x" * 11))
    assert speaker.texts() == ["one"]


def test_5_6_after_the_approval_the_target_is_resolved_again(connect):
    speaker = connect(park, writePolicies={"source:quick": "auto"})
    speaker.add("port 8080", source="quick")
    params = {"input": {**ADD, "match": "port", "text": "port 1"}, "write": by()}
    request, ask = parked(speaker, "replace", params)
    speaker.replace("port", "port 9090", source="quick")
    speaker.client.answer(ask, "allowed-once")
    assert speaker.client.wait(request)["previous"]["text"] == "port 9090"


def test_5_6_a_target_that_is_gone_or_doubled_by_then_fails(connect, failing):
    speaker, quick = connect(park), connect(writePolicy="auto")
    quick.add("alpha")
    quick.add("beta")
    gone, gone_ask = parked(speaker, "remove", {"input": {**ADD, "match": "alpha"}, "write": by()})
    twice, twice_ask = parked(speaker, "replace", {"input": {**ADD, "match": "beta"}, "write": by()})
    quick.replace("alpha", "another beta")
    speaker.client.answer(gone_ask, "allowed-once")
    speaker.client.answer(twice_ask, "allowed-once")
    assert failing(lambda: speaker.client.wait(gone)).code == "ENTRY_NOT_FOUND"
    assert failing(lambda: speaker.client.wait(twice)).code == "AMBIGUOUS_MATCH"
    assert speaker.texts() == ["another beta", "beta"]


def test_5_6_a_budget_that_is_full_by_then_fails(connect, failing):
    speaker = connect(park, budgets={"user": {"userGlobal": 10}})
    first, first_ask = parked(speaker, "add", speaker.adding("123456"))
    second, second_ask = parked(speaker, "add", speaker.adding("abcdef"))
    speaker.client.answer(second_ask, "allowed-once")
    speaker.client.answer(first_ask, "allowed-once")
    failure = failing(lambda: speaker.client.wait(first))
    assert (failure.code, failure.details["used"], failure.details["needed"]) == ("BUDGET_EXCEEDED", 6, 12)
    assert speaker.client.wait(second)["usage"]["used"] == 6 and speaker.texts() == ["abcdef"]


def test_5_7_what_the_last_check_saw_is_what_the_change_meets(connect, store):
    """Another connection can not slip in between: it finds the store locked while a commit is under way."""
    import sqlite3

    speaker, other = connect(writePolicy="auto"), sqlite3.connect(store, timeout=0)
    speaker.add("one")
    from shilu_core.entries import EntryStore

    seen = []
    plain = EntryStore.insert

    def insert(self, entry):
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("DELETE FROM entries")
        seen.append(entry.text)
        plain(self, entry)

    EntryStore.insert = insert
    try:
        speaker.add("two")
    finally:
        EntryStore.insert = plain
        other.close()
    assert seen == ["two"]


def test_5_8_a_cancelled_write_ends_at_once_with_a_denied_row(connect, failing):
    speaker = connect(park)
    request, ask = parked(speaker, "add", speaker.adding("text"))
    speaker.client.cancel(request)
    failure = failing(lambda: speaker.client.wait(request))
    assert (failure.code, failure.details) == ("WRITE_DENIED", {"outcome": "cancelled"})
    speaker.client.answer(ask, "allowed-once")
    assert speaker.entries() == [] and speaker.actions() == ["add-denied"]
    assert speaker.audit()[0]["outcome"] == "cancelled (via approval, writePolicy ask)"


def test_5_8_a_stored_write_is_not_undone_by_a_cancel(connect):
    speaker = connect(writePolicy="auto")
    request = speaker.client.start("add", speaker.adding("text"))
    speaker.client.cancel(request)
    assert speaker.client.wait(request)["entry"]["text"] == "text"
    assert speaker.texts() == ["text"]


def test_5_9_a_retry_does_not_apply_twice(speaker, failing):
    speaker.add("old a")
    speaker.add("old b")
    speaker.replace("old a", "new")
    assert failing(lambda: speaker.replace("old a", "new")).code == "ENTRY_NOT_FOUND"
    speaker.consolidate(["old b", "new"], "all")
    assert failing(lambda: speaker.consolidate(["old b", "new"], "all")).code == "ENTRY_NOT_FOUND"
    speaker.remove("all")
    assert failing(lambda: speaker.remove("all")).code == "ENTRY_NOT_FOUND"


def test_5_10_usage_is_told_as_of_after_the_write(speaker):
    pot = {"track": "user", "scope": "user-global", "limit": 2000}
    assert speaker.add("12345")["usage"] == {**pot, "used": 5}
    assert speaker.replace("123", "12")["usage"] == {**pot, "used": 2}
    assert speaker.consolidate(["12"], "1234")["usage"] == {**pot, "used": 4}
    assert speaker.remove("12")["usage"] == {**pot, "used": 0}


def test_5_11_add_returns_entry_and_usage(speaker):
    assert set(speaker.add("text")) == {"entry", "usage"}


def test_5_12_replace_keeps_the_identity_and_raises_the_version(speaker):
    old = speaker.add("old", "agent", "workspace", by(session("a", cwd="/w", preset="p")), source="tool")["entry"]
    speaker.query({"text": "old"})
    write = by(session("b", cwd="/w", preset="p"))
    result = speaker.replace("OLD", "new", "agent", "workspace", write, source="other")
    entry, previous = result["entry"], result["previous"]
    assert set(result) == {"previous", "entry", "usage"}
    assert previous["text"] == "old" and previous["version"] == 1 and previous["sessionId"] == "a"
    kept = ("id", "createdAt", "source", "workspaceKey", "agentKey", "track", "scope")
    assert {name: entry[name] for name in kept} == {name: old[name] for name in kept}
    assert (entry["text"], entry["version"], entry["sessionId"], entry["recallCount"]) == ("new", 2, "b", 1)
    assert entry["updatedAt"] >= old["updatedAt"] and entry["lastRecalled"] is not None
    assert speaker.entries() == [entry]


def test_5_13_d4_given_tags_replace_the_old_ones_and_omitted_keep_them(speaker):
    speaker.add("a", tags=["x", "y"])
    assert speaker.replace("a", "b")["entry"]["tags"] == ["x", "y"]
    assert speaker.replace("b", "c", tags=["z"])["entry"]["tags"] == ["z"]
    assert speaker.replace("c", "d", tags=[])["entry"]["tags"] == []


def test_5_14_the_budget_of_a_replace_is_its_net_change(connect, failing):
    speaker = connect(budgets={"user": {"userGlobal": 10}})
    speaker.add("12345678")
    assert speaker.replace("123", "abcdefghij")["usage"]["used"] == 10
    assert speaker.replace("abc", "x")["usage"]["used"] == 1
    assert failing(lambda: speaker.replace("x", "y" * 11)).details["needed"] == 11


def test_5_15_a_source_given_to_replace_is_asked_about_but_not_stored(speaker):
    speaker.add("a", source="mine")
    assert speaker.replace("a", "b", source="theirs")["entry"]["source"] == "mine"
    assert speaker.client.asks[-1]["params"]["source"] == "theirs"


def test_5_16_remove_returns_the_entry_and_needs_no_room(connect):
    speaker = connect(budgets={"user": {"userGlobal": 100}})
    entry = speaker.add("x" * 50)["entry"]
    small = connect(budgets={"user": {"userGlobal": 10}})
    result = small.remove("x")
    assert result["entry"] == entry and set(result) == {"entry", "usage"} and small.entries() == []


@pytest.mark.parametrize("matches", [None, "a", [], [""], ["a", 1], ["a"] * 21, [None]])
def test_5_17_matches_are_1_to_20_non_empty_strings(speaker, failing, matches):
    speaker.add("a")
    assert failing(lambda: speaker.consolidate(matches, "x")).code == "INVALID_INPUT"


def test_5_17_twenty_matches_pass(connect):
    speaker = connect(writePolicy="auto")
    words = [f"word{number:02}" for number in range(20)]
    for word in words:
        speaker.add(word)
    assert len(speaker.consolidate(words, "all")["removed"]) == 20 and speaker.texts() == ["all"]


def test_5_18_consolidate_puts_one_entry_in_the_place_of_its_targets(speaker):
    for text in ("one", "two", "three"):
        speaker.add(text)
    asked = len(speaker.client.asks)
    result = speaker.consolidate(["two", "ONE"], "both")
    assert set(result) == {"removed", "entry", "usage"}
    assert [entry["text"] for entry in result["removed"]] == ["two", "one"]
    assert (result["entry"]["version"], result["entry"]["recallCount"]) == (1, 0)
    assert speaker.texts() == ["three", "both"] and len(speaker.client.asks) == asked + 1


def test_5_18_any_mismatch_leaves_everything(speaker, failing):
    for text in ("one", "two", "two again"):
        speaker.add(text)
    assert failing(lambda: speaker.consolidate(["one", "two"], "x")).code == "AMBIGUOUS_MATCH"
    assert failing(lambda: speaker.consolidate(["one", "none"], "x")).code == "ENTRY_NOT_FOUND"
    assert speaker.texts() == ["one", "two", "two again"]


def test_5_19_old_tags_are_not_merged(speaker):
    speaker.add("one", tags=["a"])
    assert speaker.consolidate(["one"], "two")["entry"]["tags"] == []
    assert speaker.consolidate(["two"], "three", tags=["b"])["entry"]["tags"] == ["b"]


def test_5_20_two_matches_of_one_entry_fail_without_change(speaker, failing):
    speaker.add("one two")
    assert failing(lambda: speaker.consolidate(["one", "two"], "x")).code == "ENTRY_NOT_FOUND"
    assert speaker.texts() == ["one two"] and speaker.actions() == ["add"]


def test_5_21_the_budget_of_a_consolidation_is_its_net_change(connect, failing):
    speaker = connect(budgets={"user": {"userGlobal": 10}})
    speaker.add("12345")
    speaker.add("abcde")
    failure = failing(lambda: speaker.consolidate(["1", "a"], "x" * 11))
    assert (failure.details["used"], failure.details["needed"]) == (10, 11)
    assert speaker.consolidate(["1", "a"], "x" * 10)["usage"]["used"] == 10


def test_5_22_seed_stores_all_in_order_under_one_approval(speaker):
    items = [
        {**ADD, "text": "b"},
        {**ADD, "scope": "workspace", "text": "a"},
        {**ADD, "track": "agent", "text": "c"},
    ]
    result = speaker.seed(items)
    assert result["added"] == 3 and [entry["text"] for entry in result["entries"]] == ["b", "a", "c"]
    assert len({entry["id"] for entry in result["entries"]}) == 3
    assert [entry["version"] for entry in result["entries"]] == [1, 1, 1]
    assert len(speaker.client.asks) == 1 and speaker.texts() == ["b", "a", "c"]


@pytest.mark.parametrize("inputs", [None, [], {}, "x", [None], [ADD, {}]])
def test_5_22_a_seed_is_a_non_empty_list_of_add_inputs(speaker, failing, inputs):
    assert failing(lambda: speaker.seed(inputs)).code == "INVALID_INPUT"
    assert speaker.entries() == [] and speaker.client.asks == []


def test_5_23_d5_a_seed_is_summed_by_pot_before_anybody_is_asked(connect, failing):
    speaker = connect(budgets={"user": {"userGlobal": 10, "workspace": 10}})
    items = [
        {**ADD, "text": "x" * 6},
        {**ADD, "scope": "workspace", "text": "y" * 9},
        {**ADD, "text": "z" * 5},
    ]
    failure = failing(lambda: speaker.seed(items))
    assert failure.code == "BUDGET_EXCEEDED"
    assert failure.details == {"track": "user", "scope": "user-global", "used": 0, "limit": 10, "needed": 11}
    assert speaker.client.asks == [] and speaker.entries() == [] and speaker.audit() == []


def test_5_24_a_seed_has_no_item_cap_of_its_own(connect):
    speaker = connect(writePolicy="auto")
    assert speaker.seed([{**ADD, "text": "x"}] * 1001)["added"] == 1001
