"""What a plan would change, shown: unified diffs, with values that look like credentials in the context
masked."""

from __future__ import annotations

import difflib
import re
import shlex
from typing import Any

from shilu_setup.plan import FilePlan, Plan

CONTEXT = 2
"""Unchanged lines around a change: enough to see where it lands, few of what else a settings file holds."""

_CREDENTIAL = re.compile(
    r"(?i)(\"?[\w.-]*(?:key|token|secret|password|passwd|credential|auth)[\w.-]*\"?\s*[:=]\s*)(\S.*)$"
)


def file_diff(before: str, after: str, name: str, *, existed: bool = True) -> str:
    """A unified diff; empty where nothing changes."""
    old, new = before.splitlines(), after.splitlines()
    start = name if existed else f"{name} (new)"
    lines = list(difflib.unified_diff(old, new, start, name, n=CONTEXT, lineterm=""))
    if not lines and before != after:
        return f"--- {start}\n+++ {name}\n(only line ends differ)"
    return "\n".join(_masked(line) for line in lines)


def show(plan: Plan) -> str:
    """The whole plan, for a person."""
    parts = [_shown(file) for file in plan.files]
    parts += [f"run: {command.program.name} {shlex.join(command.wiring.forth)}" for command in plan.commands]
    return "\n\n".join(parts)


def as_json(plan: Plan) -> dict[str, Any]:
    """The same for programs."""
    return {
        "files": [
            {"path": str(file.path), "new": file.snapshot.data is None, "diff": _shown(file)} for file in plan.files
        ],
        "commands": [[command.program.name, *command.wiring.forth] for command in plan.commands],
        "refusals": [str(error) for error in plan.refusals],
        "after": list(plan.after),
    }


def _shown(file: FilePlan) -> str:
    existed = file.snapshot.data is not None
    if file.format == "whole":
        kind = "replace" if existed else "write"
        return f"{kind} our file {file.path} ({len(file.text.encode())} bytes)"
    return file_diff(file.snapshot.text, file.text, str(file.path), existed=existed)


def _masked(line: str) -> str:
    return _CREDENTIAL.sub(r"\1***", line) if line.startswith(" ") else line
