"""`shilu adjudicate` (`promoter --adjudicate`): both facts side by side, one key a decision, then applied."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from shilu_core.errors import SecretRefused, UsageError
from shilu_inbox.apply import apply, entries
from shilu_inbox.decide import Ruling, decide
from shilu_inbox.desk import Desk, show
from shilu_inbox.lists import WAIT, Entry, old_text, shown
from shilu_inbox.review import Item, Review
from shilu_inbox.texts import LABELS, Labels

from shilu_host.commands.apply import tell
from shilu_host.context import Context
from shilu_host.desks import open_desk

KEYS: dict[str, Ruling] = {
    "a": "accept",
    "n": "use-new",
    "o": "keep-old",
    "b": "keep-both",
    "e": "edit",
    "r": "reject",
    "s": "skip",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "decide what waits, one key each; decided items are written at the end"


def run(arguments: argparse.Namespace, context: Context) -> int:
    with open_desk(context, embed=True) as desk:
        found = show(desk)
        waiting = [entry for entry in entries(desk) if entry.mark == WAIT]
        if not waiting:
            context.say(LABELS[context.language].nothing.strip("_"))
            return 0
        ruled = _ask_all(waiting, desk, found, context)
        if not ruled:
            context.tell("adjudicate-left", count=len(waiting))
            return 0
        done = apply(desk)
        left = sum(entry.mark == WAIT for entry in entries(desk))
    return tell(done, context, dry_run=False, left=left)


def _ask_all(waiting: list[Entry], desk: Desk, found: Review, context: Context) -> int:
    """Asks for each item in turn; returns how many were ruled on."""
    labels = LABELS[context.language]
    ruled = 0
    for number, entry in enumerate(waiting, 1):
        _show(entry, found.item(entry.identity), found, labels, context, f"{number}/{len(waiting)}")
        ruling, text = _ask(labels, read_key)
        if ruling is None:
            break
        try:
            decide(desk, entry.identity, ruling, text)
        except (UsageError, SecretRefused) as error:
            print(f"shilu: {error}", file=sys.stderr)
            continue
        ruled += ruling != "skip"
    return ruled


def _show(entry: Entry, item: Item | None, found: Review, labels: Labels, context: Context, place: str) -> None:
    context.say(f"\n--- {place} {entry.identity}")
    old = old_text(item, found) if item is not None else entry.old
    if old:
        fact = item.judgement.target if item is not None else None
        where = (
            f"  [{fact.note}, {fact.written or '?'}, {fact.agent or '?'}, {fact.stamp.source if fact.stamp else '-'}]"
            if fact
            else ""
        )
        context.say(f"{labels.old}{labels.mark}{shown(old)}{where}")
    agent = f"  [{entry.target}, {item.submitted.agent}, {entry.source}]" if item is not None else f"  [{entry.source}]"
    name = labels.retracts if item is not None and item.submitted.operation == "retract" else labels.new
    context.say(f"{name}{labels.mark}{shown(entry.text)}{agent}")
    if item is not None:
        context.say(f"{labels.verdicts[item.verdict]}{labels.mark}{shown(item.judgement.reason)}")
        for flag in item.judgement.flags:
            context.say(f"⚠ {labels.flags[flag.kind]}{labels.mark}{shown(flag.detail)}")


def _ask(labels: Labels, key: Callable[[str], str]) -> tuple[Ruling | None, str | None]:
    while True:
        pressed = key(f"{labels.words['one-key']} > ").strip().lower()[:1]
        if pressed in ("q", ""):
            return None, None
        ruling = KEYS.get(pressed)
        if ruling == "edit":
            return ruling, input(f"{labels.words['new-text']}: ")
        if ruling is not None:
            return ruling, None


def read_key(prompt: str) -> str:
    """One key from a terminal, one line from anything else; `q` at its end."""
    if not sys.stdin.isatty():
        line = sys.stdin.readline()
        return line or "q"
    print(prompt, end="", flush=True)
    return _terminal_key()


def _terminal_key() -> str:
    try:
        import termios
        import tty
    except ImportError:  # Windows
        import msvcrt

        return str(msvcrt.getwch())  # type: ignore[attr-defined,unused-ignore]
    descriptor = sys.stdin.fileno()
    saved = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        pressed = sys.stdin.read(1)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, saved)
    print(pressed)
    return pressed
