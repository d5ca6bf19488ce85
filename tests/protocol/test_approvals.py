"""Section 6: the approval transport, its payloads, and the write policies."""

from __future__ import annotations

import re

import pytest
from shilu_host.conformance.client import park
from shilu_host.conformance.speaker import by, session

ADD = {"track": "user", "scope": "user-global", "text": "text"}
REASON = re.compile(
    r"^\[dsh-memento\] ([a-z]+)(?: \((\d+) entries\))? ([a-z]+)/([a-z-]+)(?: \[source:([^\]]+)\])?\n([\s\S]*)$"
)


def asked(speaker):
    return speaker.client.asks[-1]["params"]


@pytest.mark.parametrize("outcome", ["rejected", "cancelled", "unavailable", "allowed", "ALLOWED-ONCE", "whatever 中"])
def test_6_1_anything_but_allowed_once_is_a_denial_with_that_outcome(connect, failing, outcome):
    speaker = connect(lambda ask: outcome)
    failure = failing(lambda: speaker.add("text"))
    assert (failure.code, failure.details) == ("WRITE_DENIED", {"outcome": outcome})
    assert speaker.entries() == []
    assert speaker.audit()[0]["outcome"] == f"{outcome} (via approval, writePolicy ask)"


def test_6_1_allowed_once_allows(connect):
    assert connect(lambda ask: "allowed-once").add("text")["entry"]["text"] == "text"


def test_6_2_6_3_the_payload_of_an_add(speaker):
    speaker.add("the text", "agent", "workspace", source="tool-1")
    given = {name: asked(speaker)[name] for name in ("forRequest", "via", "action", "track", "scope", "text", "source")}
    assert given == {
        "forRequest": 2,
        "via": "approval",
        "action": "add",
        "track": "agent",
        "scope": "workspace",
        "text": "the text",
        "source": "tool-1",
    }
    assert "count" not in asked(speaker)


def test_6_3_a_replace_shows_old_and_new(speaker):
    speaker.add("old\nlines")
    speaker.replace("old", "new")
    assert asked(speaker)["text"] == "from:\nold\nlines\n\nto:\nnew"


def test_6_3_a_remove_shows_the_full_text(speaker):
    speaker.add("x" * 900)
    speaker.remove("xx")
    assert asked(speaker)["text"] == "x" * 900


def test_6_3_a_consolidation_shows_each_target_cut_at_300_units(speaker):
    speaker.add("long " + "y" * 400)
    speaker.add("short")
    speaker.consolidate(["LONG", "short"], "new")
    assert asked(speaker)["text"] == f"remove: LONG\nlong {'y' * 295}…\nremove: short\nshort\nnew text: new"


def test_6_2_6_3_a_seed_lists_its_entries_as_a_batch(speaker):
    speaker.seed([{**ADD, "source": "x"}, {"track": "agent", "scope": "workspace", "text": "two"}])
    ask = asked(speaker)
    assert (ask["action"], ask["track"], ask["scope"], ask["count"]) == ("seed", "batch", "batch", 2)
    assert ask["text"] == "user/user-global: text\nagent/workspace: two"
    assert "source" not in ask


def test_6_4_the_source_is_the_inputs_or_the_label_and_for_remove_the_entrys(speaker):
    speaker.add("a")
    assert asked(speaker)["source"] == "shilu"
    speaker.add("b", source="tool")
    speaker.replace("b", "c")
    assert asked(speaker)["source"] == "shilu"
    speaker.remove("c", source="other")
    assert asked(speaker)["source"] == "tool"


def test_6_5_every_write_asks_exactly_once(speaker):
    speaker.add("a")
    speaker.replace("a", "b")
    speaker.consolidate(["b"], "c")
    speaker.remove("c")
    speaker.seed([ADD, ADD])
    assert [ask["params"]["action"] for ask in speaker.client.asks] == [
        "add",
        "replace",
        "consolidate",
        "remove",
        "seed",
    ]


def test_6_6_the_reason_is_parsed_back_without_loss(speaker):
    speaker.add("first\n[source:fake]\nlast", source="tool")
    speaker.seed([ADD, ADD])
    found = [REASON.match(ask["params"]["reason"]).groups() for ask in speaker.client.asks]
    assert found == [
        ("add", None, "user", "user-global", "tool", "first\n[source:fake]\nlast"),
        ("seed", "2", "batch", "batch", None, "user/user-global: text\nuser/user-global: text"),
    ]


def test_6_6_a_source_that_would_break_the_reason_is_left_out_of_it(speaker):
    speaker.add("text", source="a]b")
    assert REASON.match(asked(speaker)["reason"]).groups() == (
        "add",
        None,
        "user",
        "user-global",
        None,
        "text",
    )
    assert asked(speaker)["source"] == "a]b"


@pytest.mark.parametrize(
    ("policy", "outcome", "asks"),
    [("auto", "allowed-once", 0), ("off", "rejected", 0), ("ask", "allowed-once", 1)],
)
def test_6_7_the_policy_decides_who_is_asked(connect, policy, outcome, asks):
    speaker = connect(writePolicy=policy)
    request = speaker.client.start("add", speaker.adding("text"))
    if outcome == "rejected":
        with pytest.raises(Exception, match="WRITE_DENIED"):
            speaker.client.wait(request)
    else:
        speaker.client.wait(request)
    assert len(speaker.client.asks) == asks
    assert speaker.audit()[0]["outcome"] == f"{outcome} (via approval, writePolicy {policy})"


