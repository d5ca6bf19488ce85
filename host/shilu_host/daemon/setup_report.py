"""The tool `memory_setup`: how agent programs are wired to this memory, and what a person could run next."""

from __future__ import annotations

import sys

from shilu_setup import detecting
from shilu_setup.errors import SetupError

from shilu_host.daemon.service import Service


def setup_report(service: Service) -> str:
    """A report and proposals as text; changes nothing."""
    status = service.status(service.settings())
    lines = [
        f"vault: {status['vault']} (layout {status['layout']})",
        f"python: {sys.executable}",
        *_harnesses(),
    ]
    lines += ["", "A person may run:", "  shilu deploy detect", "  shilu deploy preview", "  shilu status"]
    return "\n".join(lines)


def _harnesses() -> list[str]:
    """What detect finds, one line a harness."""
    try:
        return ["agent programs:", *detecting.lines()]
    except SetupError as error:
        return [f"agent programs: {error}"]
