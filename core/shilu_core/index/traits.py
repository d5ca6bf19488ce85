"""What a line states and what a question asks for, as bits: an address, a port, a place, a person, a command.

A two-step question ("on which machine does the database of X run, and its address?") is answered by a line
that shares no word with it; that such a line states what was asked for is what tells it from its
neighbours.
"""

from __future__ import annotations

import re

from shilu_core.entities import Entity

CONTINUES = 1  # goes on from the row before it: same dialogue or paragraph
ASKS = 2  # ends with a question
SUPERSEDED = 4
PASSAGE = 8  # text of a note that is no fact
CJK = 16
ADDRESS, PORT, PLACE, PERSON, COMMAND = 32, 64, 128, 256, 512
TURN = 1024  # a line of a dialogue

_ADDRESS = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w)|://")
_PORT = re.compile(r"\bports?\b|端口|ポート|포트|(?<=\w):\d{2,5}\b", re.IGNORECASE)
_COMMAND = re.compile(r"命令|コマンド|\bcommands?\b|`", re.IGNORECASE)
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
    (PERSON, re.compile(r"\bwho(?:m|se)?\b|谁|那个人|哪位|\bperson\b|誰|누구", re.IGNORECASE)),
    (COMMAND, re.compile(r"命令|コマンド|\bcommand\b", re.IGNORECASE)),
)


def asked(question: str) -> int:
    """The bits of what `question` asks for, 0 where it names none of these."""
    return sum(bit for bit, pattern in _ASKED if pattern.search(question))


def stated(text: str, mentions: tuple[Entity, ...]) -> int:
    """The bits of what `text` states."""
    bits = 0
    kinds = {mention.kind for mention in mentions}
    if _ADDRESS.search(text):
        bits |= ADDRESS
    if _PORT.search(text):
        bits |= PORT
    if kinds & {"term", "address"}:
        bits |= PLACE
    if "name" in kinds:
        bits |= PERSON
    if _COMMAND.search(text):
        bits |= COMMAND
    return bits
