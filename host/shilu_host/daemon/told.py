"""What `shilu status` tells about the daemon and about what keeps a harness from recalling."""

from __future__ import annotations

import json
import os

from shilu_setup.detecting import detect
from shilu_setup.errors import SetupError
from shilu_setup.folders import Home, Parts
from shilu_setup.wiring import Setting

from shilu_host.client import call as client
from shilu_host.client import hook
from shilu_host.context import Context
from shilu_host.daemon.places import Places, read_pointer

ANSWER_SECONDS = 2.0


def daemon_line(context: Context) -> str:
    """Whether the vault's daemon runs, and the last thing a hook was told, with its reason."""
    found = read_pointer(Places(context.state, context.vault_state).pointer)
    if found is None:
        return "not running (a hook or tool starts it: shilu daemon start)"
    call = hook.Call(["--state", str(context.state), "--vault", str(context.vault.folder)])
    try:
        status, body = client.ask_running(call, "GET", "/status", wait=ANSWER_SECONDS)
    except client.NoDaemon:
        return f"pid {found.pid} does not answer (end it: shilu daemon stop)"
    told = json.loads(body) if status == 200 else {}
    last = told.get("recall", {}).get("last")
    recalled = f"last recall: {last['reason']} - {last['meaning']} ({last['harness']})" if last else "no recall yet"
    warnings = "".join(f"; warning: {warning}" for warning in told.get("warnings", ()))
    return f"pid {found.pid}, port {found.port or 'off'}; {recalled}{warnings}"


def harness_lines(context: Context) -> list[str]:
    """What stands in the way of harnesses that are here, such as a hook that Codex does not trust yet."""
    home = Home.of(None, {**os.environ, **context.environment})
    try:
        found = detect(Setting(home, Parts.find(), context.language))
    except (SetupError, OSError) as error:
        return [f"can't be looked at: {error}"]
    return [f"{row.harness.title}: {finding}" for row in found for finding in row.findings if _is_wired(row.files)]


def _is_wired(files: tuple[object, ...]) -> bool:
    """Whether a hook of ours stands in some file of the harness."""
    return any(getattr(file, "state", "") in ("wired", "outdated") for file in files)
