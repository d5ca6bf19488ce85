"""What the ledger knows of the notes: origins, changes, states; recorded, replayed, compared."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from shilu_core.hunks import Hunk, difference, patch, tokens
from shilu_core.ledger import Ledger
from shilu_core.notes import decode, encode
from shilu_core.vault import Vault

from shilu_inbox.submissions import digest_of


@dataclass(frozen=True)
class Change:
    """One recorded change of a note; `before` and `after` are digests of its bytes."""

    sequence: int
    plan: str
    note: str
    kind: str  # add | end | remove | undo | foreign
    fact: str
    text: str
    source: str
    hunks: tuple[Hunk, ...]
    before: str
    after: str
    undone: str
    by: str
    at: str


def dump_hunks(hunks: Sequence[Hunk]) -> str:
    """Hunks as the ledger keeps them: JSON rows of start, removed and inserted tokens."""
    return json.dumps([[hunk.start, hunk.removed, hunk.inserted] for hunk in hunks])


def load_hunks(text: str) -> tuple[Hunk, ...]:
    """The hunks that `dump_hunks` wrote."""
    return tuple(Hunk(start, tuple(removed), tuple(inserted)) for start, removed, inserted in json.loads(text))


def patched(data: bytes, hunks: Sequence[Hunk]) -> bytes:
    """A note's bytes after the hunks; raises HunkClash where they do not fit."""
    return encode("".join(patch(tokens(decode(data)), hunks)))


def changes_between(before: bytes, after: bytes) -> tuple[Hunk, ...]:
    """The hunks that lead from one state of a note to another."""
    return difference(tokens(decode(before)), tokens(decode(after)))


def state(ledger: Ledger, note: str) -> bytes | None:
    """The note's bytes after the last recorded change, None for a note that was never written."""
    row = ledger.row("SELECT data FROM states WHERE note = ?", (note,))
    return zlib.decompress(row["data"]) if row else None


def adopt(ledger: Ledger, note: str, data: bytes, *, plan: str, at: str) -> None:
    """Makes the ledger's state of a note equal to `data`: as its origin, or as a person's edit since."""
    known = state(ledger, note)
    if known is None:
        values = (note, zlib.compress(data), digest_of(data), at)
        ledger.execute("INSERT INTO origins (note, data, digest, at) VALUES (?, ?, ?, ?)", values)
        ledger.execute("INSERT INTO states (note, data, digest) VALUES (?, ?, ?)", values[:3])
    elif known != data:
        record(ledger, note, "foreign", changes_between(known, data), plan=plan, by="a person", at=at)


def record(
    ledger: Ledger,
    note: str,
    kind: str,
    hunks: Sequence[Hunk],
    *,
    plan: str,
    by: str,
    at: str,
    fact: str = "",
    text: str = "",
    source: str = "",
) -> None:
    """Appends one change and moves the note's state on; the hunks are over the present state."""
    before = state(ledger, note) or b""
    after = patched(before, hunks)
    ledger.execute(
        "INSERT INTO changes (plan, note, kind, fact, text, source, hunks, before, after, by, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (plan, note, kind, fact, text, source, dump_hunks(hunks), digest_of(before), digest_of(after), by, at),
    )
    ledger.execute(
        "INSERT OR REPLACE INTO states (note, data, digest) VALUES (?, ?, ?)",
        (note, zlib.compress(after), digest_of(after)),
    )


def changes(ledger: Ledger, condition: str = "1", values: Sequence[object] = ()) -> list[Change]:
    """Recorded changes, oldest first; `condition` is SQL over the table's columns."""
    rows = ledger.rows(f"SELECT * FROM changes WHERE {condition} ORDER BY seq", values)
    return [
        Change(
            row["seq"], row["plan"], row["note"], row["kind"], row["fact"], row["text"], row["source"],
            load_hunks(row["hunks"]), row["before"], row["after"], row["undone"], row["by"], row["at"],
        )
        for row in rows
    ]  # fmt: skip


def replay(ledger: Ledger, note: str, *, until: int | None = None) -> bytes:
    """The note's bytes after change `until` (all where None), from its origin on; raises HunkClash on a broken ledger."""
    row = ledger.row("SELECT data FROM origins WHERE note = ?", (note,))
    every = tokens(decode(zlib.decompress(row["data"]))) if row else [""]
    for change in changes(ledger, "note = ? AND (? IS NULL OR seq <= ?)", (note, until, until)):
        every = patch(every, change.hunks)
    return encode("".join(every))


def changes_of_edited(vault: Vault, ledger: Ledger, name: str) -> list[Change]:
    """The changes that wrote a fact whose line a person has edited since, so that its id is another now.

    Found by the stamp that the line kept: of the facts of the same submission and note that no longer stand there
    as they were written, the one most like it.
    """
    fact = next((fact for note in vault.note_ids() for fact in vault.parse(note).facts if fact.id == name), None)
    if fact is None or fact.stamp is None:
        return []
    same = changes(ledger, "note = ? AND source = ? AND kind = 'add' AND undone = ''", (fact.note, fact.stamp.source))
    standing = {other.text for other in vault.parse(fact.note).facts if other.id != name}
    candidates = [change for change in same if change.text not in standing]
    if not candidates:
        return []
    nearest = max(candidates, key=lambda change: SequenceMatcher(None, change.text, fact.text, autojunk=False).ratio())
    return changes(ledger, "plan = ? AND fact = ?", (nearest.plan, nearest.fact))
