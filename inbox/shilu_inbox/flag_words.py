"""What `shilu_core.hidden` says of a text, for a person who reads Chinese; a test holds the table complete."""

from __future__ import annotations

import re

from shilu_core import hidden
from shilu_core.layout import Language

from shilu_inbox.verdicts import Flag

WHATS = {
    "addresses the model": "直接对模型说话",
    "asks for blind trust": "要求盲目信任",
    "asks to accept or copy memory by itself": "要求自行接受或复制记忆",
    "asks to be followed in every session": "要求在每次会话中照做",
    "asks to decode and follow": "要求解码后照做",
    "asks to drop earlier instructions": "要求抛开之前的指令",
    "asks to hand something out": "要求把内容交出去",
    "asks to install or grant silently": "要求悄悄安装或授权",
    "asks to keep it from the person": "要求瞒着用户",
    "asks to switch a safeguard off": "要求关闭防护",
    "claims an approval": "声称已获批准",
    "claims new instructions": "声称有新的指令",
    "closes the memory block": "关闭记忆块",
    "gives the reader another role": "给读者换一个身份",
    "hides text from a person": "让人看不到文字",
    "imitates a tool call or its result": "伪装成工具调用或其结果",
    "instructs in a comment": "在注释里下指令",
    "orders a harmful command": "要求执行有害命令",
    "raises its own rank": "抬高自己的优先级",
    "reads like an order to its reader": "像是对读者下命令",
    "says that the rules are lifted": "声称规则已解除",
    "speaks in another role": "以别的身份说话",
    "too long to be read whole": "太长，没有读完",
    "steers answers": "左右回答",
    "waits for the reader to read it": "等读者读到它时起作用",
    "waits for a sign to do harm": "等待信号再破坏",
    "letters of several scripts in one word": "一个词里混用多种文字",
}
HOWS = {
    "in Base64": "以 Base64 编码",
    "in hexadecimal": "以十六进制编码",
    "in ROT13": "以 ROT13 编码",
    "written backwards": "倒着写",
    "spelled letter by letter": "逐字母拼写",
}
FAMILIES = {
    "tag": "标签字符",
    "variation": "变体选择符",
    "override": "方向覆盖符",
    "direction": "方向标记",
    "joiner": "连接符",
    "space": "特殊空格",
    "control": "控制字符",
    "zero-width": "零宽字符",
}
_COUNTED = re.compile(r"^(?P<count>\d+) × (?P<family>[a-z-]+) (?P<named>\(.*\))$")


def hidden_flags(text: str, language: Language) -> tuple[Flag, ...]:
    """A flag for each hidden character family and each way in which a text instructs its reader, in this language."""
    return tuple(Flag(flag.kind, told(flag.detail, language)) for flag in hidden.flags(text))


def told(detail: str, language: Language) -> str:
    """The detail in the person's language; what the table does not know stays as it is."""
    if language != "zh":
        return detail
    if (counted := _COUNTED.match(detail)) and counted["family"] in FAMILIES:
        return f"{counted['count']} 个{FAMILIES[counted['family']]} {counted['named']}"
    what = next((what for what in WHATS if detail.startswith(what)), "")
    if not what:
        return detail
    rest = detail.removeprefix(what)
    how = next((how for how in HOWS if rest.startswith(f", {how}")), "")
    return f"{WHATS[what]}，{HOWS[how]}{rest.removeprefix(f', {how}')}" if how else f"{WHATS[what]}{rest}"
