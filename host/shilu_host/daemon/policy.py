"""The written policy: which waiting items may be decided without a person, and how. Pure.

    [promote]
    mode = "review"        # review: never; new: unflagged new facts; auto: conflicts and supersessions, too
    conflicts = "ask"      # ask: never; newest: the new value stands; trusted: only from `trusted` agents
    trusted = ["codex"]
    [promote.categories.env]
    mode = "new"
    [promote.agents.codex]
    mode = "auto"

An agent's own row, and its place among the trusted, count only where its name is bound to the token of the channel
that the submission came through; a name in a dropped file is a claim. No policy covers a flagged item, a retraction or
a replacement by id, nor anything that a person has marked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from shilu_inbox.lists import ACCEPT, WAIT, Entry
from shilu_inbox.review import Item, Review

MODES = ("review", "new", "auto")
CONFLICTS = ("ask", "newest", "trusted")
Ruling = Literal["accept", "use-new"]


@dataclass(frozen=True)
class Rule:
    """What holds for one item."""

    mode: str = "review"
    conflicts: str = "ask"


@dataclass(frozen=True)
class Policy:
    """The table `[promote]`; `problems` tells what in it is no policy and counts as the careful value."""

    base: Rule = Rule()
    categories: Mapping[str, Mapping[str, Any]] = ()  # type: ignore[assignment]
    agents: Mapping[str, Mapping[str, Any]] = ()  # type: ignore[assignment]
    trusted: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()

    def rule(self, category: str, agent: str) -> Rule:
        """The rule for an item; `agent` is `""` unless its name is bound to the channel."""
        found = self.base
        for table, name in ((self.categories, category), (self.agents, agent)):
            if name and name in table:
                found = _rule(table[name], found)
        return found


@dataclass(frozen=True)
class Choice:
    """An item that the policy decides."""

    item: str
    ruling: Ruling


def read(table: Any) -> Policy:
    """The policy in a `[promote]` table of the configuration; anything unclear asks a person."""
    given = table if isinstance(table, dict) else {}
    categories, agents = (_tables(given.get(name)) for name in ("categories", "agents"))
    rows = {"promote": given, **{f"promote.{name}": row for name, row in [*categories.items(), *agents.items()]}}
    problems = tuple(
        f"[{name}] {key} = {row[key]!r} is none of {', '.join(known)}; {known[0]} is used"
        for name, row in rows.items()
        for key, known in (("mode", MODES), ("conflicts", CONFLICTS))
        if key in row and row[key] not in known
    )
    trusted = given.get("trusted")
    names = frozenset(map(str, trusted)) if isinstance(trusted, list) else frozenset()
    return Policy(_rule(given, Rule()), categories, agents, names, problems)


def _tables(value: Any) -> dict[str, dict[str, Any]]:
    return {str(name): row for name, row in value.items() if isinstance(row, dict)} if isinstance(value, dict) else {}


def _rule(row: Mapping[str, Any], under: Rule) -> Rule:
    mode, conflicts = row.get("mode", under.mode), row.get("conflicts", under.conflicts)
    return Rule(mode if mode in MODES else MODES[0], conflicts if conflicts in CONFLICTS else CONFLICTS[0])


def choose(policy: Policy, found: Review, entries: Sequence[Entry], bound: Mapping[str, str]) -> list[Choice]:
    """The items that the policy decides; `bound` is agent by submission name, for bound channels only."""
    listed = {entry.identity: entry for entry in entries}
    choices = []
    for item in found.items:
        entry = listed.get(item.id)
        if entry is None or item.judgement.flags or item.submitted.operation != "add":
            continue
        agent = bound.get(item.submitted.submission, "")
        ruling = _ruling(policy, item, entry, agent)
        if ruling is not None:
            choices.append(Choice(item.id, ruling))
    return choices


def _ruling(policy: Policy, item: Item, entry: Entry, agent: str) -> Ruling | None:
    rule = policy.rule(item.judgement.category, agent)
    if item.place == "pending" and item.is_ticked:
        return "accept" if rule.mode in ("new", "auto") and entry.mark == ACCEPT else None
    is_open = item.place == "conflict" and entry.mark == WAIT and not item.contested
    if not is_open or rule.mode != "auto":
        return None
    if rule.conflicts == "newest" or (rule.conflicts == "trusted" and agent in policy.trusted):
        return "use-new"
    return None
