"""The two reports of a memory: how full it is (7.7), and what a session should still do (section 10)."""

from __future__ import annotations

from shilu_host.mm import disk
from shilu_host.mm.budgets import index_usage, percentage
from shilu_host.mm.options import Options
from shilu_host.mm.paths import Root
from shilu_host.mm.uris import uri_for
from shilu_host.mm.values import (
    Anomalies,
    BudgetReport,
    DetailTotals,
    IndexEntry,
    NudgeReport,
    SearchChoice,
    State,
    TopicBudget,
)


def budget_report(root: Root, options: Options, state: State, age_ms: int) -> BudgetReport:
    """The report on the root as it is on disk now; `state` tells of the session."""
    text = disk.read_index(root)
    entries = sorted(disk.index_entries(root, text, options.memory_id), key=lambda entry: entry.topic)
    sizes = [_size(root, entry) for entry in entries]
    pairs = zip(entries, sizes, strict=True)
    budgets = tuple(_topic_budget(entry, size or 0, options) for entry, size in pairs)
    characters, total = sum(entry.body_chars for entry in entries), sum(size or 0 for size in sizes)
    return BudgetReport(
        root=state.root,
        memory_id=options.memory_id,
        loaded_at=state.loaded_at or "",
        snapshot_age_ms=age_ms,
        pending_writes=state.pending_writes,
        index=index_usage(text, options),
        detail=DetailTotals(len(entries), characters, total, options.detail_max_bytes),
        per_topic=budgets,
        anomalies=Anomalies(sizes.count(None), disk.orphans(root, entries)),
        search=SearchChoice(options.search_mode, state.engine),
    )


def _size(root: Root, entry: IndexEntry) -> int | None:
    """Bytes of the detail file, None where it is missing."""
    path = root.locate(entry.file)
    with disk.reported(f"measure {path}"):
        return path.stat().st_size if path.is_file() else None


def _topic_budget(entry: IndexEntry, size: int, options: Options) -> TopicBudget:
    budget = entry.write_budget or options.default_write_budget
    uri = uri_for(options.memory_id, entry.topic)
    used = percentage(entry.body_chars, budget)
    return TopicBudget(entry.topic, uri, entry.body_chars, size, budget, used)


def nudge_report(at: str, pending: int, notes: int, over_budget: bool) -> NudgeReport:
    """The actions that apply, in the order of 10.1; the last one always does."""
    actions = []
    if pending:
        actions.append(f"commit {pending} staged writes: they are on disk and load with the next session")
    if not notes:
        actions.append("no memories yet: keep what should last with mem_write")
    if over_budget:
        actions.append("index over budget: merge or delete entries of MEMORY.md (mem_budget has the figures)")
    actions.append("mem_digest proposes memories from the newest session log")
    return NudgeReport(at, pending, notes, over_budget, pending > 0 or over_budget, tuple(actions))
