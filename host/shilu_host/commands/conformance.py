"""`shilu conformance`: our case set against any command that speaks the JSON-RPC surface."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from shilu_core.errors import UsageError

from shilu_host.context import Context

if TYPE_CHECKING:
    from shilu_host.conformance.case import Case
    from shilu_host.conformance.run import Finding


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--provider", metavar="COMMAND", help='the provider, such as "shilu protocol serve --stdio"')
    parser.add_argument("--case", action="append", metavar="ID", default=[], help="only this case; may be repeated")
    parser.add_argument("--theme", action="append", metavar="NAME", default=[], help="only this theme, such as mm")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="cases at a time (default: the processors)"
    )
    parser.add_argument("--list", action="store_true", help="list the cases and run none")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(arguments: argparse.Namespace, context: Context) -> int:
    from shilu_host.conformance.case import command_line
    from shilu_host.conformance.cases import CASES, THEMES
    from shilu_host.conformance.run import run as run_cases

    unknown = sorted({*arguments.case} - {case.id for case in CASES} | {*arguments.theme} - set(THEMES))
    if unknown:
        raise UsageError(f"no case or theme {unknown[0]!r}; `shilu conformance --list` shows them")
    chosen: list[Case] = [case for name in arguments.theme for case in THEMES[name]]
    chosen += [case for case in CASES if case.id in arguments.case]
    cases = chosen or list(CASES)
    if arguments.list:
        for case in cases:
            context.say(f"{case.id:<22}{case.about:<10}{case.title}")
        return 0
    if not arguments.provider:
        raise UsageError('give the provider: --provider "shilu protocol serve --stdio"')
    found = run_cases(command_line(arguments.provider), cases, max(1, arguments.jobs))
    return _report(found, arguments.json, context)


def _report(found: Iterable[Finding], as_json: bool, context: Context) -> int:
    findings = []
    for finding in found:
        findings.append(finding)
        if not as_json:
            mark = "pass" if finding.passed else "FAIL"
            context.say(f"{mark}  {finding.case.id:<22}{finding.case.title}")
            if not finding.passed:
                context.say(f"      {finding.case.about}: {finding.reason}")
    failed = [finding for finding in findings if not finding.passed]
    if as_json:
        rows = [{"id": f.case.id, "about": f.case.about, "passed": f.passed, "reason": f.reason} for f in findings]
        context.say(
            json.dumps(
                {"passed": len(findings) - len(failed), "failed": len(failed), "cases": rows},
                ensure_ascii=False,
            )
        )
    else:
        context.say(f"{len(findings) - len(failed)} of {len(findings)} cases passed")
    return 1 if failed else 0
