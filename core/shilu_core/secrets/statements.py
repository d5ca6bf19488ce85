"""Secrets that a name announces: `password=…`, `the root password is …`, `密码是 …`, `admin / …`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shilu_core.secrets import values
from shilu_core.secrets.names import (
    ACCOUNT_PAIR,
    ACCOUNT_WORD,
    AS_SECRET,
    ATTRIBUTE_AFTER,
    BARE,
    COMMON_ACCOUNTS,
    DEFAULT_IN_USE,
    EXAMPLE_CUE,
    HAN_DIGITS,
    HAN_REVERSED,
    LINK,
    NAMES,
    NOT_THIS_NAME,
    PAIR,
    Name,
)
from shilu_core.secrets.shapes import speaks_of_signing_in

Span = tuple[str, int, int]  # kind, start, end in the text that was given

_QUOTED = re.compile(
    r"[*_]{0,2}(?:`([^`\n]{1,200})`|\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'|“([^”\n]{1,80})”|‘([^’\n]{1,80})’|"
    r"「([^」\n]{1,80})」|『([^』\n]{1,80})』|【([^】\n]{1,80})】|«([^»\n]{1,80})»)"
)
_PLAIN = re.compile(r"[!-~]{1,200}")
_PHRASE = re.compile(r"[a-z]{2,12}(?: [a-z]{2,12}){3,9}(?=[.,;!]|\s*$|\n)")
_SPELLED = re.compile(r"(?:[!-~][ \-]){4,60}[!-~](?![!-~])|(?:[!-~] ){4,60}[!-~](?![!-~])")
_UNITS_AFTER = re.compile(
    r"\s{0,2}(?:位|个|個|天|字符|字元|次|小时|小時|分钟|分鐘|秒|年|月|周|条|種|种|bits?\b|bytes?\b|chars?\b|characters?\b|digits?\b|"
    r"days?\b|hours?\b|minutes?\b|seconds?\b|weeks?\b|months?\b|per\b|times\b|格式|编码|算法|类型|方式|协议|模式|标准|签名|签|令牌|管理|里|中|内|裡|的|哈希|上限)"
)
_ENDS_CLAUSE = re.compile(
    r"[.!\"'`)]*\s*(?:$|\n|[,;、。!)(]|\bfor\b|\bon\b|\band\b|\bat\b|\bas the\b|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af])"
)
_HAN_WATCHWORD = re.compile(r"[\u4e00-\u9fff]{4,8}(?=[。.!！;；,，、\n]|$)")
_WATCHWORD_NAMES = frozenset(("口令", "暗号", "暗號", "合言葉"))
_ABOUT_THE_SECRET = re.compile(
    r"[存放在由从從需每空弱强強错錯对對指按以向找问問见見看的了和与與或及时時请請应應会會能可要有无無被把将將仅只最长長短位个字数數码碼密钥鑰牌令项項类類型式我他你她它这那其]|"
    r"保管|通过|加密|轮换|自动|生成|配置|环境|读取|管理|一样|随机|唯一|统一|定期|过期|敏感|明文|临时|动态"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STOP_WORDS = _words(
    """
    a an the in at on by to of for from with within without and or not no never only always also still just
    now then here there this that it its they we you he she who what which where when how why very too so as
    than per via under over about into onto out off up down between is are was were be been being has have
    had do does did can could may might must shall should will would required optional needed stored kept set
    unset rotated managed generated hashed encrypted masked hidden shown logged valid invalid wrong correct
    right empty missing absent present expired revoked leaked lost found used unused shared private public
    secret secure unsafe safe weak strong long short enough unique different same identical similar available
    unavailable mandatory enabled disabled read loaded passed known unknown written stale fresh cached scoped
    limited issued created deleted base url json yaml text plain plaintext something anything nothing
    everything none null see ask use using mine yours ours theirs his her their our your my bound tied due
    gone fine ok okay ready old new current previous random numeric alphanumeric case sensitive insensitive
    opaque symmetric asymmetric ephemeral static dynamic temporary permanent policy length format type field
    value string number slow fast hard easy important critical visible one two three four five six eight ten
    sent mailed changed reset rotate rotation page form link name file hash hashes login auth admin bearer
    cookie header
    """
)
_FUNCTION_WORDS = _words(
    """
    a an the in at on by to of for from with is are be read write only per not and or url safe base lived
    term use time generated up out end
    """
)
_ENDING = re.compile(r"(?:ed|ing|ly|able|ible|ive|less|ful)$")


def spans(text: str) -> Iterator[Span]:
    """Every secret that a name announces; `text` is a plain view (`views.plain`), any case."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    for name in NAMES:
        yield from _named(text, lowered, name)
    yield from _reversed(text, lowered)
    yield from _paired(text, lowered)


