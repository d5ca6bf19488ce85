"""Runs the case set against a command, each case on a fresh store in a fresh folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from shilu_host.conformance.case import Bench, Case, Mismatch
from shilu_host.conformance.channel import Silent
from shilu_host.conformance.client import Failure, Violation


@dataclass(frozen=True)
class Finding:
    """What a case came to; `reason` is empty where it passed."""

    case: Case
    reason: str

    @property
    def passed(self) -> bool:
        return not self.reason


def run(command: Sequence[str], cases: Sequence[Case], jobs: int = 1) -> Iterator[Finding]:
    """The findings, in the order of the cases; `jobs` cases run at a time."""
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda case: _finding(command, case), cases)


def _finding(command: Sequence[str], case: Case) -> Finding:
    folder = Path(tempfile.mkdtemp(prefix="conformance-"))
    try:
        return Finding(case, _reason(case, Bench(command, folder)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _reason(case: Case, bench: Bench) -> str:
    try:
        case.run(bench)
        return ""
    except (Mismatch, Violation, Silent) as error:
        return str(error)
    except Failure as failure:
        return f"unexpected error: {failure}"
    except (KeyError, TypeError, IndexError, AttributeError, OSError, ValueError) as error:
        return f"an answer of another shape than the surface lays down ({type(error).__name__}: {error})"
    finally:
        with suppress(OSError):
            bench.end()
