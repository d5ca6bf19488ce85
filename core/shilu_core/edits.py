"""The three changes of a note: a fact added, ended (moved under the superseded heading), taken out.

Pure: a parsed note in, hunks out. Every byte that is not the fact's own stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from shilu_core.errors import ShiluError
from shilu_core.facts import Fact
from shilu_core.hunks import Hunk, difference, patch, settled, tokens
from shilu_core.layout import Language
from shilu_core.notes import BOM, SUPERSEDED, Line, Note, decode
from shilu_core.stamps import Stamp, end_line, render_stamp

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # byte-order marks, as an editor that saves in UTF-16 begins a file
_UTF_16_FIRST = ("\udcff", "\udcfe")  # their first bytes, as a decoded note has them


class NoteHeld(ShiluError):
    """The note can't take the change as it is; the message says why and what a person can do."""


def fact_lines(text: str, stamp: Stamp, language: Language) -> list[str]:
    """The lines of a new fact, without line ends; further lines of its text are indented by two."""
    first, *more = text.split("\n")
    lines = [f"- {first}", *(f"  {line}" for line in more)]
    return [*lines[:-1], lines[-1] + render_stamp(stamp, language)]


def add_fact(note: Note, lines: Sequence[str]) -> tuple[Hunk, ...]:
    """Inserts a fact behind the last current one, or at the end of the body; raises NoteHeld.

    The body ends where the superseded facts begin. A note without a final newline stays without one.
    """
    _check_open(note)
    if not note.lines:
        return (Hunk(0, ("",), (lines[0], *("\n" + line for line in lines[1:]), "\n")),)
    at = _insertion_point(note)
    if at == 0:
        return settled(_every(note), [_at_the_top(note, lines)])
    inserted = [note.newline + line for line in lines]
    if note.lines[at - 1].kind == "html":
        inserted.insert(0, note.newline)  # a blank line ends the HTML block
    return settled(_every(note), [Hunk(at, (), tuple(inserted))])


def end_fact(note: Note, fact: Fact, ended: date, language: Language, heading: str) -> tuple[Hunk, ...]:
    """Moves a fact, with what is nested in it, below the superseded heading, made at the end where there is none."""
    start, stop = fact.line - 1, block_end(note, fact)
    moved = [line.text.removeprefix(BOM) for line in note.lines[start:stop]]
    while moved and not moved[-1].strip():
        moved.pop()
    last = fact.end - fact.line - 1
    moved[last] = end_line(moved[last], ended, language)
    every = _every(note)
    taken = _removal(every, start, start + len(moved))
    nested_by = moved[0][: len(moved[0]) - len(moved[0].lstrip(" \t"))]
    moved = [line.removeprefix(nested_by) for line in moved]  # it is nested in nothing where it goes
    put = _superseded_insertion(note, moved, heading)
    if start == 0:  # the hunks may touch each other
        with_both = patch(every, [put])
        return difference(every, tokens("".join(patch(with_both, [_removal(with_both, 0, len(moved))]))))
    return settled(every, sorted([taken, put], key=lambda hunk: hunk.start))


def remove_fact(note: Note, fact: Fact) -> tuple[Hunk, ...]:
    """Takes a fact out, with what is nested in it."""
    stop = block_end(note, fact)
    while stop > fact.end - 1 and not note.lines[stop - 1].text.strip():
        stop -= 1
    every = _every(note)
    return settled(every, [_removal(every, fact.line - 1, stop)])


def _every(note: Note) -> list[str]:
    return tokens(decode(note.to_bytes()))


def block_end(note: Note, fact: Fact) -> int:
    """Index of the first line behind a fact and everything nested in it."""
    column = _indent(note.lines[fact.line - 1])
    end = fact.end - 1
    for number in range(end, len(note.lines)):
        line = note.lines[number]
        if line.kind == "blank":
            continue
        if line.kind == "continuation" or (line.kind == "bullet" and _indent(line) > column):
            end = number + 1
            continue
        break
    return end


