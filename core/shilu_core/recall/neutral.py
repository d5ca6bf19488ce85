"""Text of others made harmless: on one line, nothing hidden in it, and no form of the block's closing tag.

Three layers, each enough by itself: no angle bracket or look-alike of one, no escape that a reader may turn into one,
and not the tag's word either. The signs put in have no compatibility form, so that normalising them brings nothing back.
"""

from __future__ import annotations

import re
import unicodedata

from shilu_core.hidden.characters import marks

# Signs that are, look like, or decompose to angle brackets.
_LESS = "<＜﹤≮‹〈〈⟨❮❬˂ᐸ𝈶⋖⧼⦑⩹﹀︿"
_GREATER = ">＞﹥≯›〉〉⟩❯❭˃ᐳ𝈷⋗⧽⦒⩺"
_ANGLES = str.maketrans({**dict.fromkeys(_LESS, "‹"), **dict.fromkeys(_GREATER, "›")})
_AMPERSAND = r"(?:amp;?|#0*38;?|#x0*26;?)*"
_ESCAPE = re.compile(
    rf"[&＆﹠](?={_AMPERSAND}(?:#|lt|gt|[a-z][a-z0-9]*;))"  # &lt; &LT &#60; &#x3c; &amp;lt; &nvlt;
    r"|[\\＼﹨](?=u\{?[0-9a-f]|x\{?[0-9a-f]|0?7[46])"  # \u003c \u{3c} \U0000003c \x3c \74
    r"|[%％﹪](?=(?:25)*(?:3[ce]|u0*3[ce]|ef|e2))",  # %3C %253C %u003c and the full-width and other brackets in UTF-8
    re.IGNORECASE,
)
_SHOWN_AS = {"&": "⅋", "＆": "⅋", "﹠": "⅋", "\\": "∖", "＼": "∖", "﹨": "∖", "%": "٪", "％": "٪", "﹪": "٪"}
_TAG_WORD = re.compile(r"memory[\W_]*data")
_LIKE_LATIN = str.maketrans("аеорсухтмԁ", "aeopcyxtmd")  # Cyrillic letters that look like those of the tag
_HIDDEN = frozenset(["Cf", "Cc", "Cs", "Co", "Cn"])
_BLANK_LETTERS = "\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5"
_SPACE = re.compile(r"\s+")


def neutral(text: str) -> str:
    """`text` on one line, without any character or escape that could close the block or hide."""
    shown = _visible(text).translate(_ANGLES)
    shown = _ESCAPE.sub(lambda matched: _SHOWN_AS[matched[0]], shown)
    return _SPACE.sub(" ", _without_tag_word(shown)).strip()


def _visible(text: str) -> str:
    """Hidden characters as `[U+200B]`, those that are at home in emoji and scripts too, but for presentation signs."""
    if text.isascii() and text.isprintable():
        return text
    odd = {mark.at for mark in marks(text) if mark.family == "variation" and not mark.harmless}
    return "".join(f"[U+{ord(char):04X}]" if at in odd or _hides(char) else char for at, char in enumerate(text))


def _hides(char: str) -> bool:
    if char in "\t\n\r\u2028\u2029":  # white space, which becomes a blank
        return False
    return unicodedata.category(char) in _HIDDEN or char in _BLANK_LETTERS


def _without_tag_word(text: str) -> str:
    """The tag's word with a dot in it, in whatever width, style or look-alike letters it is written."""
    plain = text.lower() if text.isascii() else "".join(_plain(char) for char in text)
    for matched in reversed(list(_TAG_WORD.finditer(plain))):
        text = f"{text[: matched.start()]}memory·data{text[matched.end() :]}"
    return text


def _plain(char: str) -> str:
    """One character as the reader takes it, always one, so that places stay."""
    folded = unicodedata.normalize("NFKD", char).casefold().translate(_LIKE_LATIN)
    return folded[0] if folded and not unicodedata.combining(folded[0]) else "-"
