"""Labelled cases for the judge: reading them, and the figures that are published."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

OWN = Path(__file__).parent / "data" / "judge"


@dataclass(frozen=True)
class Case:
    """One line of an `adjudication*.jsonl`; `theme` is the id without its last part."""

    id: str
    lang: str
    existing: tuple[str, ...]
    new: str
    verdict: str
    target: int | None
    accept: tuple[str, ...]
    why: str

    @property
    def theme(self) -> str:
        return self.id.rsplit("-", 1)[0]

    def is_right(self, verdict: str, target: int | None) -> bool:
        return (verdict, target) == (self.verdict, self.target) or verdict in self.accept


@dataclass(frozen=True)
class Figures:
    """Percentages over cases: right, anything else judged duplicate, a contradiction judged new."""

    cases: int
    right: float
    wrong_duplicate: float
    missed: float

    def __str__(self) -> str:
        return (
            f"{self.cases:4d} cases  right {self.right:5.1f} %  "
            f"wrong duplicate {self.wrong_duplicate:4.1f} %  "
            f"conflict or supersession judged new {self.missed:4.1f} %"
        )


def adjudication(folder: Path) -> list[Case]:
    """The cases of all `adjudication*.jsonl` of a folder."""
    cases = []
    for path in sorted(folder.glob("adjudication*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            cases.append(
                Case(
                    row["id"], row["lang"], tuple(row["existing"]), row["new"], row["verdict"], row["target"],
                    tuple(row.get("accept", ())), row.get("why", ""),
                )
            )  # fmt: skip
    return cases


def batches(folder: Path) -> list[dict[str, object]]:
    """The cases of `batch.jsonl`."""
    path = folder / "batch.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def figures(cases: Sequence[Case], found: Sequence[tuple[str, int | None]]) -> Figures:
    """What share of `found` (verdict, target) is right, and of which kind the dangerous misses are."""
    right = [case.is_right(*answer) for case, answer in zip(cases, found, strict=True)]
    others = [at for at, case in enumerate(cases) if case.verdict != "duplicate"]
    against = [at for at, case in enumerate(cases) if case.verdict in ("conflict", "supersede")]
    return Figures(
        len(cases),
        _percent(right),
        _percent([found[at][0] == "duplicate" and not right[at] for at in others]),
        _percent([found[at][0] == "new" and not right[at] for at in against]),
    )


def _percent(flags: Iterable[bool]) -> float:
    listed = list(flags)
    return 100.0 * sum(listed) / max(1, len(listed))


def confusion(expected: Sequence[str], found: Sequence[str]) -> str:
    """A table: expected verdicts down, found ones across."""
    counts = Counter(zip(expected, found, strict=True))
    names = ("new", "duplicate", "conflict", "supersede")
    lines = ["expected \\ found".ljust(18) + "".join(name.rjust(11) for name in names)]
    lines += [row.ljust(18) + "".join(str(counts[row, name]).rjust(11) for name in names) for row in names]
    return "\n".join(lines)
