"""`shilu daemon start|stop|status|run`: the vault's resident process."""

from __future__ import annotations

import argparse
import json
import os
import signal
import time

from filelock import FileLock, Timeout
from shilu_core.errors import ShiluError
from shilu_core.platforms import process_is_alive

from shilu_host.client import call as client
from shilu_host.client import hook
from shilu_host.context import Context
from shilu_host.daemon.places import Places, Pointer, read_pointer
from shilu_host.daemon.told import last_recall

STOP_SECONDS = 4.0  # it promises 2; after this it is ended the hard way


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("step", choices=("start", "stop", "status", "run"), help="run stays in the foreground")
    parser.add_argument("--json", action="store_true", help="status as JSON")


def run(arguments: argparse.Namespace, context: Context) -> int:
    actions = {"start": _start, "stop": _stop, "status": _status, "run": _run}
    return actions[arguments.step](arguments, context)


def _run(arguments: argparse.Namespace, context: Context) -> int:
    from shilu_host.daemon.main import run as run_daemon

    return run_daemon(context, say=context.say)


def _start(arguments: argparse.Namespace, context: Context) -> int:
    found = _running(context)
    if found is not None and _answers(context):
        context.tell("daemon-runs-already", vault=found.vault, pid=found.pid)
        return 0
    if found is not None:
        raise ShiluError(
            f"the daemon of {found.vault} (pid {found.pid}) runs and does not answer; end it: shilu daemon stop"
        )
    for marker in context.state.glob("starting*"):  # a person asks: a start that failed a moment ago is tried again
        marker.unlink(missing_ok=True)
    try:
        client.request(_call(context), "GET", "/alive")
    except client.NoDaemon as error:
        raise ShiluError(f"{error}; the reason stands in {context.state / 'shilu.log'}") from None
    started = _running(context)
    context.tell("daemon-runs", vault=context.vault.folder, pid=started.pid if started else context.text("unknown"))
    return 0


def _stop(arguments: argparse.Namespace, context: Context) -> int:
    found = _known(context)
    if found is None:
        context.tell("daemon-none")
        return 0
    if not _signalled(found.pid, signal.SIGTERM):
        raise ShiluError(f"the daemon (pid {found.pid}) can't be ended by this user")
    deadline = time.monotonic() + STOP_SECONDS
    while _running(context) is not None:
        if time.monotonic() > deadline:
            _signalled(found.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
            context.tell("daemon-hung", pid=found.pid)
            return 0
        time.sleep(0.02)
    context.tell("daemon-ended", pid=found.pid)
    return 0


def _status(arguments: argparse.Namespace, context: Context) -> int:
    found = _running(context)
    if found is None:
        context.say('{"running": false}' if arguments.json else context.text("daemon-none"))
        return 1
    try:
        _, body = client.request(_call(context), "GET", "/status", wait=5.0)
    except client.NoDaemon:
        context.tell("daemon-hangs", pid=found.pid)
        return 1
    told = json.loads(body)
    if arguments.json:
        context.say(json.dumps({"running": True, **told}, ensure_ascii=False, indent=1))
        return 0
    port = found.port or context.text("off")
    context.tell("daemon-of", vault=told["vault"], pid=told["pid"], seconds=told["uptime_seconds"], port=port)
    for name, value in told["index"].items():
        context.say(f"  {name}: {value}")
    for warning in told["warnings"]:
        context.say(f"  {context.text('daemon-warning', warning=warning).lstrip('；; ')}")
    context.say(f"  {last_recall(told['recall']['last'], context)}")
    return 0


def _places(context: Context) -> Places:
    return Places(context.state, context.vault_state)


def _running(context: Context) -> Pointer | None:
    """The daemon that holds the lock, None where none does; a pointer that a dead one left counts for
    nothing."""
    places = _places(context)
    if not places.lock.exists():
        return None
    lock = FileLock(places.lock)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        found = read_pointer(places.pointer)
        return (
            found
            if found is not None and process_is_alive(found.pid)
            else Pointer("", 0, "", 0, 0, str(context.vault.folder))
        )
    lock.release()
    return None


def _known(context: Context) -> Pointer | None:
    """As `_running`, once it has said who it is: a daemon that has just been started holds the lock before that."""
    deadline = time.monotonic() + STOP_SECONDS
    while (found := _running(context)) is not None and not found.pid and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def _answers(context: Context) -> bool:
    try:
        return client.request(_call(context), "GET", "/alive", wait=2.0)[0] == 200
    except client.NoDaemon:
        return False


def _call(context: Context) -> hook.Call:
    return hook.Call(["--state", str(context.state), "--vault", str(context.vault.folder)])


def _signalled(pid: int, kind: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, kind)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return True
