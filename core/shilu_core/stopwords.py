"""Words and characters that carry no subject: dropped from texts and questions alike.

Two short closed lists (function words of English, function characters of Chinese and Japanese); a text that
has nothing else keeps them, so that no line becomes unfindable.
"""

from __future__ import annotations

_ENGLISH = """
a an the is are was were be been being am do does did done has have had having i you he she it we they my
your his her its our their me him them us mine yours of to in on at for with by from as and or but if
then than that this these those what which who whom whose when where why how can could would should will
shall may might must not no so too very just about into over after before there here also any some such
let s t re ve ll d m
"""
ENGLISH = frozenset(_ENGLISH.split())
FUNCTION_CHARACTERS = frozenset(
    "的了吗呢啊呀吧嘛是在有和与什么哪谁几何请问那这个来着怎就也都还我你他她它们把被着过得地はがをにのでともかへやねよ"
)


def is_function_run(token: str) -> bool:
    """Whether a run of one or two CJK characters is made of function characters only."""
    return all(character in FUNCTION_CHARACTERS for character in token)
