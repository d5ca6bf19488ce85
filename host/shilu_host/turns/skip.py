"""Messages that recall leaves alone, whatever the vault holds."""

from __future__ import annotations

import re

_BLOCK = re.compile(r"<\s*/?\s*memory-data\b|&lt;\s*/?\s*memory-data\b", re.IGNORECASE)
_SLASH = re.compile(r"/[A-Za-z][\w:.-]*(?:\s|$)")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_SIGN = re.compile(r"[\W_]+")
CJK_WEIGHT = 1.5  # a character of CJK says about as much as one and a half letters: four of them pass the default of 6

# Replies that carry no topic, alone or one after the other; with the signs and blanks taken out.
_REPLY = re.compile(
    r"(?:好的?|好吧|行|可以|没问题|没错|对的?|是的?|嗯+|哦+|继续|接着(?:来|做)?|开始吧?|下一步|确认|同意|取消|停|不用了?|不要|谢谢你?|辛苦了?|收到|明白了?|知道了?|了解|"
    r"请|吧|了|啊|呢|哈+|再来一次|重试|就这样|先这样|"
    r"yes|yeah|yep|ok(?:ay)?|sure|fine|great|good|nice|cool|perfect|thanks?|thankyou|thx|please|go(?:on|ahead)|continue|proceed|next|done|"
    r"no|nope|stop|cancel|retry|again|tryagain|doit|sounds|looks|lgtm|gotit|right|correct|exactly|agreed|hi|hello|hey)+",
    re.IGNORECASE,
)


def reason(message: str, *, shortest: int) -> str:
    """Why `message` is left alone, `""` if it isn't; `shortest` is `recallMinQueryChars`."""
    if _BLOCK.search(message):
        return "holds a block"
    if _SLASH.match(message):
        return "slash command"
    if weight(message) < shortest or _REPLY.fullmatch(_SIGN.sub("", message)):
        return "short"
    return ""


def weight(message: str) -> float:
    """How many characters a message counts: letters, digits and signs between them 1, CJK more, blanks
    none."""
    dense = re.sub(r"\s+", "", message)
    return len(dense) + (CJK_WEIGHT - 1) * len(_CJK.findall(dense))
