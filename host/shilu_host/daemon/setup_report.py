"""The tool `memory_setup`: how agent programs are wired to this memory, and what a person could run next."""

from __future__ import annotations

import os
import sys

from shilu_setup.detecting import detect
from shilu_setup.errors import SetupError
from shilu_setup.folders import Home, Parts
from shilu_setup.wiring import Setting

from shilu_host.daemon.service import Service


def setup_report(service: Service) -> str:
    """A report and proposals as text; changes nothing."""
    layout = service.vault.layout.language
    lines = [f"vault: {service.vault.folder} (layout {layout})", f"python: {sys.executable}", *_harnesses(layout)]
    lines += ["", "A person may run:", "  shilu deploy preview", "  shilu deploy apply", "  shilu status"]
    return "\n".join(lines)


def _harnesses(language: str) -> list[str]:
    try:
        found = detect(Setting(Home.of(None, os.environ), Parts.find(), language))
    except (SetupError, OSError) as error:
        return [f"harnesses can't be looked at: {error}"]
    here = [row for row in found if row.presence.here]
    lines = [f"{row.harness.title} {row.presence.version}: {'wired' if row.wired else 'not wired'}" for row in here]
    return [*lines, *(f"note: {row.harness.title}: {finding}" for row in here for finding in row.findings)]
