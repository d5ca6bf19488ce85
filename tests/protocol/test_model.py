"""Acceptance 5: random operations against a simple model in memory give equal results and errors."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shilu_core.ledger import Ledger
from shilu_host.protocol.adapters import built_in
from shilu_host.protocol.errors import ProtocolError
from shilu_host.protocol.provider import Provider
from shilu_host.protocol.settings import read_settings

LIMIT = 24
CONFIG = {
    "writePolicy": "auto",
    "budgets": {track: {"userGlobal": LIMIT, "workspace": LIMIT} for track in ("user", "agent")},
}


class Model:
    """The protocol as a list of dictionaries; it knows no SQL and no transactions."""

    def __init__(self):
        self.entries = []
        self.log = []

    def run(self, method, given, session):
        before, logged = [dict(entry) for entry in self.entries], len(self.log)
        try:
            return getattr(self, method)(given, session)
        except Refusal:
            self.entries, self.log = before, self.log[:logged]
            raise

    def add(self, given, session):
        return self._store([given], session, ["add"])

    def seed(self, given, session):
        self.log.append("seed")
        return self._store(given, session, ["add"] * len(given))

    def replace(self, given, session):
        entry = self._find(given, given["match"], session)
        self._fit([(given, units(given["text"]) - units(entry["text"]))])
        entry["text"], entry["version"] = given["text"], entry["version"] + 1
        self.log.append("replace")
        return [entry["text"]]

    def remove(self, given, session):
        entry = self._find(given, given["match"], session)
        self.entries.remove(entry)
        self.log.append("remove")
        return [entry["text"]]

    def consolidate(self, given, session):
        if not all(given["matches"]):
            raise Refusal("INVALID_INPUT")
        found = [self._find(given, match, session) for match in given["matches"]]
        if len({id(entry) for entry in found}) < len(found):
            raise Refusal("ENTRY_NOT_FOUND")
        self._fit([(given, units(given["text"]) - sum(units(entry["text"]) for entry in found))])
        for entry in found:
            self.entries.remove(entry)
            self.log.append("consolidate-remove")
        return self._store([given], session, ["consolidate-add"])

    def _store(self, items, session, actions):
        if any(not item["text"] for item in items):
            raise Refusal("INVALID_INPUT")
        self._fit([(item, units(item["text"])) for item in items] if actions != ["consolidate-add"] else [])
        for item in items:
            keys = {"workspace": session[0] if item["scope"] == "workspace" else "", "agent": session[1]}
            pot = {name: item[name] for name in ("track", "scope", "text")}
            self.entries.append({**pot, **keys, "version": 1})
        self.log += actions
        return [item["text"] for item in items]

    def _fit(self, additions):
        sums = {}
        for item, addition in additions:
            pot = (item["track"], item["scope"])
            sums[pot] = sums.get(pot, 0) + addition
        for pot, addition in sums.items():
            used = sum(units(entry["text"]) for entry in self.entries if (entry["track"], entry["scope"]) == pot)
            if used + addition > LIMIT:
                raise Refusal("BUDGET_EXCEEDED")

    def _find(self, given, match, session):
        if not match or not given.get("text", "x"):
            raise Refusal("INVALID_INPUT")
        hits = [
            entry
            for entry in self.entries
            if (entry["track"], entry["scope"]) == (given["track"], given["scope"])
            and entry["agent"] in ("", session[1])
            and (entry["scope"] == "user-global" or entry["workspace"] == session[0])
            and folded(match) in folded(entry["text"])
        ]
        if len(hits) != 1:
            raise Refusal("AMBIGUOUS_MATCH" if hits else "ENTRY_NOT_FOUND")
        return hits[0]


class Refusal(Exception):
    pass


def units(text):
    return sum(2 if ord(character) > 0xFFFF else 1 for character in text)


def folded(text):
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in text)


words = st.text(st.sampled_from("abABé中😀% "), min_size=0, max_size=7)
pots = st.fixed_dictionaries(
    {"track": st.sampled_from(["user", "agent"]), "scope": st.sampled_from(["user-global", "workspace"])}
)
sessions = st.sampled_from([("/w", ""), ("/w", "p"), ("/v", "q")])


def with_fields(**fields):
    return st.tuples(pots, st.fixed_dictionaries(fields)).map(lambda both: {**both[0], **both[1]})


operations = st.one_of(
    st.tuples(st.just("add"), with_fields(text=words)),
    st.tuples(st.just("replace"), with_fields(text=words, match=words)),
    st.tuples(st.just("remove"), with_fields(match=words)),
    st.tuples(st.just("consolidate"), with_fields(text=words, matches=st.lists(words, min_size=1, max_size=3))),
    st.tuples(st.just("seed"), st.lists(with_fields(text=words), min_size=1, max_size=3)),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=st.lists(st.tuples(operations, sessions), max_size=25))
def test_random_operations_equal_the_model(blank, history):
    folder = Path(tempfile.mkdtemp())
    try:
        with Ledger.open(Path(shutil.copy(blank, folder))) as ledger:
            ledger.execute("PRAGMA synchronous = OFF")
            _compare(Provider(ledger, read_settings(CONFIG)), Model(), history)
    finally:
        shutil.rmtree(folder)


def _compare(provider, model, history):
    for (method, given_input), session in history:
        assert _real(provider, method, given_input, session) == _modelled(model, method, given_input, session)
        entries = [
            {
                "track": entry["track"],
                "scope": entry["scope"],
                "text": entry["text"],
                "workspace": entry["workspaceKey"],
                "agent": entry["agentKey"],
                "version": entry["version"],
            }
            for entry in provider.list_entries({})
        ]
        assert entries == model.entries
    actions = [row["action"] for row in reversed(provider.audit_list({"limit": 1000}))]
    assert actions == model.log


def _real(provider, method, given_input, session):
    header = {"cwd": session[0], "agentPreset": session[1]}
    write = {"agent": {"session": {"id": "s", "header": header}}}
    params = {"inputs": given_input} if method == "seed" else {"input": given_input}
    try:
        result = provider.write(method, {**params, "write": write})
    except ProtocolError as error:
        return error.code
    return [entry["text"] for entry in result.get("entries", [result.get("entry")])]


def _modelled(model, method, given_input, session):
    try:
        return model.run(method, given_input, session)
    except Refusal as refusal:
        return str(refusal)


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=30)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    items=st.lists(with_fields(text=texts, tags=st.lists(st.sampled_from("abc"), unique=True)), min_size=1, max_size=6)
)
def test_export_then_import_loses_nothing(blank, items):
    folder = Path(tempfile.mkdtemp())
    write = {"agent": {"session": {"id": "s", "header": {"cwd": "/w", "agentPreset": "p"}}}}
    try:
        with Ledger.open(Path(shutil.copy(blank, folder))) as ledger:
            ledger.execute("PRAGMA synchronous = OFF")
            provider = Provider(ledger, read_settings({"writePolicy": "auto"}))
            provider.write("seed", {"inputs": items, "write": write})
            exported = provider.export({})
            ledger.execute("DELETE FROM entries")
            provider.write("import", {"payload": exported, "write": write})
            fresh = ("id", "createdAt", "updatedAt")
            both = (
                [{k: v for k, v in e.items() if k not in fresh} for e in d["entries"]]
                for d in (exported, provider.export({}))
            )
            assert next(both) == next(both)
    finally:
        shutil.rmtree(folder)


lines = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"], exclude_characters="\ufeff"), min_size=1
)
entries = st.lists(with_fields(text=lines), max_size=8)


@settings(max_examples=100, deadline=None)
@given(entries=entries)
def test_markdown_adapters_bring_back_every_text_they_wrote(entries):
    registry = built_in()
    for adapter in ("hermes-memory-md", "claude-code-memory-md"):
        document = registry.export(adapter, entries)
        found = registry.adapt(adapter, document["text"])
        wanted = sorted(((f"{e['track']}/{e['scope']}", e["text"]) for e in entries), key=lambda pair: pair[0])
        assert [(item["tags"][0], item["text"]) for item in found] == wanted
        again = registry.export(adapter, found)["text"]
        assert registry.export(adapter, registry.adapt(adapter, again))["text"] == again


@settings(max_examples=100, deadline=None)
@given(entries=st.lists(with_fields(text=texts, tags=st.lists(lines, unique=True, max_size=3)), max_size=8))
def test_mem0_brings_back_every_text_and_tag(entries):
    registry = built_in()
    found = registry.adapt("mem0", registry.export("mem0", entries))
    assert [(item["text"], item["tags"]) for item in found] == [(e["text"], e["tags"]) for e in entries]
