"""Other readings of a text in which a disguised secret looks like itself, each with the way back to the original.

A secret may be written in full-width letters, with zero-width characters inside, or in pieces. Every view is a
shorter or equally long text plus, where positions moved, the original position of each of its characters.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

# Cyrillic and Greek letters that a reader takes for the Latin ones.
_LOOKALIKES = str.maketrans(
    "аеорсхуіѕјһԁɡԛԝАВЕКМНОРСТХУІЅЈαονΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcxyisjhdgqwABEKMHOPCTXYISJaovABEZHIKMNOPTYX"
)
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\U000e0000-\U000e001f\U000e007f-\U000e01ef]"
)
# What may stand between two pieces of one token: blanks, line breaks, a string concatenation, an escaped line end.
_JOINT = re.compile(r"(?:[\"'`]\s{0,8}[+.&]\s{0,8}[\"'`]|\\\s|[\s\u3000])+")
_GAP = r"[\s—–\-·._*~|]{1,3}"
# Gaps inside the name of a secret: "密 码", "p a s s w o r d".
_NAME_GAPS = re.compile(
    rf"(?<=密){_GAP}(?=[码碼钥鑰])|(?<=口){_GAP}(?=令)|(?<=令){_GAP}(?=牌)|(?<=金){_GAP}(?=鑰)|(?<=(?<![A-Za-z])[A-Za-z])[ .\-_](?=[A-Za-z](?![A-Za-z]))"
)


@dataclass(frozen=True)
class View:
    """`text` as read; `origin[i]` is where its character i stands in the original (`None`: at i)."""

    text: str
    origin: list[int] | None = None

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the original that `text[start:end]` was read from."""
        if self.origin is None:
            return start, end
        return self.origin[start], self.origin[end - 1] + 1


@lru_cache(maxsize=1)
def _plain_letters() -> dict[int, int]:
    """Compatibility forms of single ASCII characters (full-width, mathematical, circled, tags) -> ASCII."""
    table: dict[int, int] = dict(_LOOKALIKES)
    blocks = ((0xFF01, 0xFF5F), (0x1D400, 0x1D800), (0x2460, 0x2474), (0x24B6, 0x24EA), (0x2070, 0x209D))
    for first, last in blocks:
        for code in range(first, last):
            plain = unicodedata.normalize("NFKC", chr(code))
            if len(plain) == 1 and plain.isascii():
                table[code] = ord(plain)
    table |= {0xE0000 + code: code for code in range(0x20, 0x7F)}
    # Full-width comma, semicolon and full stop end a value, as they never stand inside one.
    return table | {0xFF0C: 0x3001, 0xFF1B: 0x3002, 0xFF0E: 0x2E, 0xA0: 0x20, 0x3000: 0x20}


def _without(view: View, unwanted: re.Pattern[str]) -> View:
    kept: list[int] = []
    pieces: list[str] = []
    last = 0
    for match in unwanted.finditer(view.text):
        pieces.append(view.text[last : match.start()])
        kept.extend(range(last, match.start()))
        last = match.end()
    if not pieces:
        return view
    pieces.append(view.text[last:])
    kept.extend(range(last, len(view.text)))
    origin = kept if view.origin is None else [view.origin[i] for i in kept]
    return View("".join(pieces), origin)


def plain(text: str) -> View:
    """The text with compatibility letters as ASCII and invisible characters taken out."""
    if text.isascii():
        return View(text)
    return _without(View(text.translate(_plain_letters())), _INVISIBLE)


def joined_text(view: View) -> str:
    """The text of `joined(view)`, much faster, without the way back."""
    return _JOINT.sub("", view.text)


def joined(view: View) -> View:
    """The view with all that may stand between two pieces of one token taken out, as a view of `view`."""
    return _without(View(view.text), _JOINT)


def respelled(view: View) -> View | None:
    """The view with names of secrets that were spelled apart in one piece, as a view of `view`; `None` without any."""
    if not _NAME_GAPS.search(view.text):
        return None
    return _without(View(view.text), _NAME_GAPS)
