"""What is asked of the judge, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from shilu_core.facts import Fact

Verdict = Literal["new", "duplicate", "conflict", "supersede", "refused"]
Operation = Literal["add", "replace", "retract"]
Category = Literal["prefs", "env", "rules", "tools", "ui", "coord", "project", "other"]


@dataclass(frozen=True)
class Submitted:
    """One fact of one submission, as it stands in the inbox; `line` counts from 1 in the file."""

    text: str
    submission: str  # file name
    digest: str  # sha256 of the file's bytes, hex
    line: int
    agent: str = ""
    session: str = ""
    workspace: str = ""
    tags: tuple[str, ...] = ()
    target: str = ""  # note or document id that the submitter asks for
    operation: Operation = "add"
    fact: str = ""  # id of the fact that is replaced or retracted


@dataclass(frozen=True)
class Flag:
    """Why an item needs a decision of its own; no list consent, `--auto` or policy covers a flagged item."""

    kind: Literal["hidden-instruction", "hidden-character", "low-confidence", "unknown-target", "returned"]
    detail: str  # for a person, hidden characters made visible


@dataclass(frozen=True)
class Near:
    """A stored fact that resembles the submitted one; `similarity` is 0 to 1."""

    fact: Fact
    similarity: float


@dataclass(frozen=True)
class FormerValue:
    """A value that was rejected, retracted or superseded before."""

    text: str
    fate: Literal["rejected", "retracted", "superseded"]
    when: str  # ISO date


@dataclass(frozen=True)
class Judgement:
    """How one submitted fact relates to what is known.

    `target` is the stored fact concerned, `earlier` the index in the batch of the earlier line concerned;
    at most one of both is set, and none for `new` and `refused`.
    """

    verdict: Verdict
    reason: str  # one sentence for a person, in the vault's language
    confidence: float = 1.0  # 0 to 1
    target: Fact | None = None
    earlier: int | None = None
    category: Category = "other"
    note: str = ""  # id of the note that the fact belongs in
    flags: tuple[Flag, ...] = ()
    nearest: tuple[Near, ...] = ()
    evidence: Mapping[str, str] = field(default_factory=dict)  # what was compared, for `--json`
