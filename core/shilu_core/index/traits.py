"""What a line states and what a question asks for, as bits: an address, a port, a place, a person, a command.

A two-step question ("on which machine does the database of X run, and its address?") is answered by a line
that shares no word with it; that such a line states what was asked for is what tells it from its
neighbours.
"""

from __future__ import annotations

import re

from shilu_core.entities import Entity
from shilu_core.words import stem

CONTINUES = 1  # goes on from the row before it: same dialogue or paragraph
ASKS = 2  # ends with a question
SUPERSEDED = 4
PASSAGE = 8  # text of a note that is no fact
CJK = 16
ADDRESS, PORT, PLACE, PERSON, COMMAND = 32, 64, 128, 256, 512
TURN = 1024  # a line of a dialogue
TIME, NUMBER = 2048, 4096
CODE = 8192  # program text
SPOKEN = 16384  # a turn as it was said, `Name: ...`, not a sentence about it

_ADDRESS = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w)|://")
# What every match of the pattern below holds: asked first, since a choice of single characters costs a fifth.
_HINTS_PORT = re.compile(r"[oO][rR][tT]|端|ポ|포|:\d")
_PORT = re.compile(r"\bports?\b|端口|ポート|포트|(?<=\w):\d{2,5}\b", re.IGNORECASE)
_HINTS_COMMAND = re.compile("[命コ`]|[mM][mM]")
_COMMAND = re.compile(r"命令|コマンド|\bcommands?\b|`", re.IGNORECASE)
_TIME_WORDS = frozenset(
    stem(word)
    for word in [
        "yesterday",
        "tomorrow",
        "today",
        "tonight",
        "last",
        "next",
        "ago",
        "weekend",
        "week",
        "month",
        "year",
        "day",
        "since",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ]
)
_NUMBER_WORDS = frozenset(
    ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "dozen", "hundred", "thousand", "million"]
)
_TIME = re.compile(
    r"(?<!\d)(?:19|20)\d\d(?!\d)|\d ?[年月日号点时時]|\d:\d\d|昨|明天|上周|下周|去年|今年|周[一二三四五六日]"
)
_COUNT = re.compile(r"[\d一二三四五六七八九十百千万两]")
_CODE = re.compile(
    r"^\s*(?:def|class|function|func|fn|public|private|static|async|export|import|from|const|let|var)\b.*[(:{;=]"
    r"|^\s*return\b|[{};]\s*$|=>|\bself\.\w|\)\s*[:{]\s*$",
    re.MULTILINE,
)
_ASKED: tuple[tuple[int, re.Pattern[str]], ...] = (
    (
        ADDRESS,
        re.compile(r"\bIP\b|地址|アドレス|주소|\baddress(?:es)?\b|\bconnect\b|\burl\b|网址", re.IGNORECASE),
    ),
    (PORT, re.compile(r"\bports?\b|端口|ポート|포트", re.IGNORECASE)),
    (
        PLACE,
        re.compile(
            r"(?:which|what) (?:\w+ )?(?:host|machine|server|box|node)|\bwhere\b"
            r"|哪(?:台|个(?:机器|主机|服务器|节点))|在哪|どこ|どの(?:サーバ|ホスト|マシン)|어디|어느 서버",
            re.IGNORECASE,
        ),
    ),
    (
        PERSON,
        re.compile(
            r"\bwho(?:m|se)?\b|\bperson\b|\b(?:which|what) (?:agent|colleague)\b|谁|那个人|哪位|哪个(?:代理|人|同事)|誰|누구",
            re.IGNORECASE,
        ),
    ),
    (COMMAND, re.compile(r"命令|コマンド|\bcommand\b", re.IGNORECASE)),
    (
        TIME,
        re.compile(
            r"\bwhen\b|\bwhat (?:date|time|day|year|month)\b|\bwhich (?:day|year|month)\b|\bhow long\b"
            r"|何时|什么时候|几点|周几|哪一?[年天月]|几[月号]|いつ|何[年月時日]|언제",
            re.IGNORECASE,
        ),
    ),
    (
        NUMBER,
        re.compile(
            r"\bhow (?:many|much|old|far|tall|big|large|high|fast)\b|多少|几[个人次台天条份]|多[大高远快]|いくつ|何[人個回台位]|몇",
            re.IGNORECASE,
        ),
    ),
)


def asked(question: str) -> int:
    """The bits of what `question` asks for, 0 where it names none of these."""
    return sum(bit for bit, pattern in _ASKED if pattern.search(question))


def stated(text: str, words: frozenset[str], mentions: tuple[Entity, ...]) -> int:
    """The bits of what `text` states, by its search words and the things that it names."""
    bits = 0
    kinds = {mention.kind for mention in mentions}
    if ("." in text or "://" in text) and _ADDRESS.search(text):
        bits |= ADDRESS
    if _HINTS_PORT.search(text) and _PORT.search(text):
        bits |= PORT
    if kinds & {"term", "address"}:
        bits |= PLACE
    if "name" in kinds:
        bits |= PERSON
    if words & _TIME_WORDS or _TIME.search(text):
        bits |= TIME
    if _COUNT.search(text) or words & _NUMBER_WORDS:
        bits |= NUMBER
    if "\n" in text and _CODE.search(text):
        bits |= CODE
    if _HINTS_COMMAND.search(text) and _COMMAND.search(text):
        bits |= COMMAND
    return bits
