"""Carrying a plan out: notes by compare-and-swap, then receipts, lists and moves; any step may be the last one.

Runs under the vault's lock. Killing the process anywhere and calling `recover` gives the same end state, once.
"""

from __future__ import annotations

import secrets as random
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from shilu_core import files
from shilu_core.folding import fold
from shilu_core.hunks import HunkClash, carry, difference, patch, tokens
from shilu_core.ledger import Ledger
from shilu_core.notes import decode, encode
from shilu_core.vault import Vault

from shilu_inbox.drops import free_name
from shilu_inbox.history import adopt, patched, record, state
from shilu_inbox.lists import without
from shilu_inbox.plans import NotePlan, Plan, rebased
from shilu_inbox.submissions import digest_of
from shilu_inbox.texts import LABELS

KEPT_SECONDS = 600.0  # how long a replaced file is watched for an editor that still writes through it


def begin(ledger: Ledger, plan: Plan, read: Mapping[str, bytes]) -> None:
    """Writes the plan to the ledger, with the notes' bytes that it stands on."""
    with ledger.transaction():
        for note in plan.notes:
            adopt(ledger, note.note, read.get(note.note, b""), plan=plan.id, at=plan.at)
        ledger.execute(
            "INSERT INTO plans (id, kind, body, state, by, at) VALUES (?, ?, ?, 'planned', ?, ?)",
            (plan.id, plan.kind, plan.to_json(), plan.by, plan.at),
        )


def carry_out(vault: Vault, ledger: Ledger, plan: Plan) -> list[str]:
    """Does what is left of a plan; returns why steps had to be held."""
    held: list[str] = []
    for note in plan.notes:
        held += _write_note(vault, ledger, plan, note)
    _settle(ledger, plan)
    _tell_lists(vault, plan)
    for name, digest, target in plan.moves:
        _move(vault, ledger, name, digest, target)
    ledger.execute("UPDATE plans SET state = 'done' WHERE id = ?", (plan.id,))
    return held


def recover(vault: Vault, ledger: Ledger) -> list[str]:
    """Finishes every interrupted plan, oldest first, and takes over what editors wrote into replaced files."""
    held = []
    for row in ledger.rows("SELECT body FROM plans WHERE state != 'done' ORDER BY rowid"):
        held += carry_out(vault, ledger, Plan.from_json(row["body"]))
    held += take_late_saves(vault, ledger)
    _sweep(vault, ledger)
    return held


def _sweep(vault: Vault, ledger: Ledger) -> None:
    """Removes what killed processes left: temporaries, and replaced lists nobody asks for again."""
    for folder in {vault.folder, vault.own, vault.root, vault.inbox, vault.processed, vault.pending.parent}:
        files.sweep_temporaries(folder)
    watched = {row["path"] for row in ledger.rows("SELECT path FROM kept")}
    for path in (vault.own / "kept").glob("*"):
        stale = time.time() - path.stat().st_mtime > KEPT_SECONDS
        if stale and str(path.relative_to(vault.folder)) not in watched:
            files.remove(path)


def _write_note(vault: Vault, ledger: Ledger, plan: Plan, note: NotePlan) -> list[str]:
    if ledger.row("SELECT 1 FROM changes WHERE plan = ? AND note = ? AND kind != 'foreign'", (plan.id, note.note)):
        return []
    text = vault.read(note.note)
    expected = digest_of(text)
    if note.kept:  # a former run came as far as the swap, or further
        finished, text, expected = _resume(vault, ledger, plan, note, text)
        if finished:
            return []
    while True:
        note, data, held = _planned_on(vault, ledger, plan, note, text, expected)
        found = _swap(vault, note, data)
        if found is None:
            _record(vault, ledger, plan, note)
            return held
        text, expected = found


def _planned_on(
    vault: Vault, ledger: Ledger, plan: Plan, note: NotePlan, text: bytes, expected: str
) -> tuple[NotePlan, bytes, list[str]]:
    """The note's plan over `text`, in the ledger before anything is written, and the bytes to write.

    `expected` is the digest of what stands in the note's place; where that is our own former try, `text` was
    swapped out by it and stands in `note.kept`, which an editor may still write through.
    """
    held: list[str] = []
    base = state(ledger, note.note) or b""
    steps = note.steps
    if digest_of(text) == note.before:
        data = text
        for step in steps:
            data = patched(data, step.hunks)
    else:
        data, steps, held = rebased(steps, base, text, vault.layout)
    renewed = NotePlan(
        note.note, digest_of(text), digest_of(data), steps, _kept_path(vault, note.note), on_disk=expected
    )
    with ledger.transaction():
        adopt(ledger, note.note, text, plan=plan.id, at=plan.at)
        if expected != renewed.before and (vault.folder / note.kept).is_file():
            _watch(ledger, note, text, at=plan.at)
        _store_note_plan(ledger, plan.id, renewed)
    return renewed, data, held


