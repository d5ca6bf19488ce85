"""Entries of the memory protocol are found by recall, with their source, by the sessions that may see them."""

from __future__ import annotations

import pytest
from shilu_core.index.index import Index
from shilu_core.ledger import Ledger
from shilu_core.recall.engine import Engine
from shilu_core.settings import Settings
from shilu_core.vault import recognise
from shilu_host.conformance.speaker import by, session
from shilu_host.protocol.sessions import read_session
from shilu_host.sources import sources, viewer_of

from tests.fixtures import old_vault


@pytest.fixture
def world(connect, store, tmp_path):
    """A speaker on the store, the joined sources, and an engine over them."""
    speaker = connect(writePolicy="auto")
    with Ledger.open(store) as ledger:
        joined = sources(recognise(old_vault.write(tmp_path / "vault")), ledger, Settings({}, {}), {})
        engine = Engine(Index.open(tmp_path / "index", joined), joined)
        engine.refresh()
        yield speaker, joined, engine
        engine.close()


def found(engine, question):
    return [(hit.fact.text, hit.fact.note) for hit in engine.search(question).hits]


def test_an_entry_is_a_fact_beside_those_of_the_vault(world):
    speaker, _, engine = world
    entry = speaker.add("值班电话由李娜负责到周五", "agent", source="tool")["entry"]
    engine.refresh()
    hit = engine.search("谁负责值班电话").hits[0]
    assert (hit.fact.text, hit.fact.note) == (entry["text"], f"memory-protocol/agent/user-global/{entry['id']}")
    assert hit.fact.stamp.source == "tool" and hit.fact.written is not None
    assert engine.search("Go 工具链版本").hits[0].fact.note == "常用路径与环境.md"


def test_changes_are_seen_and_recalls_are_none(world):
    speaker, joined, engine = world
    speaker.add("值班电话由李娜负责到周五")
    assert joined.entries.changed()
    engine.refresh()
    speaker.query({"text": "值班"})
    assert not joined.entries.changed()
    speaker.replace("李娜", "值班电话由王强负责到周日")
    assert joined.entries.changed()
    engine.refresh()
    assert found(engine, "谁负责值班电话")[0][0] == "值班电话由王强负责到周日"
    speaker.remove("王强")
    engine.refresh()
    assert all(not note.startswith("memory-protocol/") for _, note in found(engine, "谁负责值班电话"))


def test_a_session_sees_what_it_may(world):
    speaker, joined, engine = world
    speaker.add("值班电话由李娜负责", "agent", "workspace", by(session(cwd="/w", preset="me")))
    engine.refresh()
    (note,) = [note for _, note in found(engine, "谁负责值班电话") if note.startswith("memory-protocol/")]
    seen = [
        joined.entries.is_visible(note, read_session(session(cwd=cwd, preset=preset)))
        for cwd, preset in (("/w", "me"), ("/w", None), ("/v", "me"), ("/w", "you"))
    ]
    assert seen == [True, False, False, False]
    assert joined.entries.is_visible("常用路径与环境.md", read_session(None))


def test_a_search_leaves_out_what_the_viewer_may_not_see_and_fills_up_with_the_rest(world):
    speaker, joined, engine = world
    for number in range(6):
        speaker.add(f"值班电话由第{number}组负责", "agent", "workspace", by(session(cwd="/v")))
    speaker.add("值班电话由李娜负责到周五", "agent", "workspace", by(session(cwd="/w")))
    engine.refresh()

    def shown(folder, limit=2):
        viewer = viewer_of(folder, "")
        return joined.seen(engine.search("谁负责值班电话", limit=joined.widened(limit, viewer)), limit, viewer).hits

    assert shown("/w")[0].fact.text == "值班电话由李娜负责到周五"
    for folder, limit in (("/w", 5), ("/v", 5), ("", 5)):
        notes = [fact.note for hit in shown(folder, limit) for fact in (hit.fact, *hit.restatements, *hit.contradicts)]
        assert all(joined.entries.is_visible(note, viewer_of(folder, "")) for note in notes)
    assert all(not hit.fact.note.startswith("memory-protocol/") for hit in shown(""))
