"""Secrets that are known by what stands before them: assignments (`API_KEY=…`) and sentences (`密码是 …`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shilu_core.secrets import values

Span = tuple[str, int, int]  # kind, start, end in the text that was given

# What a secret is called. A name stands at the end of an identifier or as words of a sentence.
_NOUNS = (
    r"pass[-_ ]?words?|passwd|passphrases?|pass[-_ ]?phrase|pass[-_ ]?codes?|pwd|psw|pw|pin(?:[-_ ]?code)?|"
    r"(?:api|app|access|auth|secret|private|signing|encryption|master|service|account|deploy|license|licence|activation|admin|session|webhook|recovery|shared|storage|root|bot|hmac|jwt|cookie|data|pay|aes|des)[-_ ]?keys?|"
    r"apikey|(?:client|app|api|shared|webhook|signing|session|jwt|totp|2fa|otp|oauth|cookie|hmac|consumer)[-_ ]?secret|secrets?|"
    r"(?:access|refresh|auth|bearer|api|bot|session|personal access|deploy|csrf|id|admin|push|runner|join|bootstrap|service account|app)[-_ ]?tokens?|tokens?|credentials?|creds?|"
    r"(?:backup|recovery|security|access|auth|unlock|door|entry|verification|gate|alarm)[-_ ]?codes?|login|"
    r"密码|密碼|口令|通行码|通行碼|密钥|密鑰|金鑰|秘钥|秘鑰|私钥|私鑰|令牌|权杖|權杖|凭证|憑證|凭据|憑據|授权码|授權碼|提取码|提取碼|暗号|暗號|密语|通关语|恢复码|恢復碼|备份码|備份碼|备用码|门禁码|门锁码|解锁码|激活码|序列号|注册码|动态码"
)
_NOUN = re.compile(rf"(?<![a-z])(?:{_NOUNS})(?![a-z])")
_PASSWORD_LIKE = re.compile(r"pass|pwd|psw|^pw$|pin|code|login|cred|密|口令|码|碼|暗号|暗號|语|凭")
_PIN_LIKE = re.compile(r"pin|code|pass|pwd|pw|密|口令|码|碼")

# What may stand between the name and the value.
_QUALIFIER = r"(?:\s{0,3}(?:for|of|to|on|at|in|used by|behind)\s[^\n.;:=,、。]{1,50}?)?"
_HAN_FILLER = r"[\s\"'`*)\]]{0,4}(?:目前|现在|現在|当前|當前|仍然|仍|还|還|依旧|依然|暂时|暫時|已经|已經|已|就|都|也|统一|統一|默认|默認|預設|初始|最新|原来|原來|以前|之前|一直|是)?(?:被|又)?"
_LINK = (
    r"(?:\s{0,4}(?:=>|:=|->|→|[=:])\s{0,4}"
    r"|\s{1,3}(?:is|was|are|were|equals|becomes|will be|has been|reads|being)(?:\s(?:now|still|currently|just|simply|set to|changed to|literally|always|called|reset to))?\s{0,2}:?\s{1,3}"
    r"|\s{1,3}(?:set to|changed to|reset to|now)\s{1,3}"
    rf"|{_HAN_FILLER}(?:就是|是|為|为|設為|设为|設成|设成|設定為|设定为|設置為|设置为|改為|改为|改成|改作|换成|換成|换为|用的是|用|叫|填|填写|輸入|输入|写|写成|等于|定为|重置为|重置成)\s{{0,3}}:?\s{{0,3}}"
    r"|['\"`]\s{0,3}(?:=>|[:=,])\s{0,3})"
)
_AFTER_NOUN = re.compile(rf"[\"'`*\]]{{0,2}}(?:\s?\([^()\n]{{1,40}}\))?{_QUALIFIER}{_LINK}")
# "with password hunter2", "密码 hunter2": no link at all; such a value must look like a secret by itself.
_BARE = re.compile(r"(?:\s{1,4}|,\s|\s?[/|]\s?)(?=[!-~])")
_QUOTED = re.compile(r"[*_]{0,2}(?:`([^`\n]{1,200})`|\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'|“([^”\n]{1,80})”|‘([^’\n]{1,80})’|「([^」\n]{1,80})」|『([^』\n]{1,80})』|【([^】\n]{1,80})】|«([^»\n]{1,80})»)")
_PLAIN = re.compile(r"[!-~]{1,400}")
_SPELLED = re.compile(r"(?:[!-~][ \-]){4,60}[!-~](?![!-~])")
_UNITS_AFTER = re.compile(r"\s{0,2}(?:位|个|個|天|字符|字元|次|小时|小時|分钟|分鐘|秒|年|月|周|条|種|种|bits?\b|bytes?\b|chars?\b|characters?\b|digits?\b|days?\b|hours?\b|minutes?\b|seconds?\b|weeks?\b|months?\b|per\b|times\b|格式|编码|算法|类型|方式|协议|模式|标准|签名|令牌|管理|里|中|内|裡|的)")
_NAME_BEFORE = re.compile(r"(?:public|primary|foreign|partition|sort|cache|no|without|max|min|num|number of|count of|total|completion|prompt|input|output|stop|eos|bos|pad|公|forgot|reset|wrong|expired)[-_ ]$|max_|min_|num_")
_ATTRIBUTE_AFTER = re.compile(r"[_-]?(?:file|path|dir|name|env|var|url|uri|ttl|expiry|expires|expiration|length|len|size|count|limit|type|policy|id|ids|arn|ref|manager|hash|hashed|digest|store|storage|provider|rotation|version|field|column|param|prompt|hint|placeholder|label|min|max|header|budget|usage|scope|scopes|izer|ize|less|s_used|s_per)\b")

_ASSIGNED = re.compile(r"(?<![\w.-])[\"'`]?([\w.\-]{1,80})[\"'`]?\s{0,3}(?::=|=>|=|:)\s{0,3}[\"'`]?([A-Za-z0-9+/_=.~-]{16,400})")
_SECRET_NAME = re.compile(r"(?i)(?:key|secret|token|passw|pwd|auth|cred|sig|salt|seed|cookie|session|sid|jwt|pass)(?:s|word|phrase|code)?\d{0,2}$")
_PUBLIC_NAME = re.compile(r"(?i)hash|digest|sha\d*|md5|checksum|integrity|etag|commit|rev(?:ision)?$|fingerprint|public|pub_?key|uuid|guid|(?:^|[_.-])id$|_ids?$|version|image|tag$|branch|path|url|uri|file|dir|name|build|trace|span|request|correlation|nonce|resolved|resolution|locked|narhash|blob|tree|object|head|cid|idempotency|measurement|site_?key|publishable|anon")
_DIGEST_BEFORE = re.compile(r"(?i)(?:sha-?\d{1,3}|md5|blake\w{0,3}|integrity|checksum|digest|fingerprint|commit|etag|h1|resolved|摘要|校验|指纹|哈希|提交)[\s:=\"'-]{0,4}$")

_STOP_WORDS = frozenset(
    ["a", "an", "the", "in", "at", "on", "by", "to", "of", "for", "from", "with", "within", "without", "and", "or", "not", "no", "never", "only", "always", "also", "still", "just", "now", "then", "here", "there", "this", "that", "it", "its", "they", "we", "you", "he", "she", "who", "what", "which", "where", "when", "how", "why", "very", "too", "so", "as", "than", "per", "via", "under", "over", "about", "into", "onto", "out", "off", "up", "down", "between", "is", "are", "was", "were", "be", "been", "being", "has", "have", "had", "do", "does", "did", "can", "could", "may", "might", "must", "shall", "should", "will", "would", "required", "optional", "needed", "stored", "kept", "set", "unset", "rotated", "managed", "generated", "hashed", "encrypted", "masked", "hidden", "shown", "logged", "valid", "invalid", "wrong", "correct", "right", "empty", "missing", "absent", "present", "expired", "revoked", "leaked", "lost", "found", "used", "unused", "shared", "private", "public", "secret", "secure", "unsafe", "safe", "weak", "strong", "long", "short", "enough", "unique", "different", "same", "identical", "similar", "available", "unavailable", "mandatory", "enabled", "disabled", "read", "loaded", "passed", "injected", "provided", "sent", "changed", "reset", "derived", "asked", "prompted", "printed", "visible", "printable", "rejected", "refused", "accepted", "checked", "verified", "tested", "kept", "known", "unknown", "written", "printed", "typed", "entered", "copied", "pasted", "saved", "saving", "stale", "fresh", "cached", "scoped", "limited", "renewed", "refreshed", "signed", "issued", "created", "deleted", "removed", "replaced", "updated", "handled", "mounted", "fetched", "pulled", "pushed", "synced", "salted", "base", "url", "json", "yaml", "text", "plain", "plaintext", "something", "anything", "nothing", "everything", "none", "null", "see", "ask", "use", "using", "mine", "yours", "ours", "theirs", "his", "her", "their", "our", "your", "my", "bound", "tied", "due", "over", "gone", "fine", "ok", "okay", "ready", "old", "new", "current", "previous", "random", "numeric", "alphanumeric", "case", "sensitive", "insensitive", "per-user", "read-only", "write-only", "short-lived", "long-lived", "single-use", "one-time", "time-limited", "environment-specific", "base64-encoded", "url-safe", "case-sensitive", "auto-generated", "self-signed", "end-to-end", "up-to-date", "out-of-date", "opaque", "symmetric", "asymmetric", "ephemeral", "static", "dynamic", "temporary", "permanent"]
)
_LOCATIVE = re.compile(r"存|放|保存|保管|在|由|从|從|通过|通過|必|不|需|每|加密|轮换|輪換|自动|自動|生成|配置|环境变量|環境變數|注入|读取|讀取|管理|一样|相同|随机|隨機|强|強|弱|空|可选|唯一|动态|动态|统一|定期|过期|過期|敏感|明文|什么|怎么|哪|谁|多少|错|錯|对|對|指|根据|根據|按|为了|以|向|找|问|問|见|見|看|的|了|和|与|與|或|及|如果|时|時|请|請|应|應|会|會|能|可|要|有|无|無|被|把|将|將|仅|只|最|长|長|短|位|个|字|数|數|码|碼|密|钥|鑰|牌|令|项|項|类|類|型|式|哈希|算法|签名|前缀|格式|同一|共享|临时|臨時|一次|我们|他|你|她|它|这|那|其")


def spans(text: str) -> Iterator[Span]:
    """Every secret that a name announces; `text` is read as it is, any case."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    yield from _named(text, lowered)
    yield from _assigned(text)


