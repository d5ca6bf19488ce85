"""A fact: one bullet of a canonical note."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from datetime import date

from shilu_core.stamps import Stamp

ID_LENGTH = 10
_ID_BYTES = 10  # of the digest: more than the ten characters hold, and a whole number of groups


@dataclass(frozen=True)
class Fact:
    """One bullet of a note; `text` has neither bullet, stamp nor block id.

    `note` is the note's id: its path below the notes root, with forward slashes. Lines count from 1 and
    `end` is the first line behind the fact and its continuation lines (nested bullets are facts of their own).
    """

    id: str
    text: str
    note: str
    line: int
    end: int
    stamp: Stamp | None = None
    heading: str = ""  # the nearest heading above, without hashes
    parent: str = ""  # the text of the bullet that this one is nested in
    superseded: bool = False  # stands under the heading of superseded facts, or its stamp has an end
    block_id: str = ""

    @property
    def written(self) -> date | None:
        return self.stamp.written if self.stamp else None

    @property
    def ended(self) -> date | None:
        return self.stamp.ended if self.stamp else None

    @property
    def agent(self) -> str:
        return self.stamp.agent if self.stamp else ""


@dataclass(frozen=True)
class Passage:
    """Text of a note that is no fact: a paragraph, a table row, a line of code; searchable, never promoted."""

    text: str
    note: str
    line: int
    heading: str = ""
    kind: str = "text"  # text | table | code


def fact_id(note: str, text: str, occurrence: int) -> str:
    """Ten base32 characters of sha256 over note id, text and occurrence (0 for the first equal text)."""
    digest = hashlib.sha256(f"{note}\0{text}\0{occurrence}".encode("utf-8", "surrogatepass")).digest()
    return base64.b32encode(digest[:_ID_BYTES]).decode("ascii").lower()[:ID_LENGTH]
