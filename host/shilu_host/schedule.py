"""Which regular run is due: a pure function of the clock and of what ran already, and the file that
remembers.

A run belongs to a slot, the last moment it was due. One that was missed (machine off, daemon down) is due at
the next look, once, however many slots were missed. A slot never runs twice: not with two daemons, nor after
the clock was set back. Times are local wall-clock times, as people mean them ("at nine"); a slot is named by
its date.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from filelock import FileLock
from shilu_core.files import make_folder, replace_whole
from shilu_core.platforms import process_is_alive

CLOCK_TOLERANCE = timedelta(days=14)
"""A slot recorded further ahead than this comes from a clock that was wrong then, and no longer holds runs
back. Within it, a clock set back waits until it has caught up; two weeks bound how long a wrong clock can
delay a review."""

REMEMBERED = 60
"""Slots kept per job: more than the tolerance holds of daily ones, so that a clock set back finds what
ran."""

LOCK_SECONDS = 10.0


@dataclass(frozen=True)
class Job:
    """Something to run every day, or every week on one weekday (Monday is 0), at an hour of the day."""

    name: str
    command: tuple[str, ...]  # of `shilu`
    hour: int
    weekday: int | None = None
    tells: bool = False  # its last line says what it found, and is kept with the outcome

    @property
    def period(self) -> timedelta:
        return timedelta(days=1 if self.weekday is None else 7)


JOBS: tuple[Job, ...] = (
    # In working hours: a machine at home sleeps at night, and somebody is there to read the review.
    Job("review", ("review",), hour=9),
    Job("forgetting", ("forget", "--scan"), hour=10, weekday=0, tells=True),
    Job("hygiene", ("doctor",), hour=11, weekday=0, tells=True),
)


@dataclass(frozen=True)
class Ran:
    """One slot of a job: who took it when, and whether it ended."""

    slot: str  # ISO date
    began: str
    pid: int
    ended: bool = False
    outcome: str = ""


@dataclass(frozen=True)
class Due:
    """A run to make now, and how many earlier slots went by without one."""

    job: Job
    slot: date
    missed: int


Record = Mapping[str, tuple[Ran, ...]]


def slot_of(job: Job, now: datetime) -> date:
    """The date of the last moment at which the job was due."""
    day = now.date() if now.time() >= time(job.hour) else now.date() - timedelta(days=1)
    return day if job.weekday is None else day - timedelta(days=(day.weekday() - job.weekday) % 7)


def due(jobs: Sequence[Job], record: Record, now: datetime) -> tuple[Due, ...]:
    """The runs to make at `now`, at most one a job."""
    found = (_due(job, record.get(job.name, ()), now) for job in jobs)
    return tuple(entry for entry in found if entry is not None)


def _due(job: Job, ran: Sequence[Ran], now: datetime) -> Due | None:
    slot = slot_of(job, now)
    ended = {date.fromisoformat(entry.slot) for entry in ran}
    held = [day for day in ended if slot <= day <= slot + CLOCK_TOLERANCE]
    if held:
        return None
    earlier = [day for day in ended if day < slot]
    missed = (slot - max(earlier)) // job.period - 1 if earlier else 0
    return Due(job, slot, missed)


def next_time(job: Job, now: datetime) -> datetime:
    """When the job is due next, if nothing is missed now."""
    slot = slot_of(job, now) + job.period
    return datetime.combine(slot, time(job.hour), now.tzinfo)


@dataclass(frozen=True)
class Line:
    """One job for `status`."""

    job: Job
    last: Ran | None
    next: datetime
    due: bool


@dataclass(frozen=True)
class Schedule:
    """The record of one vault's runs, in its state folder; several processes may use it at once."""

    path: Path
    jobs: tuple[Job, ...] = field(default=JOBS)

    def take(self, now: datetime, pid: int) -> tuple[Due, ...]:
        """The runs that are due, taken for this process: nobody else gets them.

        A run that another process took and left unfinished when it died is due again.
        """
        with self._locked():
            record = self._begun(_without_the_dead(self._read()), now, pid)
            found = due(self.jobs, record, now)
            for entry in found:
                began = Ran(entry.slot.isoformat(), now.isoformat(timespec="seconds"), pid)
                record[entry.job.name] = (*record.get(entry.job.name, ()), began)[-REMEMBERED:]
            self._write(record)
            return found

    def end(self, entry: Due, outcome: str) -> None:
        """Records that a taken run ended, and how."""
        with self._locked():
            record = self._read()
            slot = entry.slot.isoformat()
            record[entry.job.name] = tuple(
                replace(ran, ended=True, outcome=outcome) if ran.slot == slot else ran
                for ran in record.get(entry.job.name, ())
            )
            self._write(record)

    def lines(self, now: datetime) -> list[Line]:
        """Every job with its last run and its next time."""
        record = _without_the_dead(self._read())
        waiting = {entry.job.name for entry in due(self.jobs, record, now)}
        return [Line(job, self._last(record, job), next_time(job, now), job.name in waiting) for job in self.jobs]

    def _last(self, record: Record, job: Job) -> Ran | None:
        real = [ran for ran in record.get(job.name, ()) if ran.pid]
        return real[-1] if real else None

    def _begun(self, record: dict[str, tuple[Ran, ...]], now: datetime, pid: int) -> dict[str, tuple[Ran, ...]]:
        """A weekly job seen for the first time starts from the present slot: nothing is tidied up on day one."""
        for job in self.jobs:
            if job.weekday is not None and not record.get(job.name):
                slot = slot_of(job, now).isoformat()
                record[job.name] = (Ran(slot, now.isoformat(timespec="seconds"), 0, True, "first look"),)
        return record

    def _locked(self) -> FileLock:
        make_folder(self.path.parent, private=True)
        return FileLock(self.path.with_suffix(".lock"), timeout=LOCK_SECONDS)

    def _read(self) -> dict[str, tuple[Ran, ...]]:
        """What is remembered; a file that is missing or damaged counts as a first look."""
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
            return {name: tuple(_ran(entry) for entry in entries) for name, entries in data["jobs"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}

    def _write(self, record: Record) -> None:
        jobs = {name: [vars(ran) for ran in entries] for name, entries in record.items()}
        text = json.dumps({"version": 1, "jobs": jobs}, indent=1)
        replace_whole(self.path, text.encode("utf-8"), private=True)


def _ran(entry: dict[str, Any]) -> Ran:
    date.fromisoformat(entry["slot"])
    return Ran(**entry)


def _without_the_dead(record: dict[str, tuple[Ran, ...]]) -> dict[str, tuple[Ran, ...]]:
    """The record without runs that began, never ended, and whose process is gone."""
    return {
        name: tuple(ran for ran in entries if ran.ended or process_is_alive(ran.pid))
        for name, entries in record.items()
    }