def _named(text: str, lowered: str) -> Iterator[Span]:
    for noun in _NOUN.finditer(lowered):
        if _NAME_BEFORE.search(lowered, max(0, noun.start() - 12), noun.start()) or _ATTRIBUTE_AFTER.match(lowered, noun.end()):
            continue
        link = _AFTER_NOUN.match(lowered, noun.end(), noun.end() + 120)
        if link:
            found = _value(text, link.end(), noun.group(), linked=True, assigned=lowered[link.start() : link.end()].strip()[-1:] in "=:")
        else:
            bare = _BARE.match(lowered, noun.end())
            found = _value(text, bare.end(), noun.group(), linked=False, assigned=False) if bare else None
        if found:
            yield found


def _value(text: str, start: int, noun: str, *, linked: bool, assigned: bool) -> Span | None:
    kind = "password" if _PASSWORD_LIKE.search(noun) else "token"
    quoted = _QUOTED.match(text, start)
    if quoted:
        group = quoted.lastindex or 1
        value = quoted.group(group)
        if _quoted_secret(value, noun, linked=linked):
            return kind, quoted.start(group), quoted.end(group)
        return None
    spelled = _SPELLED.match(text, start)
    if spelled and linked:
        return kind, spelled.start(), spelled.end()
    plain = _PLAIN.match(text, start)
    if not plain:
        return _han_value(text, start, noun) if linked else None
    value = re.split(r"[\"'`<>]", plain.group())[0] if plain.group()[0] not in "<\"'`" else plain.group()
    value = value.rstrip(".,;:" if value[0] in "{<[" else ".,;:)]}?>") or value
    if _UNITS_AFTER.match(text, start + len(value)):
        return None
    if _plain_secret(value, noun, text, start, linked=linked, assigned=assigned):
        return kind, start, start + len(value)
    return None


