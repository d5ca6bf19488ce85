"""The pending and the conflict list: Markdown that a person ticks and edits, read back without losing a mark."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from shilu_core.layout import Layout
from shilu_core.notes import split_lines
from shilu_core.stamps import source_name

from shilu_inbox.list_entries import (
    ACCEPT,
    BOTH,
    REJECT,
    WAIT,
    Entry,
    Kind,
    own_lines,
    read_list,
    segments,
    shown,
)
from shilu_inbox.review import Item, Review
from shilu_inbox.texts import LABELS, Labels

__all__ = ["ACCEPT", "BOTH", "REJECT", "WAIT", "Entry", "Kind", "read_list", "shown"]

SHOWN_CHARACTERS = 60  # of a neighbour in the evidence line
LEAST_ALIKE = 0.1  # a neighbour below it shares hardly a word with the fact, and tells a person nothing


def update_list(text: str, review: Review, layout: Layout, kind: Kind) -> str:
    """The list with every item of the review in it and every settled entry gone.

    A mark, a text or a target that a person changed stays, as do all lines that are no entries; an item whose
    verdict, or the fact it ends, changed since it was shown stands as if new.
    """
    labels = LABELS[layout.language]
    items = {item.id: item for item in listed(review, kind)}
    kept, seen = [], set()
    for entry, lines in segments(text or _head(labels, kind), labels):
        if entry is None or (entry.legacy and not _is_reviewed(entry, review)):
            kept += lines
        elif entry.identity in items and entry.identity not in seen:
            seen.add(entry.identity)
            kept += [_render(items[entry.identity], entry, review, layout, kind), *own_lines(lines, labels)]
    kept = [line for line in kept if line.strip() != labels.nothing and not line.startswith("<!-- sources:")]
    fresh = [_render(item, None, review, layout, kind) for item in items.values() if item.id not in seen]
    body = "".join(line if line.endswith("\n") else line + "\n" for line in kept)
    if not fresh and not any(entry is not None for entry, _ in segments(body, labels)):
        fresh = [labels.nothing + "\n"]
    return _numbered(
        body.rstrip("\n") + "\n\n" + "".join(fresh)
        if fresh and not _ends_with_entry(body, labels)
        else body + "".join(fresh)
    )


def listed(review: Review, kind: Kind) -> list[Item]:
    """Items that stand in the list; a contested item is shown with the item that contests it."""
    return [item for item in review.at(kind) if not item.contested or item.judgement.verdict != "new"]


def set_mark(text: str, layout: Layout, identity: str, mark: str, new_text: str | None = None) -> str | None:
    """The list with one entry's mark (and text) set, None where it has no such entry."""
    labels = LABELS[layout.language]
    pieces, found = [], False
    for entry, lines in segments(text, labels):
        if entry is not None and entry.identity == identity:
            found = True
            first = re.sub(r"\[\s*\S?\s*\]", lambda _: f"[{mark}]", lines[0], count=1)
            lines = [_with_text(first, entry, labels, new_text) if new_text is not None else first, *lines[1:]]
        pieces += lines
    return "".join(pieces) if found else None


def without(text: str, layout: Layout, identities: set[str]) -> str:
    """The list without the entries named."""
    labels = LABELS[layout.language]
    kept = [lines for entry, lines in segments(text, labels) if entry is None or entry.identity not in identities]
    return "".join(line for lines in kept for line in lines)


def _head(labels: Labels, kind: Kind) -> str:
    title, explained = (
        (labels.pending_title, labels.pending_help)
        if kind == "pending"
        else (labels.conflicts_title, labels.conflicts_help)
    )
    return f"{title}\n\n{explained}\n\n"


def _is_reviewed(entry: Entry, review: Review) -> bool:
    """Whether an entry of the old format is one of the review's items, so that the item stands in its place."""
    return any(item.submitted.submission == entry.source and item.submitted.text == entry.text for item in review.items)


def _render(item: Item, entry: Entry | None, review: Review, layout: Layout, kind: Kind) -> str:
    labels = LABELS[layout.language]
    changed = entry is not None and (
        entry.verdict not in ("", labels.verdicts[item.verdict]) or not shows_old(entry, old_text(item, review))
    )
    if entry is not None and changed and entry.mark != REJECT:
        entry = replace(entry, mark=ACCEPT if item.is_ticked else WAIT)
    mark = entry.mark if entry is not None else (ACCEPT if item.is_ticked else WAIT)
    text = entry.text if entry is not None else shown(item.submitted.text)
    place = item.judgement.note if item.is_outside else f"{layout.root}/{item.judgement.note}"
    target = entry.target if entry is not None and entry.target else place
    line = (_conflict_line if kind == "conflict" else _pending_line)(item, mark, text, target, review, labels)
    return line + "\n" + "".join(f"    - {part}\n" for part in evidence(item, review, labels))