def _named(text: str, lowered: str, name: Name) -> Iterator[Span]:
    at = lowered.find(name.stem)
    while at >= 0:
        end = _end_of_name(lowered, at, name)
        found = _after_name(text, lowered, end, name) if end else None
        if found:
            yield found
        at = lowered.find(name.stem, at + len(name.stem))


def _end_of_name(lowered: str, at: int, name: Name) -> int:
    """Where the name at `at` ends; 0 where what stands there is another word or only an attribute of a secret."""
    tail = name.tail.match(lowered, at + len(name.stem))
    if tail is None or not (name.han or name.head.search(lowered, max(0, at - 48), at)):
        return 0
    if NOT_THIS_NAME.search(lowered, max(0, at - 32), at) or ATTRIBUTE_AFTER.match(lowered, tail.end()):
        return 0
    return tail.end()


def _after_name(text: str, lowered: str, end: int, name: Name) -> Span | None:
    link = LINK.match(lowered, end, end + 120)
    if link:
        return _value(text, link.end(), name, linked=True)
    bare = BARE.match(lowered, end)
    return _value(text, bare.end(), name, linked=False) if bare else None


def _value(text: str, start: int, name: Name, *, linked: bool) -> Span | None:
    kind = "token" if name.family == "token" else "password"
    quoted = _QUOTED.match(text, start)
    if quoted:
        group = quoted.lastindex or 1
        good = _quoted_secret(quoted.group(group).strip(), name, linked=linked or name.han)
        return (kind, quoted.start(group), quoted.end(group)) if good else None
    spelled = _SPELLED.match(text, start) if linked else None
    if spelled:
        return kind, spelled.start(), spelled.end()
    plain = _PLAIN.match(text, start)
    if not plain and name.family != "token" and (spoken := _han_digits(text, start)):
        return spoken
    if not plain:
        return _han_watchword(text, start) if linked and name.stem in _WATCHWORD_NAMES else None
    phrase = (
        _PHRASE.match(text, start)
        if linked and name.stem.startswith(("passphrase", "pass phrase", "pass-phrase"))
        else None
    )
    if phrase and _are_drawn(phrase.group().split()):
        return kind, phrase.start(), phrase.end()
    value = _trimmed(plain.group())
    after = start + len(value)
    if not _UNITS_AFTER.match(text, after) and _plain_secret(value, name, text, after, linked=linked):
        return kind, start, after
    return None


def _are_drawn(words: list[str]) -> bool:
    """Whether the words of a passphrase stand for themselves; one of them may be a word of sentences, too."""
    return sum(word in _STOP_WORDS for word in words) <= 1 and not any(word in _FUNCTION_WORDS for word in words)


def _trimmed(run: str) -> str:
    """The value at the start of a run of signs, without the punctuation of the sentence."""
    if run[0] in "<{[":
        return run.rstrip(".,;:") or run
    value = re.split(r"[\"'`<>]", run)[0] if run[0] not in "\"'`" else run
    return value.rstrip(".,;:)]}?>") or value


def _quoted_secret(value: str, name: Name, *, linked: bool) -> bool:
    word = value.lower()
    if len(value) < 4 or values.is_no_secret(value) or re.fullmatch(r"[a-z]+(?:_[a-z]+)+", value):
        return False
    if values.is_measure(value) and name.family == "token":
        return False
    if " " in value:
        linked = linked or name.stem.startswith("passphrase")
        return linked and name.family == "password" and not any(part in _FUNCTION_WORDS for part in word.split())
    if re.fullmatch(r"[a-z]+", word):
        return linked and name.family == "password" and word not in _STOP_WORDS
    if not value.isascii() and name.family != "password":
        return linked and bool(re.search(r"\d{2}", value)) and len(value) <= 24
    return linked or values.classes(value) >= 2


def _plain_secret(value: str, name: Name, text: str, after: int, *, linked: bool) -> bool:
    if len(value) < 4 or values.is_no_secret(value):
        return len(value) >= 6 and values.is_default(value) and _is_in_use(text, after - len(value), after)
    if name.family == "pin" and not name.han:
        return (
            bool(re.fullmatch(r"[\d#*-]{4,12}|(?=\w*\d)[\w-]{8,40}", value))
            and (linked or len(value) >= 4)
            and not values.is_date(value)
        )
    if value.isdigit() or re.fullmatch(r"\d{4,12}[#*]", value):
        return (linked or name.han) and name.family != "token" and not values.is_date(value)
    if values.is_measure(value):
        return False
    if re.fullmatch(r"[A-Za-z]+", value):
        return _word_used_as_secret(value, name, text, after, linked=linked)
    if re.fullmatch(r"[a-z]+(?:[-'/_.][a-z]+)*", value.lower()):
        parts = re.split(r"[-'/_.]", value.lower())
        return (
            linked
            and "-" in value
            and len(parts) >= 3
            and name.family == "password"
            and not any(p in _FUNCTION_WORDS for p in parts)
        )
    return _mixed_secret(value, name, linked=linked)


