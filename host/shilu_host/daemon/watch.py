"""Tells when notes or inbox changed: file events, debounced, and a look at everything now and then.

Events get lost (queues overflow, links, network drives, no watches left), so that the look at everything is
what makes the index right and the events only make it quick.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from shilu_core.vault import Vault
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

QUIET_SECONDS = 0.06  # after the last event, so that a save of several steps is one change
LONGEST_SECONDS = 0.5  # even where events never stop
LOOK_SECONDS = 10.0  # between two looks at everything, at least
LOOK_SHARE = 0.002  # of the time may go into them: the daemon idles below 0.5 % of a core
_TOLD = ("created", "modified", "deleted", "moved", "closed")


class Watcher:
    """Calls `changed()` from a thread of its own, never twice at once, until `stop()`.

    `changed` gives the processor seconds that it had other threads use.
    """

    def __init__(self, vault: Vault, changed: Callable[[], float], gone: Callable[[], None]) -> None:
        self._vault, self._changed, self._gone = vault, changed, gone
        self._wake = threading.Condition()
        self._first: float | None = None  # when the oldest event not yet told came
        self._last = 0.0
        self._ended = False
        self.warning = ""  # why only the look at everything works, "" while events do
        self._observer = Observer()
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)

    def start(self) -> None:
        try:
            self._observer.schedule(_Handler(self._note), str(self._vault.root), recursive=True)
            self._observer.start()
        except OSError as error:  # no watches left, or a file system without events
            self.warning = f"file events are off ({error}); changes are seen within {LOOK_SECONDS:.0f} s"
        self._thread.start()

    def stop(self) -> None:
        with self._wake:
            self._ended = True
            self._wake.notify_all()
        if self._observer.is_alive():
            self._observer.stop()

    def _note(self) -> None:
        with self._wake:
            self._last = time.monotonic()
            if self._first is None:
                self._first = self._last
                self._wake.notify_all()

    def _run(self) -> None:
        pause = LOOK_SECONDS
        while self._wait(pause):
            if not self._vault.root.is_dir():
                self._gone()
                pause = LOOK_SECONDS
                continue
            began = time.thread_time()
            elsewhere = self._changed()
            pause = max(LOOK_SECONDS, (time.thread_time() - began + elsewhere) / LOOK_SHARE)

    def _wait(self, pause: float) -> bool:
        """Waits for settled events or the end of the pause; False at the end of the watcher."""
        deadline = time.monotonic() + pause
        with self._wake:
            while not self._ended:
                now = time.monotonic()
                if self._first is not None:
                    due = min(self._last + QUIET_SECONDS, self._first + LONGEST_SECONDS)
                    if now >= due:
                        self._first = None
                        return True
                else:
                    due = deadline
                    if now >= due:
                        return True
                self._wake.wait(due - now)
        return False


class _Handler(FileSystemEventHandler):
    def __init__(self, note: Callable[[], None]) -> None:
        self._note = note

    def on_any_event(self, event: FileSystemEvent) -> None:
        path = Path(str(event.src_path))
        if (event.event_type in _TOLD and not path.name.startswith(".shilu-tmp-")) or event.event_type == "moved":
            self._note()