def _quoted_secret(value: str, noun: str, *, linked: bool) -> bool:
    value = value.strip()
    if len(value) < 4 or values.is_no_secret(value) or (values.is_measure(value) and not _PIN_LIKE.search(noun)):
        return False
    if re.fullmatch(r"[a-z]+", value.lower()) and (value.lower() in _STOP_WORDS or not linked or not _PASSWORD_LIKE.search(noun)):
        return False
    if re.fullmatch(r"[a-z]+(?:_[a-z]+)+", value):  # the name of a column or a field
        return False
    if " " in value:
        return linked and bool(_PASSWORD_LIKE.search(noun)) and not any(w in _STOP_WORDS for w in value.lower().split())
    return linked or values.classes(value) >= 2


def _plain_secret(value: str, noun: str, text: str, start: int, *, linked: bool, assigned: bool) -> bool:
    if len(value) < 4 or values.is_no_secret(value):
        return False
    if value.isdigit():
        return linked and bool(_PIN_LIKE.search(noun)) and not values._DATE.match(value)
    if values.is_measure(value):
        return False
    if values.is_identifier(value) and not linked:
        return False
    lower = value.lower()
    if re.fullmatch(r"[a-z]+", lower):
        return linked and bool(_PASSWORD_LIKE.search(noun)) and _is_a_word_used_as_password(text, lower, start, len(value), assigned)
    if re.fullmatch(r"[a-z]+(?:[-'/_.][a-z]+)*", lower):
        parts = re.split(r"[-'/_.]", lower)
        return linked and "-" in value and len(parts) >= 3 and lower not in _STOP_WORDS and not any(p in _STOP_WORDS for p in parts)
    needed = 5 if _PASSWORD_LIKE.search(noun) else 8
    if not linked:
        return (len(value) >= 6 and values.classes(value) >= 3) or values.is_random(value, length=16)
    return len(value) >= needed and values.classes(value) >= 2