def _mixed_secret(value: str, name: Name, *, linked: bool) -> bool:
    """Letters with digits or signs."""
    if name.family == "token":
        if re.fullmatch(r"[a-z]+(?:[-_./:][a-z0-9]{1,9})*", value):  # color-primary-600, a name
            return False
        if values.is_identifier(value) and not linked and not name.han:
            return False
        return (
            len(value) >= 8
            and bool(re.search(r"\d", value))
            and values.classes(value) >= 2
            and (linked or name.han or len(value) >= 16)
        )
    if linked or name.han:
        return (
            len(value) >= (4 if name.family == "pin" else 5)
            and values.classes(value) >= 2
            and (linked or bool(re.search(r"\d", value)))
        )
    return (len(value) >= 6 and values.classes(value) >= 3) or values.is_random(value, length=16)


def _word_used_as_secret(value: str, name: Name, text: str, after: int, *, linked: bool) -> bool:
    """A single word: a secret if it ends the clause and says nothing about the secret."""
    if name.family != "password":
        return name.han and value.isupper() and len(value) >= 12
    word = value.lower()
    if word in _STOP_WORDS or _ENDING.search(word):
        return False
    if not linked:
        return name.han and value.isupper() and len(value) >= 12
    return bool(_ENDS_CLAUSE.match(text[after : after + 12]))


def _han_digits(text: str, start: int) -> Span | None:
    match = HAN_DIGITS.match(text, start)
    return ("password", match.start(), match.end()) if match else None


def _han_watchword(text: str, start: int) -> Span | None:
    """A spoken watchword in Han: short, ends the clause, says nothing about the secret itself."""
    match = _HAN_WATCHWORD.match(text, start)
    if match and not _ABOUT_THE_SECRET.search(match.group()):
        return "password", match.start(), match.end()
    return None


def _is_in_use(text: str, start: int, end: int) -> bool:
    """A default word such as `changeme` is a secret where an account is said to have it still."""
    around = text[max(0, start - 80) : end + 60].lower()
    return bool(DEFAULT_IN_USE.search(around)) and not EXAMPLE_CUE.search(around)


def _reversed(text: str, lowered: str) -> Iterator[Span]:
    at = lowered.find(" as ")
    while at >= 0:
        if AS_SECRET.match(lowered, at):
            yield from _judged_reversed(text, text.rfind(" ", max(0, at - 80), at) + 1 or at - 80, at, lowered)
        at = lowered.find(" as ", at + 4)
    if "用" in lowered or "把" in lowered or "将" in lowered:
        for match in HAN_REVERSED.finditer(lowered):
            yield from _judged_reversed(text, match.start(1), match.end(1), lowered)


def _judged_reversed(text: str, start: int, end: int, lowered: str) -> Iterator[Span]:
    start = max(0, start)
    while start < end and text[start] in "\"'`「“\n":
        start += 1
    while end > start and text[end - 1] in "\"'`」”,":
        end -= 1
    value = text[start:end]
    if any(c.isspace() for c in value) or len(value) < 4:
        return
    mixed = (
        values.classes(value) >= 2
        and len(value) >= 5
        and not values.is_no_secret(value)
        and not values.is_measure(value)
    )
    wordy = re.fullmatch(r"[A-Z]?[a-z]+(?:[-'/_.][a-z]+)*", value)
    if (mixed and not wordy) or (values.is_default(value) and _is_in_use(lowered, start, end)):
        yield "password", start, end


def _speaks(text: str, pair: re.Match[str]) -> bool:
    """The line speaks of signing in beside the pair."""
    around = text[max(0, pair.start() - 100) : pair.start()] + " " + text[pair.end() : pair.end() + 100]
    return speaks_of_signing_in(around, 0, len(around))


def _paired(text: str, lowered: str) -> Iterator[Span]:
    for match in PAIR.finditer(lowered):
        account, value = match.group(1), _trimmed(text[match.start(3) : match.end(3)])
        spaced = match.group(2).strip() in ("/", "|") and match.group(2) != match.group(2).strip()
        adjacent = ACCOUNT_WORD.search(lowered, max(0, match.start(1) - 12), match.start(1)) and re.search(r"\d", value)
        if not spaced and not adjacent and account not in COMMON_ACCOUNTS:
            continue
        if values.classes(value) < 2 or values.is_no_secret(value) or values.is_measure(value) or "/" in value:
            continue
        yield "password", match.start(3), match.start(3) + len(value)
    for match in ACCOUNT_PAIR.finditer(lowered):
        value = _trimmed(text[match.start(1) : match.end(1)])
        good = values.classes(value) + _speaks(text, match) >= 3 and "/" not in value
        if good and re.search(r"\d", value) and not values.is_no_secret(value):
            yield "password", match.start(1), match.start(1) + len(value)
