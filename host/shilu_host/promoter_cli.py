"""`promoter`: the flags of dsh-unified-agent-memory's promoter over the same functions as `shilu`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from shilu_core.errors import UsageError

from shilu_host.cli import run
from shilu_host.context import Context


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `promoter`; without an action it reviews."""
    parser = argparse.ArgumentParser(prog="promoter", description="review, decide and apply what agents submitted")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--review", action="store_true", help="judge what waits (default)")
    action.add_argument("--apply", action="store_true", help="write what is ticked in the last shown review")
    action.add_argument("--auto", action="store_true", help="review, then apply unflagged new facts; all else waits")
    action.add_argument("--adjudicate", action="store_true", help="rule on what waits, one key a decision")
    action.add_argument("--repair-existing", action="store_true", help="hygiene of existing notes (comes later)")
    action.add_argument("--cron", action="store_true", help="the daily review as a scheduled task")
    parser.add_argument("--dry-run", action="store_true", help="with --apply or --auto: write nothing")
    parser.add_argument("--json", action="store_true", help="with --review: the whole review as JSON")
    given = list(sys.argv[1:] if arguments is None else arguments)
    return run(parser, _act, given, "promoter")


def _act(arguments: argparse.Namespace, context: Context) -> int:
    from shilu_host.commands import adjudicate, apply, review

    if arguments.repair_existing:
        raise UsageError("--repair-existing is not there yet; the notes were left alone")
    if arguments.cron:
        return _schedule(arguments, context)
    if arguments.adjudicate:
        return adjudicate.run(arguments, context)
    if arguments.auto and not arguments.dry_run:
        arguments.json = False
        review.run(arguments, context)
    if arguments.apply or arguments.auto:
        return apply.run(arguments, context)
    return review.run(arguments, context)


def _schedule(arguments: argparse.Namespace, context: Context) -> int:
    """The regular runs that are due, each once a period, whoever else (the daemon) looks at the clock, too."""
    from shilu_host import clockwork

    done = clockwork.run_due(context)
    for entry, outcome in done:
        said = clockwork.outcome_text(outcome, context)
        context.tell("run-made", job=context.text(f"job-{entry.job.name}"), slot=entry.slot, outcome=said)
    for line in clockwork.lines(context) if not done else []:
        context.say(clockwork.told(line, context))
    return 1 if any(not outcome.startswith(clockwork.DONE) for _, outcome in done) else 0


if __name__ == "__main__":
    sys.exit(main())
