"""Budget arithmetic (6.5, 7.7): what is full, and by how much."""

from __future__ import annotations

from shilu_host.mm.index_text import is_entry_heading
from shilu_host.mm.options import Options
from shilu_host.mm.text import byte_length, count_lines
from shilu_host.mm.values import IndexUsage


def index_usage(text: str, options: Options) -> IndexUsage:
    """The measure of an index text against its caps."""
    lines, size = count_lines(text), byte_length(text)
    over_lines, over_bytes = max(0, lines - options.index_lines), max(0, size - options.index_bytes)
    return IndexUsage(
        entries=sum(is_entry_heading(line) for line in text.split("\n")),
        lines=lines,
        bytes=size,
        line_cap=options.index_lines,
        byte_cap=options.index_bytes,
        over_budget=over_lines > 0 or over_bytes > 0,
        overflow_lines=over_lines,
        overflow_bytes=over_bytes,
    )


def percentage(spent: int, budget: int) -> int:
    """Per cent of the budget, half rounded up, within 0 and 100."""
    return min(100, (200 * spent + budget) // (2 * budget)) if budget > 0 else 0
