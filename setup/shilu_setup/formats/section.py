"""Our section of a Markdown file, between two markers that are comments there."""

from __future__ import annotations

import re

from shilu_setup.errors import Foreign, Malformed
from shilu_setup.formats.edits import Edit, Trace, Written, newline_of

BEGIN = "<!-- shilu:begin"
END = "<!-- shilu:end -->"
_SECTION = re.compile(r"^<!-- shilu:begin[^\r\n]*-->\r?\n.*?^<!-- shilu:end -->", re.DOTALL | re.MULTILINE)


def put(text: str, edit: Edit) -> Written:
    """The text with our section at its end, or with the section that stands there brought up to date."""
    newline = newline_of(text)
    ours = _marked(str(edit.value), newline)
    found = _only(text)
    if found is not None:
        if found.group() == ours:
            return Written(text, None)
        return Written(text[: found.start()] + ours + text[found.end() :], Trace(before=found.group()))
    chunk = _lead(text, newline) + ours + newline
    return Written(text + chunk, Trace(chunk=chunk))


def take(text: str, edit: Edit, trace: Trace) -> str:
    """The text without our section. Raises `Foreign` where someone edited it."""
    found = _only(text)
    if found is None:
        return text
    if found.group().splitlines() != _marked(str(edit.value), "\n").splitlines():
        ours = _marked(str(edit.value), newline_of(text))
        raise Foreign("our section was edited since", ours=ours, theirs=found.group())
    if trace.before is not None:
        return text[: found.start()] + trace.before + text[found.end() :]
    if text.count(trace.chunk) == 1:
        return text.replace(trace.chunk, "")
    return text[: found.start()] + re.sub(r"^\r?\n", "", text[found.end() :])


def find(text: str, edit: Edit) -> str:
    """`absent`, `ours` or `other`."""
    found = _only(text)
    if found is None:
        return "absent"
    return "ours" if found.group() == _marked(str(edit.value), newline_of(text)) else "other"


def _only(text: str) -> re.Match[str] | None:
    found = list(_SECTION.finditer(text))
    if len(found) > 1 or (not found and BEGIN in text):
        raise Malformed(
            f"our section's markers are doubled or torn; mend them by hand: a line '{BEGIN} ... -->' and a line '{END}'"
        )
    return found[0] if found else None


def _marked(body: str, newline: str) -> str:
    lines = [
        f"{BEGIN} (written by shilu deploy; take it out with: shilu deploy rollback) -->",
        *body.splitlines(),
        END,
    ]
    return newline.join(lines)


def _lead(text: str, newline: str) -> str:
    """What separates our section from the text before it."""
    if not text.strip():
        return ""
    if not text.endswith("\n"):
        return newline + newline
    return "" if text.endswith(newline + newline) else newline