def _is_a_word_used_as_password(text: str, word: str, start: int, length: int, assigned: bool) -> bool:
    if word in _STOP_WORDS or re.search(r"(?:ed|ing|ly|able|ible|ive|less|ful)$", word):
        return False
    ends = re.match(r"[.!\"'`)]*\s*(?:$|\n|[,;、。！)]|\bfor\b|\bon\b|\band\b|[\u4e00-\u9fff])", text[start + length : start + length + 12])
    return bool(ends)


def _han_value(text: str, start: int, noun: str) -> Span | None:
    """A spoken watchword in Han: short, ends the clause, says nothing about the secret itself."""
    match = re.compile(r"[\u4e00-\u9fff]{4,8}(?=[。.!！;；,，、\n]|$)").match(text, start)
    if match and re.search(r"口令|暗号|暗號|密语|通关语", noun) and not _LOCATIVE.search(match.group()):
        return "password", match.start(), match.end()
    return None


def _assigned(text: str) -> Iterator[Span]:
    """High-entropy values in an assignment, whatever the name, unless the name says what else it is."""
    for match in _ASSIGNED.finditer(text):
        name, value = match.group(1), match.group(2)
        if _PUBLIC_NAME.search(name) or values.is_no_secret(value) or _DIGEST_BEFORE.search(text, max(0, match.start(2) - 12), match.start(2)):
            continue
        named = bool(_SECRET_NAME.search(name))
        if values.is_identifier(value) and not named:
            continue
        if (named and (values.is_random(value, length=16, bits=3.0))) or (values.is_random(value, length=24, bits=4.0) and values.classes(value) >= 3):
            yield "high-entropy", match.start(2), match.end(2)