def _pending_line(item: Item, mark: str, text: str, target: str, review: Review, labels: Labels) -> str:
    category = labels.categories[item.judgement.category]
    parts = [f"{labels.category}{labels.colon}{category}", f"{labels.target}{labels.colon}{target}"]
    parts.append(f"{labels.source}{labels.colon}{source_name(item.submitted.submission)}")
    old = old_text(item, review)
    if old:
        name = labels.retracts if item.submitted.operation == "retract" else labels.supersedes
        parts.append(f"{name}{labels.colon}{_shown_old(old)}")
    parts.append(f"{labels.text}{labels.colon}{text}")
    return f"- [{mark}] 0. {labels.separator.join(parts)} ^{item.id}"


def _shown_old(text: str) -> str:
    """The old text as the pending list has it: it may not look like the next field."""
    return shown(text.replace("｜", "¦").replace(" | ", " ¦ "))


def shows_old(entry: Entry, old: str) -> bool:
    """Whether the entry, as far as it names an old text, names this one: a ruling holds for both texts."""
    return not entry.old or not old or entry.old in (shown(old), _shown_old(old).strip())


def _conflict_line(item: Item, mark: str, text: str, target: str, review: Review, labels: Labels) -> str:
    fields = {labels.new: text, labels.old: shown(old_text(item, review)), labels.source: item.submitted.submission}
    fields[labels.target] = target
    if item.other:
        other = review.item(item.other)
        fields[labels.other_source] = other.submitted.submission if other else ""
    fields[labels.identity] = item.id
    return f"- [{mark}] {labels.conflict} {json.dumps(fields, ensure_ascii=False)}"


def old_text(item: Item, review: Review) -> str:
    """The text that the item conflicts with, supersedes or takes back."""
    if item.judgement.target is not None and item.judgement.verdict != "new":
        return item.judgement.target.text
    other = review.item(item.other) if item.other else None
    return other.submitted.text if other else ""


def evidence(item: Item, review: Review, labels: Labels) -> list[str]:
    """The lines below an entry: verdict and reason, flags, nearest facts, restatements."""
    judgement = item.judgement
    head = f"{labels.verdicts[item.verdict]}{labels.separator}{shown(judgement.reason)}"
    if judgement.target is not None:
        stamp = judgement.target.stamp
        written = f", {stamp.written}, {stamp.agent}" if stamp and stamp.written else ""
        head += f" ({judgement.target.note}{written})"
    lines = [head]
    lines += [f"⚠ {labels.flags[flag.kind]}{labels.colon}{shown(flag.detail)}" for flag in judgement.flags]
    alike = [near for near in judgement.nearest[:2] if near.similarity >= LEAST_ALIKE and near.fact != judgement.target]
    for near in alike:
        lines.append(
            f"{labels.nearest} {near.similarity:.2f}{labels.colon}{shown(near.fact.text)[:SHOWN_CHARACTERS]} ({near.fact.note})"
        )
    if item.restatements:
        names = ", ".join(f"{other.submission}:{other.line}" for other in item.restatements)
        lines.append(f"{labels.restated}{labels.colon}{names}")
    return lines


def _with_text(line: str, entry: Entry, labels: Labels, text: str) -> str:
    if entry.kind == "conflict" and "{" in line:
        head, _, body = line.partition("{")
        fields = json.loads("{" + body)
        key = next(words.new for words in LABELS.values() if words.new in fields)
        return head + json.dumps({**fields, key: shown(text)}, ensure_ascii=False) + "\n"
    before, _, _ = line.rpartition(entry.text) if entry.text else (line.rstrip("\r\n"), "", "")
    tail = "" if entry.legacy else f" ^{entry.identity}"
    return f"{before}{shown(text)}{tail}\n"


def _ends_with_entry(body: str, labels: Labels) -> bool:
    written = [segment for segment in segments(body, labels) if "".join(segment[1]).strip()]
    return bool(written) and written[-1][0] is not None and body.endswith("\n") and not body.endswith("\n\n")


def _numbered(text: str) -> str:
    number = 0
    lines = split_lines(text)
    for index, line in enumerate(lines):
        if matched := re.match(r"^(- \[.\] )\d+\. ", line):
            number += 1
            lines[index] = f"{matched[1]}{number}. {line[matched.end() :]}"
    return "".join(lines)