def _indent(line: Line) -> int:
    text = line.text.removeprefix(BOM).expandtabs(4)
    return len(text) - len(text.lstrip(" "))


def _check_open(note: Note) -> None:
    """Raises NoteHeld where a line at the note's end would be no fact."""
    if _is_utf_16(note):
        raise NoteHeld(f"{note.id} is UTF-16, and notes are UTF-8; save it as UTF-8, then apply again")
    if not note.closed:
        raise NoteHeld(f"{note.id} ends inside an open code fence or comment; close it, then apply again")


def _is_utf_16(note: Note) -> bool:
    """Whether the bytes begin with a UTF-16 mark and hold a NUL, as every line end of such a text does."""
    data = note.to_bytes() if note.lines and note.lines[0].text[:1] in _UTF_16_FIRST else b""
    return data.startswith(_UTF_16) and b"\0" in data


def _insertion_point(note: Note) -> int:
    current = [fact for fact in note.facts if not fact.superseded]
    stamped = [fact for fact in current if fact.stamp]
    if current:
        last = (stamped or current)[-1]
        outermost = [fact for fact in current if not fact.parent and fact.line <= last.line]
        return block_end(note, outermost[-1] if outermost else last)  # never between a bullet and what it holds
    start = _superseded_start(note)
    at = _last_text(note, 0, len(note.lines) if start is None else start)
    spare = [not line.text.strip() for line in note.lines[at : at + 2]]
    return at + 1 if at and spare in ([True], [True, True]) else at  # one blank line below the heading stays


def _last_text(note: Note, start: int, stop: int) -> int:
    """Index behind the last line that is not blank between `start` and `stop`."""
    while stop > start and not note.lines[stop - 1].text.removeprefix(BOM).strip():
        stop -= 1
    return stop


def _superseded_start(note: Note) -> int | None:
    return next(
        (number for number, line in enumerate(note.lines) if line.kind == "heading" and SUPERSEDED.search(line.text)),
        None,
    )


def _superseded_insertion(note: Note, moved: list[str], heading: str) -> Hunk:
    start = _superseded_start(note)
    newline = note.newline
    if start is None:
        _check_open(note)
        at = _last_text(note, 0, len(note.lines))
        return Hunk(at, (), (newline, newline + heading, newline, *(newline + line for line in moved)))
    level = len(note.lines[start].text.strip()) - len(note.lines[start].text.strip().lstrip("#"))
    stop = next((n for n in range(start + 1, len(note.lines)) if _closes(note.lines[n], level)), len(note.lines))
    at = _last_text(note, start + 1, stop)
    gap = (newline,) if at == start + 1 else ()
    return Hunk(at, (), (*gap, *(newline + line for line in moved)))


def _closes(line: Line, level: int) -> bool:
    hashes = len(line.text.strip()) - len(line.text.strip().lstrip("#"))
    return line.kind == "heading" and hashes <= level


def _at_the_top(note: Note, lines: Sequence[str]) -> Hunk:
    """Puts a fact before the first line, or into an empty one; a byte-order mark stays first."""
    first = _every(note)[0]
    mark = BOM if first.startswith(BOM) else ""
    body = first.removeprefix(BOM)
    more = tuple(note.newline + line for line in lines[1:])
    if body and not body.strip():
        return Hunk(1, (), (note.newline + lines[0], *more))
    return Hunk(0, (first,), (mark + lines[0], *more, *((note.newline, note.newline + body) if body else ())))


def _removal(every: Sequence[str], start: int, stop: int) -> Hunk:
    """Takes lines out; the first line of a text has no line end before it, so the next one loses its own."""
    if start > 0:
        return Hunk(start, tuple(every[start:stop]), ())
    if stop < len(every) and every[stop].strip() == "---":  # on the first line it would open front matter
        return Hunk(0, tuple(every[:stop]), (BOM if every[0].startswith(BOM) else "",))
    rest = every[stop].lstrip("\r\n") if stop < len(every) else ""
    mark = BOM if every[0].startswith(BOM) else ""
    return Hunk(0, tuple(every[: stop + 1]), (mark + rest,))
