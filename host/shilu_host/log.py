"""One bounded log file in the state folder, with secrets masked."""

from __future__ import annotations

import sys
import traceback
from datetime import datetime
from pathlib import Path

from shilu_core.files import append_line

LIMIT = 1 << 20  # bytes; past it the older half is dropped
NAME = "shilu.log"


def write(state: Path, source: str, message: str) -> None:
    """Appends one masked line; a log that can't be written is no reason to fail."""
    from shilu_core.secrets import mask

    line = mask(message).replace("\n", "\\n")
    try:
        append_line(
            state / NAME,
            f"{datetime.now().astimezone().isoformat(timespec='milliseconds')} {source}: {line}",
            limit=LIMIT,
        )
    except OSError as error:
        print(f"shilu: the log {state / NAME} can't be written: {error}", file=sys.stderr)


def write_bug(state: Path, command: str, error: BaseException) -> Path:
    """Logs a traceback whole; returns the file to send."""
    write(state, command, "".join(traceback.format_exception(error)))
    return state / NAME
