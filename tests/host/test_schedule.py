"""The scheduler with a false clock: every run exactly once, however the clock and the machine behave."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shilu_host.schedule import Job, Schedule, due, next_time, slot_of

DAILY = Job("review", ("review",), hour=9)
WEEKLY = Job("hygiene", ("doctor",), hour=11, weekday=0)
MONDAY = datetime(2026, 11, 30, 8, 0)
DEAD = 2**22 + 1  # above the largest process id of Linux


@pytest.fixture
def schedule(tmp_path: Path) -> Schedule:
    made = Schedule(tmp_path / "state" / "schedule.json", (DAILY, WEEKLY))
    assert look(made, MONDAY) == [("review", "2026-11-29", 0)]
    return made


def look(schedule: Schedule, now: datetime) -> list[tuple[str, str, int]]:
    """What is due at that time, taken and ended."""
    taken = schedule.take(now, os.getpid())
    for entry in taken:
        schedule.end(entry, "done")
    return [(entry.job.name, entry.slot.isoformat(), entry.missed) for entry in taken]


def test_nothing_runs_before_its_hour_and_once_after_it(schedule: Schedule) -> None:
    assert look(schedule, datetime(2026, 11, 30, 8, 59)) == []
    assert look(schedule, datetime(2026, 11, 30, 9, 0)) == [("review", "2026-11-30", 0)]
    assert look(schedule, datetime(2026, 11, 30, 9, 1)) == []
    assert look(schedule, datetime(2026, 11, 30, 23, 59)) == [("hygiene", "2026-11-30", 0)]
    assert look(schedule, datetime(2026, 12, 1, 9, 0)) == [("review", "2026-12-01", 0)]


def test_a_missed_day_is_made_up_at_the_next_start_once(schedule: Schedule) -> None:
    look(schedule, datetime(2026, 11, 30, 12, 0))
    assert look(schedule, datetime(2026, 12, 2, 7, 30)) == [("review", "2026-12-01", 0)]
    assert look(schedule, datetime(2026, 12, 2, 8, 0)) == []
    assert look(schedule, datetime(2026, 12, 2, 9, 0)) == [("review", "2026-12-02", 0)]


def test_a_missed_week_is_one_run_of_each_that_tells_how_many_were_missed(schedule: Schedule) -> None:
    look(schedule, datetime(2026, 11, 30, 12, 0))
    back = datetime(2026, 12, 15, 14, 0)
    assert look(schedule, back) == [("review", "2026-12-15", 14), ("hygiene", "2026-12-14", 1)]
    assert look(schedule, back) == []


@pytest.mark.parametrize("days", [1, 3, 8, 13])
def test_a_clock_set_back_runs_nothing_twice_and_goes_on_when_it_has_caught_up(schedule: Schedule, days: int) -> None:
    look(schedule, datetime(2026, 11, 30, 12, 0))
    look(schedule, datetime(2026, 12, 20, 12, 0))
    assert look(schedule, datetime(2026, 12, 20, 12, 0) - timedelta(days=days)) == []
    assert look(schedule, datetime(2026, 12, 20, 13, 0)) == []
    assert look(schedule, datetime(2026, 12, 21, 9, 30)) == [("review", "2026-12-21", 0)]


def test_a_clock_that_was_years_ahead_does_not_hold_the_runs_back_for_years(schedule: Schedule) -> None:
    look(schedule, datetime(2031, 1, 1, 12, 0))
    now = datetime(2026, 12, 1, 9, 0)
    assert look(schedule, now) == [("review", "2026-12-01", 1), ("hygiene", "2026-11-30", 0)]
    assert look(schedule, datetime(2026, 12, 1, 9, 5)) == []
    assert look(schedule, datetime(2026, 12, 2, 9, 5)) == [("review", "2026-12-02", 0)]


def test_the_hour_that_summer_time_repeats_runs_nothing_twice(schedule: Schedule) -> None:
    look(schedule, datetime(2026, 11, 30, 12, 0))
    assert look(schedule, datetime(2026, 12, 1, 9, 30)) == [("review", "2026-12-01", 0)]
    assert look(schedule, datetime(2026, 12, 1, 8, 45)) == []
    assert look(schedule, datetime(2026, 12, 1, 9, 15)) == []


def test_a_run_that_died_midway_is_made_again_and_one_that_goes_on_is_not(schedule: Schedule) -> None:
    now = datetime(2026, 11, 30, 9, 30)
    assert [entry.slot for entry in schedule.take(now, DEAD)] == [date(2026, 11, 30)]
    assert [entry.slot for entry in schedule.take(now, os.getpid())] == [date(2026, 11, 30)]
    assert schedule.take(now, os.getpid()) == ()


def test_a_damaged_record_counts_as_a_first_look_a_review_and_nothing_weekly(schedule: Schedule) -> None:
    schedule.path.write_text("{torn")
    assert look(schedule, datetime(2026, 11, 30, 12, 30)) == [("review", "2026-11-30", 0)]
    assert look(schedule, datetime(2026, 12, 1, 9, 30)) == [("review", "2026-12-01", 0)]


def test_two_daemons_that_look_at_once_share_the_runs(schedule: Schedule) -> None:
    """Eight real processes, one moment: one of them gets the run."""
    code = (
        "import sys, os; from pathlib import Path; from datetime import datetime\n"
        "from shilu_host.schedule import Job, Schedule\n"
        "jobs = (Job('review', ('review',), hour=9),)\n"
        "taken = Schedule(Path(sys.argv[1]), jobs).take(datetime(2026, 12, 1, 9, 30), int(sys.argv[2]))\n"
        "print(len(taken), end='')\n"
    )
    line = [sys.executable, "-c", code, str(schedule.path), str(os.getpid())]
    racing = [subprocess.Popen(line, stdout=subprocess.PIPE) for _ in range(8)]
    assert sorted(process.communicate()[0] for process in racing) == [b"0"] * 7 + [b"1"]


def test_status_tells_the_last_run_and_the_next(schedule: Schedule) -> None:
    look(schedule, datetime(2026, 11, 30, 9, 30))
    [review, hygiene] = schedule.lines(datetime(2026, 11, 30, 10, 0))
    assert review.last is not None and (review.last.began, review.last.outcome) == (
        "2026-11-30T09:30:00",
        "done",
    )
    assert (review.next, review.due) == (datetime(2026, 12, 1, 9, 0), False)
    assert (hygiene.last, hygiene.next) == (None, datetime(2026, 11, 30, 11, 0))


@given(st.lists(st.integers(1, 80), min_size=1, max_size=60))
@settings(deadline=None)
def test_whenever_the_daemon_looks_every_slot_runs_at_most_once_and_the_newest_always(
    hours: list[int],
) -> None:
    ran: dict[str, list[date]] = {
        DAILY.name: [slot_of(DAILY, MONDAY)],
        WEEKLY.name: [slot_of(WEEKLY, MONDAY)],
    }
    now = MONDAY
    for step in hours:
        now += timedelta(hours=step)
        record = {name: tuple(_ended(slot) for slot in slots) for name, slots in ran.items()}
        for entry in due((DAILY, WEEKLY), record, now):
            ran[entry.job.name].append(entry.slot)
        for job in (DAILY, WEEKLY):
            assert ran[job.name][-1] == slot_of(job, now)
            assert next_time(job, now) > now
    assert all(len(set(slots)) == len(slots) for slots in ran.values())


def _ended(slot: date):
    from shilu_host.schedule import Ran

    return Ran(slot.isoformat(), "", 0, True, "done")
