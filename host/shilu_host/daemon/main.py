"""The daemon's life: take the lock, open, listen, watch, answer, end cleanly."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from filelock import FileLock, Timeout
from shilu_core.errors import ShiluError
from shilu_core.files import make_folder, remove, replace_whole
from shilu_core.ledger import Ledger, ledger_path
from shilu_core.vault import Vault

from shilu_host import log
from shilu_host.clockwork import Clockwork
from shilu_host.context import Context
from shilu_host.daemon.places import Places, Pointer, announce, forget, read_pointer, socket_path, withdraw
from shilu_host.daemon.promoter import Promoter
from shilu_host.daemon.service import Service, Shown, Wiring
from shilu_host.daemon.watch import Watcher
from shilu_host.embedders import embedder
from shilu_host.http.app import Api
from shilu_host.http.guard import Guard
from shilu_host.http.listener import listen_loopback, listen_unix, server
from shilu_host.http.tokens import Tokens
from shilu_host.turns.sessions import expire

SWITCH_SECONDS = 0.0005  # a question's vector is made beside the search, and its thread must not wait 5 ms for its turn
MARKER = "SHILU_START_MARKER"  # the file by which the client that started this process knows that it did
END_SECONDS = 1.5  # after the signal; below the 2 s that it promises


def run(context: Context, *, say: Callable[[str], None] = lambda text: None) -> int:
    """Runs the vault's daemon until it is told to end; 0 at once where one runs already."""
    places = Places(context.state, context.vault_state)
    make_folder(places.vault_state, private=True)
    lock = FileLock(places.lock)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        found = read_pointer(places.pointer)
        pid = found.pid if found else context.text("unknown")
        say(context.text("daemon-runs-already", vault=context.vault.folder, pid=pid))
        return 0
    try:
        forget(places, str(context.vault.folder))
        return Daemon(context, places, say).run()
    finally:
        lock.release()


