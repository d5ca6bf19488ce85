"""Does a text try to instruct its reader? It is read in several forms, so that a disguise does not help."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
from collections.abc import Iterator
from urllib.parse import unquote

from shilu_core.hidden.intents import intents
from shilu_core.hidden.scoring import reads_like_an_order
from shilu_core.hidden.wording import ROWS, Wording
from shilu_core.secrets.views import plain

_LONGEST = 16384  # characters that are read; a longer text is flagged for that
_BEFORE = 48  # characters before a match in which a "never" turns it into a rule
_HAN_GAPS = re.compile(r"(?<=[\u4e00-\u9fff])[\s·•._*|~\-]{1,3}(?=[\u4e00-\u9fff])")
_HAN = re.compile("[\u4e00-\u9fff]")
_SPELLED = re.compile(r"(?<![a-z0-9])(?:[a-z][ ._\-*|]{1,2}){5,200}[a-z](?![a-z0-9])")
_COMPACT = re.compile(
    r"(?:ignore|disregard|forget|override|bypass)(?:all|any|the|your|my|of|these)*(?:previous|prior|above|earlier|preceding|system|safety)"
    r"(?:instruction|rule|prompt|message|guideline|context|order)|systemprompt|donottelltheuser|youarenow"
)
_LEET = str.maketrans("013457@$!", "oieastasi")
_ESCAPES = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,8000}={0,2}")
_HEX = re.compile(
    r"(?<![0-9a-fA-F])(?:[0-9a-fA-F]{2}[ :]?){12,2000}(?![0-9a-fA-F])|(?:\\x[0-9a-fA-F]{2}){8,2000}|(?:\\u[0-9a-fA-F]{4}){4,1000}"
)
_FORBIDS = re.compile(
    r"(?:\b(?:never|do not|don't|must not|mustn't|may not|should not|shouldn't|cannot|can't|not allowed to|forbidden to|"
    r"nobody (?:may|should)|no (?:agent|one|tool) (?:may|should|can|must)|refuse(?:s)? to|not)\b[^.\n]{0,24}$)"
    r"|(?:不得|不要|禁止|不能|不可|不许|严禁|切勿|请勿|绝不|从不|不应|不准|勿|拒绝|防止|避免|不会|任何人不得)[^。\n]{0,12}$"
)
_FORBIDS_INSIDE = re.compile(
    r"不得|不要|禁止|严禁|切勿|请勿|不能|不可|不许|绝不|不准|避免|防止|\b(?:never|must not|may not|do not|don't)\b"
)
_DEPENDS = re.compile(
    r"\b(?:after|once|when|if|unless|until|before|only)\b[^.,\n]{0,24}$|(?:如果|若|只有|除非|等|待)[^。,\n]{0,12}$"
)
_MENTIONS = re.compile(
    r"\b(?:phrase|string|text such as|wording|pattern|detect\w*|test(?:s|ed)? (?:case|data|that|for|with)|fixtures?|sample attack|example of|examples? such as|"
    r"such as|filter|guide|tutorial|explains?|describes?|jailbreaks?|test sets?|benchmark|corpus|samples?|injection|attack(?:s|er)?|filters? (?:out|for)|blocks?|blocked|escap\w+|neutrali[sz]\w+|strips?|sanitiz\w+|sanitis\w+|wrapped|wraps|enclosed|elements?|delimiters?|reject\w*|refuse[sd]?|flag(?:s|ged)|"
    r"called|named|literal|tokeni[sz]er|special tokens?|template|regex|scanner|rule id|payloads?|red[- ]team\w*|wrapper|tag)\b"
    r"|包裹|包在|元素|越狱|教程|演示|注入|检测|拦截|过滤|转义|样例|字样|短语|正则|测试用例|测试集|攻击|模板|特殊标记|特殊 token|标签|红队|命中|告警规则|屏蔽|识别"
)
_TURNED_AWAY = re.compile(
    r"\b(?:reject|decline|flag|block|refuse|quarantine)s? (?:any|every|all|each|texts?|messages?|requests?|submissions?|notes?|facts?|lines?)\b[^.\n]*"
    r"|(?:拒绝|拒收|拦截|警惕|提防|防范)(?:任何|所有|一切|凡是)?[^。,\n]{0,30}的(?:文本|文字|内容|提交|消息|请求|条目|指令)"
)
_QUOTED = re.compile(
    r"`[^`\n]{1,160}`|\"[^\"\n]{1,160}\"|“[^”\n]{1,160}”|「[^」\n]{1,160}」|『[^』\n]{1,160}』|'[^'\n]{3,160}'|‘[^’\n]{3,160}’"
)


def instructions(text: str) -> Iterator[str]:
    """One line for each way in which `text` instructs its reader: what it does and the words that do it."""
    if len(text) > _LONGEST:
        yield f"too long to be read whole: {len(text)} characters"
    text = text[:_LONGEST]
    seen: set[str] = set()
    for form in _forms(text):
        for what, words in worded(form):
            if what not in seen:
                seen.add(what)
                yield f"{what}: {words}"
    for how, inner in _decoded(text):
        for what in _told(folded(inner), by_signs=how in ("in Base64", "in hexadecimal")):
            if how not in seen:
                seen.add(how)
                yield f"{what}, {how}: {inner[:80]}"
    if not seen and _is_spelled_out(text):
        yield "asks to drop earlier instructions, spelled letter by letter"
    elif not seen and (signs := reads_like_an_order(_meant(folded(text)))):
        yield f"reads like an order to its reader ({signs})"


def _told(form: str, *, by_signs: bool) -> Iterator[str]:
    yield from (what for what, _ in worded(form))
    if by_signs and reads_like_an_order(form):
        yield "reads like an order to its reader"


def folded(text: str) -> str:
    """Lower case, simplified Han without gaps, plain letters, no invisible characters."""
    lowered = plain(text).text.lower()
    if _HAN.search(lowered):
        from shilu_core.folding import simplify  # the converter costs some milliseconds; only where there is Han

        lowered = simplify(lowered)
    return _HAN_GAPS.sub("", lowered.replace("’", "'").replace("、", ","))


def _forms(text: str) -> Iterator[str]:
    """The folded text, and the folded text after undoing HTML and URL escapes, as far as they differ."""
    plainly = folded(text)
    yield plainly
    unescaped = _ESCAPES.sub(lambda match: chr(int(match[1] or match[2], 16)), text)
    for _ in range(3):
        once = html.unescape(unquote(unescaped) if "%" in unescaped else unescaped)
        if once == unescaped:
            break
        unescaped = once
    if unescaped != text and (again := folded(unescaped)) != plainly:
        yield again


def worded(form: str) -> Iterator[tuple[str, str]]:
    """What each row of the wording table finds in a folded text, and the words."""
    weak: list[tuple[str, str]] = []
    for row in ROWS:
        matches = [match for match in row.compiled.finditer(form) if not _is_excused(form, match, row)]
        found = [(row.what, match.group().strip()[:120]) for match in matches[:2]]
        if row.strong:
            yield from found[:1]
        else:
            weak += found
    if len(weak) >= 2:
        yield from weak
    yield from ((what, words[:120]) for what, words in intents(_meant(form)))


def _meant(form: str) -> str:
    """`form` without what it only speaks about: what it turns away, what it quotes as a sample."""
    unquoted = _QUOTED.sub(" ", form)
    return _TURNED_AWAY.sub(" ", unquoted if _MENTIONS.search(unquoted) else form)


def _is_excused(form: str, match: re.Match[str], row: Wording) -> bool:
    """A rule that forbids it or asks for it first, or a sentence that only names it in quotation marks."""
    if _FORBIDS.search(form, max(0, match.start() - _BEFORE), match.start()):
        return not match.group().lstrip().startswith(("<", "&", "["))
    if row.what == "claims an approval" and _DEPENDS.search(form, max(0, match.start() - _BEFORE), match.start()):
        return True
    if not row.negates and _FORBIDS_INSIDE.search(form, match.start(), match.start() + len(match.group()) * 2 // 3):
        return True
    inside = any(q.start() <= match.start() and match.end() <= q.end() for q in _QUOTED.finditer(form))
    return inside and bool(_MENTIONS.search(_QUOTED.sub(" ", form)))


def _decoded(text: str) -> Iterator[tuple[str, str]]:
    for match in _BASE64.finditer(text):
        blob = match.group().rstrip("=").replace("-", "+").replace("_", "/")
        try:
            yield "in Base64", base64.b64decode(blob + "=" * (-len(blob) % 4)).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError):
            continue
    for match in _HEX.finditer(text):
        try:
            digits = re.sub(r"\\x|[ :]", "", match.group())
            yield (
                "in hexadecimal",
                (
                    match.group().encode().decode("unicode_escape")
                    if "\\u" in digits
                    else bytes.fromhex(digits).decode("utf-8")
                ),
            )
        except (ValueError, UnicodeDecodeError):
            continue
    if text.isascii():
        yield "in ROT13", codecs.decode(text, "rot13")
        yield "written backwards", text[::-1]
    else:
        yield "written backwards", text[::-1]


def _is_spelled_out(text: str) -> bool:
    lowered = plain(text).text.lower()
    return bool(
        _COMPACT.search(re.sub(r"[^a-z]", "", lowered.translate(_LEET)))
        and (_SPELLED.search(lowered) or _leet_words(lowered))
    )


def _leet_words(lowered: str) -> bool:
    return len(re.findall(r"[a-z]+[013457@$][a-z]+", lowered)) >= 2