def _store_note_plan(ledger: Ledger, plan_id: str, note: NotePlan) -> None:
    row = ledger.row("SELECT body FROM plans WHERE id = ?", (plan_id,))
    if row is None:
        return
    stored = Plan.from_json(row["body"])
    notes = tuple(note if other.note == note.note else other for other in stored.notes)
    ledger.execute("UPDATE plans SET body = ? WHERE id = ?", (replace(stored, notes=notes).to_json(), plan_id))


def _resume(vault: Vault, ledger: Ledger, plan: Plan, note: NotePlan, current: bytes) -> tuple[bool, bytes, str]:
    """Where a killed run stood: whether it is finished, else the text to plan on and the digest expected on disk."""
    kept = _read(vault.folder / note.kept)
    replaced = note.on_disk or note.before  # the digest of what a swap that happened put into `kept`
    if digest_of(current) == note.after and (kept is None or digest_of(kept) in (replaced, note.after)):
        _record(vault, ledger, plan, note)
        return True, current, ""
    if digest_of(current) == note.after and kept is not None:  # an editor's save was swapped out and not yet honoured
        return False, kept, note.after
    if digest_of(current) == note.on_disk != note.before:  # that save was planned on, its swap did not happen
        files.remove(vault.folder / note.kept)
        return False, state(ledger, note.note) or b"", note.on_disk
    if kept is not None and digest_of(kept) == replaced != digest_of(current):
        _record(vault, ledger, plan, note)  # written, then edited by a person
        with ledger.transaction():
            adopt(ledger, note.note, current, plan=plan.id, at=plan.at)
        return True, current, ""
    return False, current, digest_of(current)


def _swap(vault: Vault, note: NotePlan, data: bytes) -> tuple[bytes, str] | None:
    """Puts `data` in place; None where `note.on_disk` stood there, else what to plan on and what stands there now."""
    path, kept = vault.note_path(note.note), vault.folder / note.kept
    if digest_of(data) == note.on_disk:
        return None
    try:
        if path.exists():
            files.swap(path, data, kept)
        elif note.on_disk == digest_of(b""):
            files.create_exclusive(path, data)
            return None
        else:  # moved or taken away since it was read
            return b"", digest_of(b"")
    except (FileNotFoundError, FileExistsError):
        found = vault.read(note.note)
        return found, digest_of(found)
    replaced = kept.read_bytes()
    return None if digest_of(replaced) == note.on_disk else (replaced, note.after)


def _record(vault: Vault, ledger: Ledger, plan: Plan, note: NotePlan) -> None:
    kept = vault.folder / note.kept
    with ledger.transaction():
        before = state(ledger, note.note) or b""
        for step in note.steps:
            if step.hunks:
                record(
                    ledger, note.note, step.kind, step.hunks,
                    plan=plan.id, by=plan.by, at=plan.at, fact=step.fact, text=step.text, source=step.source,
                )  # fmt: skip
        replaced = _read(kept) if note.kept else None
        if replaced is not None and digest_of(replaced) == note.on_disk:
            _watch(ledger, note, replaced, at=plan.at)
        elif replaced is not None and note.on_disk == note.before:  # written through meanwhile
            _watch(ledger, note, before, at=plan.at)


def _watch(ledger: Ledger, note: NotePlan, known: bytes, *, at: str) -> None:
    """Remembers the replaced file and the bytes that were honoured, so that what is written through it later is seen."""
    values = (note.kept, note.note, zlib.compress(known), at)
    ledger.execute("INSERT OR REPLACE INTO kept (path, note, data, at) VALUES (?, ?, ?, ?)", values)


def _settle(ledger: Ledger, plan: Plan) -> None:
    """Receipts, remembered values, corrections and rulings, all at once."""
    with ledger.transaction():
        if ledger.row("SELECT 1 FROM plans WHERE id = ? AND state = 'planned'", (plan.id,)) is None:
            return
        for one in plan.receipts:
            ledger.execute(
                "INSERT INTO receipts (name, digest, line, outcome, text, fact, plan, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (one.name, one.digest, one.line, one.outcome, one.text, one.fact, plan.id, plan.at),
            )
        for text, fate in plan.former:
            ledger.execute(
                "INSERT OR REPLACE INTO former (key, text, fate, at) VALUES (?, ?, ?, ?)",
                (fold(text), text, fate, plan.at),
            )
        for category, note in plan.corrections:
            ledger.execute(
                "INSERT OR REPLACE INTO corrections (category, note, at) VALUES (?, ?, ?)", (category, note, plan.at)
            )
        for item, ruling, text in plan.decided:
            ledger.execute(
                "INSERT INTO decisions (item, ruling, text, by, at, applied) VALUES (?, ?, ?, ?, ?, ?)",
                (item, ruling, text, plan.by, plan.at, plan.id),
            )
        for sequence in plan.undone:
            ledger.execute("UPDATE changes SET undone = ? WHERE seq = ?", (plan.id, sequence))
        ledger.execute("UPDATE plans SET state = 'written' WHERE id = ?", (plan.id,))


