"""Makes the runs that the schedule says are due: in the daemon every minute, or once from cron."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from datetime import datetime
from pathlib import Path

from shilu_host import log
from shilu_host.context import Context
from shilu_host.schedule import Due, Job, Line, Schedule

LOOK_SECONDS = 60.0
"""How often the daemon looks at the clock; a run is at most this late."""

DONE = "done"  # how the outcome of a run that went well begins

RUN_SECONDS = 1800
"""How long one run may take; a review of a thousand submissions takes half a minute."""


def schedule_of(context: Context) -> Schedule:
    """The schedule of the context's vault."""
    return Schedule(context.vault_state / "schedule.json")


def run_due(context: Context) -> list[tuple[Due, str]]:
    """Makes every run that is due now and nobody else has taken; returns them with their outcomes."""
    schedule = schedule_of(context)
    done = []
    for entry in schedule.take(context.now(), os.getpid()):
        outcome = _run(context, entry.job)
        schedule.end(entry, outcome)
        words = f"{entry.job.name} of {entry.slot}: {outcome}, missed before: {entry.missed}"
        log.write(context.state, "schedule", words)
        done.append((entry, outcome))
    return done


def lines(context: Context) -> list[Line]:
    """Every job with its last run and its next time, for `status`."""
    return schedule_of(context).lines(context.now())


def told(line: Line, context: Context) -> str:
    """One line of `status`, for a person."""
    last = context.text("run-never")
    if line.last:
        outcome = outcome_text(line.last.outcome, context) if line.last.outcome else context.text("run-running")
        last = context.text("run-last", began=_minutes(datetime.fromisoformat(line.last.began)), outcome=outcome)
    then = context.text("run-due") if line.due else context.text("run-next", when=_minutes(line.next))
    return context.text("run-line", job=context.text(f"job-{line.job.name}"), last=last, next=then)


def outcome_text(outcome: str, context: Context) -> str:
    """How a run ended, for a person; what a failed one said is an error message, and stays as it is."""
    return context.text("run-done") + outcome.removeprefix(DONE) if outcome.startswith(DONE) else outcome


class Clockwork:
    """A thread of the daemon that looks at the clock; a failure is logged and the next look goes on."""

    def __init__(self, context: Context, *, every: float = LOOK_SECONDS) -> None:
        self._context = context
        self._every = every
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._turn, name="clockwork", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread; a run that is being made goes on in its own process."""
        self._ended.set()

    def _turn(self) -> None:
        while not self._ended.wait(self._every):
            try:
                run_due(self._context)
            except Exception as error:  # the daemon's other work must not end with a full disk here
                log.write(self._context.state, "schedule", f"{type(error).__name__}: {error}")


def _run(context: Context, job: Job) -> str:
    """One command of ours in a process of its own, so that it can neither block nor end the daemon."""
    argv = [sys.executable, "-m", "shilu_host", *job.command, "--vault", str(Path(context.vault.folder))]
    folders = {"SHILU_STATE_DIR": str(context.state), "SHILU_CACHE_DIR": str(context.cache)}
    environment = {**context.environment, **folders}
    try:
        done = subprocess.run(
            argv,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=RUN_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"ended after {RUN_SECONDS} s"
    except OSError as error:
        return f"could not start: {error.strerror}"
    if done.returncode:
        return f"exit {done.returncode}: {_last_line(done.stderr) or 'no word'}"
    return f"{DONE}: {_last_line(done.stdout)}" if job.tells else DONE


def _last_line(said: bytes) -> str:
    return (said.decode("utf-8", "replace").strip().splitlines() or [""])[-1]


def _minutes(when: datetime) -> str:
    return when.isoformat(sep=" ", timespec="minutes")
