"""What the vault's running daemon tells of itself, for the commands that print it."""

from __future__ import annotations

import json
from typing import Any

from shilu_host.client import call as client
from shilu_host.client import hook
from shilu_host.context import Context

ANSWER_SECONDS = 2.0


def running_status(context: Context) -> dict[str, Any]:
    """The daemon's `/status`, `{}` where it refuses to tell; raises NoDaemon where none answers."""
    call = hook.Call(["--state", str(context.state), "--vault", str(context.vault.folder)])
    status, body = client.ask_running(call, "GET", "/status", wait=ANSWER_SECONDS)
    told: dict[str, Any] = json.loads(body) if status == 200 else {}
    return told