def _tell_lists(vault: Vault, plan: Plan) -> None:
    """Rulings into their note, settled entries out of the lists; each may have happened already."""
    if plan.rulings:
        append_rulings(vault, plan.rulings)
    settled = {item for item, _, _ in plan.decided}
    for path in (vault.pending, vault.conflicts):
        before = _read(path)
        if before is not None and settled:
            rewrite(vault, path, lambda text: without(text, vault.layout, settled))


def append_rulings(vault: Vault, rulings: Sequence[tuple[str, str]]) -> None:
    """Adds rulings that do not stand in the rulings note yet; an entry is known by its id."""

    def added(text: str) -> str:
        body = text or f"{LABELS[vault.layout.language].rulings_title}\n\n"
        lines = [line for item, line in rulings if f"^{item}" not in body]
        newline = "" if body.endswith("\n") else "\n"
        return body + newline + "".join(line + "\n" for line in lines) if lines else text

    rewrite(vault, vault.rulings, added)


def rewrite(vault: Vault, path: Path, change: Callable[[str], str]) -> None:
    """Changes one of our lists by compare-and-swap, so that a person's save at the same moment is honoured."""
    for _ in range(20):
        before = _read(path)
        after = encode(change(decode(before or b"")))
        if after == (before or b""):
            return
        if before is None:
            try:
                files.create_exclusive(path, after)
                return
            except FileExistsError:
                continue
        kept = vault.folder / _kept_path(vault, path.name)
        files.swap(path, after, kept)
        replaced = kept.read_bytes()
        if replaced == before:
            files.remove(kept)
            return
        files.replace_whole(path, replaced)
        files.remove(kept)


def _move(vault: Vault, ledger: Ledger, name: str, digest: str, target: str) -> None:
    """Moves a settled submission to the processed ones; one that changed since stays, or comes back."""
    source, goal = vault.inbox / name, vault.processed / target
    data = _read(source)
    if data is not None and digest_of(data) == digest:
        while True:
            try:
                files.move_exclusive(source, goal)
                break
            except FileExistsError:
                goal = free_name(vault.processed, name)
            except FileNotFoundError:
                break
        moved = _read(goal)
        if moved is not None and digest_of(moved) != digest:
            files.move_exclusive(goal, free_name(vault.inbox, name))
    ledger.execute("UPDATE receipts SET closed = 1 WHERE name = ? AND digest = ?", (name, digest))


def take_late_saves(vault: Vault, ledger: Ledger) -> list[str]:
    """Carries over what an editor wrote into a file after we had replaced it; returns what clashed."""
    clashes = []
    for row in ledger.rows("SELECT * FROM kept ORDER BY at"):
        path = vault.folder / row["path"]
        late, known = _read(path), zlib.decompress(row["data"])
        if late is not None and late != known:
            clash = _merge_late(vault, ledger, row["note"], known, late)
            if clash:
                clashes.append(f"{clash}; the editor's text is kept in {path}: merge it by hand and remove that file")
                continue
            ledger.execute("UPDATE kept SET data = ? WHERE path = ?", (zlib.compress(late), row["path"]))
        elif late is None or time.time() - path.stat().st_ctime > KEPT_SECONDS:
            files.remove(path)
            ledger.execute("DELETE FROM kept WHERE path = ?", (row["path"],))
    return clashes


def _merge_late(vault: Vault, ledger: Ledger, note: str, known: bytes, late: bytes) -> str:
    current = vault.read(note)
    if not vault.note_path(note).is_file():
        return f"{note}: an editor saved over a note that was moved or removed meanwhile"
    before, edited, now = (tokens(decode(data)) for data in (known, late, current))
    try:
        merged = encode("".join(patch(now, carry(difference(before, edited), before, now))))
    except HunkClash:
        return f"{note}: an editor saved over a line that was changed meanwhile"
    if merged == current:
        return ""
    kept = vault.folder / _kept_path(vault, note)
    files.swap(vault.note_path(note), merged, kept)
    if kept.read_bytes() != current:  # saved again at this very moment: put that back and take this one next time
        files.replace_whole(vault.note_path(note), kept.read_bytes())
        return f"{note}: an editor saved twice at once; apply again"
    files.remove(kept)
    return ""


def _kept_path(vault: Vault, name: str) -> str:
    """A fresh place for a replaced file: in `.shilu/kept`, or beside the note where that is another file system."""
    unique = random.token_hex(8)
    folder = vault.own / "kept"
    files.make_folder(folder, private=True)
    note = vault.root / name
    home = note.resolve().parent if note.parent.exists() else folder
    if home.exists() and home.stat().st_dev != folder.stat().st_dev:
        return str((home / f".shilu-kept-{unique}").relative_to(vault.folder))
    return str((folder / unique).relative_to(vault.folder))


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
