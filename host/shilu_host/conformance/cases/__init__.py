"""The case set, by theme; its order is the order of the report."""

from __future__ import annotations

from shilu_host.conformance.case import Case
from shilu_host.conformance.cases import approvals, entries, exchange, mm, reads, store, writes

THEMES: dict[str, list[Case]] = {
    "entries": entries.CASES,
    "writes": writes.CASES,
    "approvals": approvals.CASES,
    "reads": reads.CASES,
    "exchange": exchange.CASES,
    "store": store.CASES,
    "mm": mm.CASES,
}
CASES: tuple[Case, ...] = tuple(case for cases in THEMES.values() for case in cases)