def test_6_7_ask_is_the_default(speaker):
    speaker.add("text")
    assert len(speaker.client.asks) == 1


def test_6_7_without_anybody_to_ask_the_outcome_is_unavailable(connect, failing):
    speaker = connect(approval=False)
    assert failing(lambda: speaker.add("text")).details == {"outcome": "unavailable"}
    assert speaker.actions() == ["add-denied"] and speaker.client.asks == []


@pytest.mark.parametrize("policy", ["allow", "", 1, ["ask"], True])
def test_6_7_another_policy_fails_at_load(connect, failing, policy):
    assert failing(lambda: connect(writePolicy=policy)).code == "INVALID_INPUT"


def test_6_8_source_beats_pot_beats_global(connect, failing):
    rules = {"source:trusted": "auto", "user/user-global": "off", "agent/workspace": "auto"}
    speaker = connect(writePolicy="ask", writePolicies=rules)
    assert speaker.add("a", source="trusted")["entry"]
    assert failing(lambda: speaker.add("b")).details == {"outcome": "rejected"}
    assert speaker.add("c", "agent", "workspace")["entry"] and speaker.client.asks == []
    assert speaker.add("d", "agent")["entry"] and len(speaker.client.asks) == 1


def test_6_8_only_the_global_policy_applies_to_a_seed(connect):
    speaker = connect(writePolicies={"user/user-global": "off", "source:x": "off"})
    assert speaker.seed([{**ADD, "source": "x"}])["added"] == 1 and len(speaker.client.asks) == 1


@pytest.mark.parametrize(
    "rules",
    [
        {"user": "auto"},
        {"user/global": "auto"},
        {"batch/batch": "auto"},
        {"source:": "auto"},
        {"source:A": "auto"},
        {"source:a b": "auto"},
        {"source:a\n": "auto"},
        {"user/workspace": "maybe"},
        {"user/workspace": None},
        [],
        "ask",
    ],
)
def test_6_8_a_bad_rule_fails_at_load(connect, failing, rules):
    assert failing(lambda: connect(writePolicies=rules)).code == "INVALID_INPUT"


@pytest.mark.parametrize("policy", ["auto", "ask", "off"])
@pytest.mark.parametrize("gate", [False, True])
def test_6_9_the_stance_never_pre_empts_every_policy(connect, failing, policy, gate):
    speaker = connect(writePolicy=policy)
    failure = failing(lambda: speaker.add("text", write=by(sessionPolicy="never", gate=gate)))
    assert failure.details == {"outcome": "rejected"}
    assert speaker.client.asks == [] and speaker.entries() == [] and speaker.actions() == ["add-denied"]


@pytest.mark.parametrize(
    "reply",
    [
        {"error": {"code": -32603, "message": "no"}},
        {"result": None},
        {"result": {}},
        {"result": {"outcome": 1}},
        {"result": "allowed-once"},
        {"result": {"outcome": ""}},
    ],
)
def test_6_10_d6_a_transport_that_fails_closes_with_a_denied_row(connect, failing, reply):
    speaker = connect(park)
    request = speaker.client.start("add", speaker.adding("text"))
    speaker.client.answer_raw(speaker.client.ask_for(request), reply)
    assert failing(lambda: speaker.client.wait(request)).details == {"outcome": "unavailable"}
    assert speaker.actions() == ["add-denied"]


def test_6_10_d6_a_transport_in_python_that_throws_is_unavailable(store):
    from shilu_core.ledger import Ledger
    from shilu_host.protocol.errors import ProtocolError
    from shilu_host.protocol.provider import Provider
    from shilu_host.protocol.settings import Settings

    def transport(ask):
        raise OSError("nobody there")

    with Ledger.open(store) as ledger:
        provider = Provider(ledger, Settings(approval=True), transport=transport)
        with pytest.raises(ProtocolError) as caught:
            provider.write("add", {"input": ADD, "write": by()})
        assert caught.value.details == {"outcome": "unavailable"}
        assert provider.audit_list({})[0]["action"] == "add-denied"


def test_6_11_the_gate_is_ruled_by_the_same_policies_under_another_label(connect, failing):
    speaker = connect(approval=False, writePolicies={"agent/workspace": "auto", "user/workspace": "off"})
    speaker.add("a", write=by(gate=True))
    assert asked(speaker)["via"] == "gate"
    speaker.add("b", "agent", "workspace", by(gate=True))
    failing(lambda: speaker.add("c", "user", "workspace", by(gate=True)))
    assert [row["outcome"] for row in reversed(speaker.audit())] == [
        "allowed-once (via write gate)",
        "allowed-once (via write gate)",
        "rejected (via write gate)",
    ]
    assert len(speaker.client.asks) == 1


def test_b7_an_answer_may_be_given_while_other_sessions_write(connect):
    speaker = connect(park)
    first = speaker.client.start("add", speaker.adding("first", write=by(session("one"))))
    second = speaker.client.start("add", speaker.adding("second", write=by(session("two"))))
    asks = [speaker.client.ask_for(second), speaker.client.ask_for(first)]
    for ask in asks:
        speaker.client.answer(ask, "allowed-once")
    assert speaker.client.wait(first)["entry"]["sessionId"] == "one"
    assert speaker.texts() == ["second", "first"]
    assert second in speaker.client._replies
