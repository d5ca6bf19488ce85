"""What is put into a file (`Edit`), and what taking it out again has to know (`Trace`)."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Edit:
    """One entry of ours.

    JSON and TOML: the value at `path`; with `element`, one more element of the array at `path`, known again
    by `mark`. Markdown and YAML: `value` is the text between our markers. A whole file: `value` is its text.
    """

    path: tuple[str, ...]
    value: Any
    element: bool = False
    mark: str = ""

    @property
    def place(self) -> str:
        """The entry's address, for people."""
        return ".".join(self.path) + ("[+]" if self.element else "")


@dataclass(frozen=True)
class Trace:
    """What `put` did to the text beyond the entry itself; with it `take` gives the same bytes back."""

    chunk: str = ""  # the inserted text
    inner: str | None = None  # what stood in the container before, when it held no entries
    before: str | None = None  # the source of the value we replaced
    created: int = 0  # how many containers around the entry are ours, too
    whole: bool = False  # whether the document itself is ours (the file was empty)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Written:
    """The text with the entry in it; `trace` is None when it was there already, just so."""

    text: str
    trace: Trace | None


def same(left: Any, right: Any) -> bool:
    """Whether two parsed values are equal, types included (1 is not true)."""
    return canonical(left) == canonical(right)


def canonical(value: Any) -> str:
    """One spelling a value."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def newline_of(text: str) -> str:
    """The newline the file uses most; LF for a file of one line."""
    crlf = text.count("\r\n")
    return "\r\n" if crlf > text.count("\n") - crlf else "\n"
