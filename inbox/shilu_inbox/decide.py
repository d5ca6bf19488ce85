"""Decide: one ruling on one item, written into the list and the ledger; `apply` carries it out."""

from __future__ import annotations

from typing import Literal, get_args

from shilu_core import secrets
from shilu_core.errors import SecretRefused, UsageError

from shilu_inbox.carrying import rewrite
from shilu_inbox.desk import Desk, read_text
from shilu_inbox.lists import ACCEPT, BOTH, REJECT, WAIT, Entry, Kind, read_list, set_mark

Ruling = Literal["accept", "use-new", "keep-old", "keep-both", "edit", "reject", "skip"]
RULINGS: tuple[Ruling, ...] = get_args(Ruling)

_MARKS: dict[tuple[Kind, Ruling], str] = {
    ("pending", "accept"): ACCEPT,
    ("pending", "use-new"): ACCEPT,
    ("pending", "edit"): ACCEPT,
    ("pending", "reject"): REJECT,
    ("pending", "keep-old"): REJECT,
    ("pending", "skip"): WAIT,
    ("conflict", "accept"): ACCEPT,
    ("conflict", "use-new"): ACCEPT,
    ("conflict", "edit"): ACCEPT,
    ("conflict", "keep-old"): REJECT,
    ("conflict", "reject"): REJECT,
    ("conflict", "keep-both"): BOTH,
    ("conflict", "skip"): WAIT,
}


def decide(desk: Desk, identity: str, ruling: Ruling, text: str | None = None) -> Entry:
    """Marks the item and records the ruling; raises UsageError for an unknown item or a ruling that doesn't fit it."""
    text = text.encode("utf-8", "backslashreplace").decode() if text else text  # argv may hold lone surrogates
    if ruling == "edit" and not (text or "").strip():
        raise UsageError("edit needs the new text: shilu decide ID edit TEXT")
    if text and (found := secrets.find(text)):
        raise SecretRefused(
            f"refused: line {found[0].line} holds a plaintext secret ({found[0].kind}); nothing was changed"
        )
    with desk.locked("shilu decide"):
        entry, kind = _entry(desk, identity)
        mark = _MARKS.get((kind, ruling))
        if mark is None:
            fitting = ", ".join(name for name in RULINGS if (kind, name) in _MARKS)
            raise UsageError(f"{ruling} does not fit the {kind} item {identity}; use one of {fitting}")
        path = desk.vault.pending if kind == "pending" else desk.vault.conflicts
        new_text = text if ruling == "edit" else None
        rewrite(
            desk.vault,
            path,
            lambda current: set_mark(current, desk.vault.layout, entry.identity, mark, new_text) or current,
        )
        desk.ledger.execute(
            "INSERT INTO decisions (item, ruling, text, by, at) VALUES (?, ?, ?, ?, ?)",
            (entry.identity, ruling, text or entry.text, desk.by, desk.at),
        )
        return entry


def _entry(desk: Desk, identity: str) -> tuple[Entry, Kind]:
    layout = desk.vault.layout
    known: list[Entry] = []
    for path in (desk.vault.pending, desk.vault.conflicts):
        known += read_list(read_text(path), layout)
    meant = [entry for entry in known if entry.identity.startswith(identity)] if len(identity) >= 4 else []
    if len(meant) != 1:
        hint = "several items begin so; give more of the id" if meant else "`shilu review` lists the ids"
        raise UsageError(f"no single item has the id {identity!r}: {hint}")
    return meant[0], meant[0].kind
