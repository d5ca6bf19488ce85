"""The table of a guard's hits and misses by kind, as `injection.py` and `secret_cases.py` print it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Judged:
    """One case: whether it is what the guard looks for, whether it was found, and how a miss is shown."""

    kind: str
    is_one: bool
    found: bool
    shown: str


def print_table(path: Path, cases: Iterable[Judged], *, found: str, passed: str, misses: bool) -> None:
    """Hits and totals of both sides, by kind, under the titles `found` and `passed`; `misses` adds every miss."""
    by_kind: dict[tuple[bool, str], list[bool]] = defaultdict(list)
    missed: list[str] = []
    for case in cases:
        by_kind[case.is_one, case.kind].append(case.found == case.is_one)
        if case.found != case.is_one:
            missed.append(f"  {'missed' if case.is_one else 'false alarm'} {case.kind}: {case.shown}")
    print(f"\n{path}")
    for truth, title in ((True, found), (False, passed)):
        rows = {kind: hits for (is_one, kind), hits in by_kind.items() if is_one == truth}
        total = [hit for hits in rows.values() for hit in hits]
        print(f"  {title}: {sum(total)} of {len(total)}")
        print("    " + "  ".join(f"{kind} {sum(hits)}/{len(hits)}" for kind, hits in sorted(rows.items())))
    if misses:
        print("\n".join(missed))
