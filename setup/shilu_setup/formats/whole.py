"""Files that are ours as a whole (our copies of the hook client and the plug-ins)."""

from __future__ import annotations

from shilu_setup.errors import Foreign
from shilu_setup.formats.edits import Edit, Trace, Written


def put(text: str, edit: Edit) -> Written:
    """Our text in place of whatever stood there (an older release of the same file)."""
    if text == edit.value:
        return Written(text, None)
    return Written(str(edit.value), Trace(before=text))


def take(text: str, edit: Edit, trace: Trace) -> str:
    """The former text. Raises `Foreign` where the file is no longer the one we wrote."""
    if text != edit.value:
        raise Foreign("the file was changed since", ours=str(edit.value), theirs=text)
    return trace.before or ""


def find(text: str, edit: Edit) -> str:
    """`absent`, `ours` or `other`."""
    if not text:
        return "absent"
    return "ours" if text == edit.value else "other"
