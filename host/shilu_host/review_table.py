"""What waits, as a person reads it on a terminal: a table, or plain lines where the terminal is narrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shilu_inbox.lists import WAIT, old_text, shown
from shilu_inbox.review import Item, Review
from shilu_inbox.texts import LABELS, Labels

from shilu_host.context import Context

SHORT = 160  # characters of a text
NARROW = 60  # columns; below it a table cuts words into syllables


def show_items(waiting: Sequence[Item], found: Review, marks: Mapping[str, str], context: Context) -> None:
    """Prints the items; `marks` are the marks of the lists by item id, `?` stands for a conflict without one."""
    labels = LABELS[context.language]
    if context.console.width < NARROW:
        for item in waiting:
            facts = _facts(item, found).replace("\n", "\n    ")
            context.say(f"{_mark(item, marks)} {item.id} {item.submitted.agent}\n    {facts}")
            context.say("    " + _verdict(item, labels).replace("\n", "\n    "))
        return
    from rich.table import Table

    table = Table(show_lines=True)
    for name in ("mark", "item", "fact", "verdict"):
        table.add_column(labels.words[name], overflow="fold")
    for item in waiting:
        name = f"{item.id}\n{item.submitted.agent}".rstrip()
        table.add_row(_mark(item, marks), name, _facts(item, found), _verdict(item, labels))
    context.console.print(table)


def _mark(item: Item, marks: Mapping[str, str]) -> str:
    mark = marks.get(item.id, WAIT)
    return f"[{'?' if mark == WAIT and item.place == 'conflict' else mark}]"


def _facts(item: Item, found: Review) -> str:
    """The submitted text and, below it, what it would end."""
    text, old = shown(item.submitted.text)[:SHORT], old_text(item, found)
    return text if not old or old == item.submitted.text else f"{text}\n← {shown(old)[:SHORT]}"


def _verdict(item: Item, labels: Labels) -> str:
    """Verdict and note, the reason, and what is flagged, a line each."""
    lines = [f"{labels.verdicts[item.verdict]} → {item.judgement.note}", shown(item.judgement.reason)]
    lines += [f"⚠ {labels.flags[flag.kind]}{labels.mark}{shown(flag.detail)}" for flag in item.judgement.flags]
    return "\n".join(lines)