class Daemon:
    """One run of the daemon, with everything that must be ended again."""

    def __init__(self, context: Context, places: Places, say: Callable[[str], None]) -> None:
        self._context, self._places, self._say = context, places, say
        self._vault: Vault = context.vault
        self._memory = ThreadPoolExecutor(1, "memory")
        self._writer = ThreadPoolExecutor(1, "ledger")
        self._ledger: Ledger | None = None
        self._tokens = Tokens(places.vault_state)
        wiring = Wiring(
            self._vault,
            context.config_file,
            context.environment,
            context.flags,
            context.state,
            context.vault_cache,
            lambda: embedder(context),
        )
        self._service = Service(wiring)
        self._watcher = Watcher(self._vault, self._changed, self._gone)
        self._clockwork = Clockwork(context)
        self._promoter = Promoter(context, self._service.inbox.told, self._log)
        self._port = self._limit = 0
        self._socket: Path | None = None
        self._is_ending = False

    def run(self) -> int:
        api = Api(self._service, self._memory, self._keep, self._end)
        self._server = server(Guard(api.app(), self._tokens, lambda: self._port))
        listeners, path = self._listen()
        self._socket = path
        self._announce(path)
        self._say(
            f"daemon of {self._vault.folder}: pid {os.getpid()}, http://127.0.0.1:{self._port}, socket {path or 'none'}"
        )
        sys.setswitchinterval(SWITCH_SECONDS)
        opening = self._memory.submit(self._open)
        try:
            asyncio.run(self._serve(listeners))
        finally:
            self._close()
        return 1 if opening.done() and opening.exception() else 0

    async def _serve(self, listeners: list[socket.socket]) -> None:
        for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), lambda *_: self._end())
        await self._server.serve(sockets=listeners)

    def _listen(self) -> tuple[list[socket.socket], Path | None]:
        path = socket_path(self._places)
        listeners = [listen_unix(path)] if path is not None else []
        if path is None and sys.platform != "win32":
            self._tell("no private folder has a path that is short enough for a socket; hooks go by HTTP and a token")
        loopback = self._loopback()
        if path is None and loopback is None:
            raise ShiluError("neither a socket nor a port can be opened; set XDG_RUNTIME_DIR, or free the port")
        if loopback is not None:
            self._port = int(loopback.getsockname()[1])
            listeners.append(loopback)
        return listeners, path

    def _loopback(self) -> socket.socket | None:
        """The HTTP listener: the configured port or none; else last time's port, or any."""
        table = self._context.settings.tables.get("daemon", {})
        configured = table.get("port") if isinstance(table, dict) else None
        if isinstance(configured, int) and not isinstance(configured, bool):
            try:
                return listen_loopback(configured)
            except (OSError, OverflowError) as error:
                self._tell(f"port {configured} can't be used ({error}); HTTP is off, hooks go on by the socket")
                return None
        try:
            listener = listen_loopback(int(self._places.port.read_text(encoding="ascii")))
        except (OSError, ValueError, OverflowError):
            listener = listen_loopback(0)
            replace_whole(self._places.port, f"{listener.getsockname()[1]}\n".encode(), private=True)
        return listener

    def _announce(self, path: Path | None) -> None:
        self._limit = self._service.settings().number("recallTimeoutMs")
        pointer = Pointer(
            str(path or ""),
            self._port,
            self._tokens.value("hook"),
            self._limit,
            os.getpid(),
            str(self._vault.folder),
            str(self._places.vault_state),
        )
        announce(self._places, pointer, is_default=self._service.is_default())
        if marker := self._context.environment.get(MARKER):
            remove(Path(marker))

    def _open(self) -> None:
        try:
            self._service.open(self._memory.submit)
        except Exception as error:
            self._log(f"the index can't be opened: {type(error).__name__}: {error}")
            raise
        self._clockwork.start()
        self._watcher.start()
        self._promoter.start()
        self._writer.submit(self._write, expire)
        if self._watcher.warning:
            self._tell(self._watcher.warning)

    def _changed(self) -> float:
        """Called by the watcher's thread: takes in what changed, on the thread that owns the engine.

        Gives the processor seconds that it took there.
        """
        self._promoter.look()
        if self._service.settings().number("recallTimeoutMs") != self._limit:
            self._announce(self._socket)  # clients read their limit there
        if self._is_idle():
            self._log("nobody asked for as long as [daemon] idleExitMinutes says; the daemon ends")
            self._end()
            return 0.0
        try:
            return self._memory.submit(self._refresh).result()
        except RuntimeError:
            return 0.0  # the end of the process
        except Exception as error:
            self._log(f"refresh: {type(error).__name__}: {error}")
            return 0.0

    def _refresh(self) -> float:
        began = time.thread_time()
        self._service.refresh()
        return time.thread_time() - began

    def _is_idle(self) -> bool:
        table = self._service.settings().tables.get("daemon")
        minutes = table.get("idleExitMinutes") if isinstance(table, dict) else None
        if not isinstance(minutes, (int, float)) or isinstance(minutes, bool) or minutes <= 0:
            return False
        return time.monotonic() - self._service.last_asked > minutes * 60

    def _gone(self) -> None:
        """The vault's folder was moved or removed: a daemon of its new place must be able to start."""
        self._log(f"the vault {self._vault.folder} is gone; the daemon ends")
        self._end()

    def _keep(self, shown: Shown) -> None:
        self._writer.submit(self._record, shown)

    def _record(self, shown: Shown) -> None:
        self._write(lambda ledger: self._service.keep(shown, ledger))

    def _write(self, action: Callable[[Ledger], None]) -> None:
        """Writes to the ledger on the writer's thread, which may have to wait for other processes."""
        try:
            if self._ledger is None:
                self._ledger = Ledger.open(ledger_path(self._vault, self._context.state))
            action(self._ledger)
        except Exception as error:
            self._log(f"recall rows: {type(error).__name__}: {error}")

    def _end(self) -> None:
        """Ends the server, and the process with whatever hangs in it once END_SECONDS have passed."""
        self._server.should_exit = True
        if not self._is_ending:
            self._is_ending = True
            timer = threading.Timer(END_SECONDS, self._leave)
            timer.daemon = True
            timer.start()

    def _leave(self) -> None:
        """Leaves at once: every write is whole or taken up again by the next run."""
        self._clear()
        os._exit(0)

    def _clear(self) -> None:
        """Takes back what clients find us by."""
        withdraw(self._places, os.getpid())
        if self._socket is not None:
            remove(self._socket)

    def _close(self) -> None:
        """Ends in order."""
        self._end()
        self._clear()
        self._watcher.stop()
        self._promoter.stop()
        self._clockwork.stop()
        self._writer.shutdown(wait=True)
        self._memory.shutdown(wait=True, cancel_futures=True)
        if self._ledger is not None:
            self._ledger.close()
        self._service.close()

    def _tell(self, warning: str) -> None:
        """Something that goes on working otherwise: in `/status` and in the log."""
        self._service.warn(warning)
        self._log(warning)

    def _log(self, message: str) -> None:
        log.write(self._context.state, "daemon", message)


def main(arguments: list[str]) -> int:
    """`python -m shilu_host.daemon [--state FOLDER] [--vault PATH] [--marker FILE]`, as clients start it."""
    environment: dict[str, str] = dict(os.environ)
    flags: dict[str, str] = {}
    given: list[str] = list(arguments)
    while len(given) >= 2:
        name, value = given.pop(0), given.pop(0)
        if name == "--state":
            environment["SHILU_STATE_DIR"] = value
        elif name == "--marker":
            environment[MARKER] = value
        elif name == "--vault":
            flags["vaultPath"] = value
    context = Context(environment, flags)
    try:
        return run(context)
    except Exception as error:
        log.write(context.state, "daemon", f"could not run: {type(error).__name__}: {error}")
        _mark_as_failed(Path(environment.get(MARKER, "")))
        print(f"shilu: {error}", file=sys.stderr)
        return 1


def _mark_as_failed(marker: Path) -> None:
    """Tells clients that asked for this start that there is nothing to wait for."""
    if marker.is_file():
        replace_whole(marker, b"failed\n", private=True)
