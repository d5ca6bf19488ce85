"""What secrets are called, one row for each name, and the words that stand between a name and its value.

Everything is read on the lower-cased plain view (`views.plain`); `stem` is a literal that is searched for, so that a
text without it costs one search. Values of family `pin` are short numbers, of `token` long and drawn by a machine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Family = Literal["password", "pin", "token"]


@dataclass(frozen=True)
class Name:
    """A name is the stem with `after` directly behind it and, where given, `before` in front of it."""

    stem: str
    family: Family
    after: str = ""
    before: str = ""
    han: bool = False  # follows its noun without a link: "密码 abc123"

    @cached_property
    def tail(self) -> re.Pattern[str]:
        return re.compile(self.after + ("" if self.han else r"(?![a-z])"))

    @cached_property
    def head(self) -> re.Pattern[str]:
        return re.compile((self.before or r"(?<![a-z])") + r"$")


_KEY = (
    r"(?:api|app|access|auth|secret|private|signing|encryption|master|service|account|deploy|license|licence|activation|admin|"
    r"session|webhook|recovery|storage|root|bot|hmac|jwt|cookie|data|pay|aes|des|access_?key_?|product|wallet|security|vendor|ingest|openai|azure|anthropic|claude|deepseek|qwen|dashscope|moonshot|kimi|zhipu|glm|gemini|mistral|cohere|groq|maps|stripe|licen[cs]e|subscription|wpa[23]?|psk|network|wi-?fi|hotspot)[-_ ]?"
)
_CODE = r"(?<![a-z])(?:backup|recovery|door|access|unlock|security|entry|gate|alarm|auth|safe|lock|pass|scratch|activation|keypad|house|garage|building|office|locker|pairing|lab)[-_ ]"

NAMES: tuple[Name, ...] = (
    Name("passw", "password", r"(?:ords?|d|ort)", r"(?<![a-z])(?:[a-z0-9]{1,20}[_-]?)?"),
    Name("pass word", "password"),
    Name("pass-word", "password"),
    Name("passphrase", "password", "s?"),
    Name("pass phrase", "password"),
    Name("pass-phrase", "password"),
    Name("--password", "password", "(?![-a-z])", han=True),  # an option takes its value without a link
    Name("requirepass", "password", han=True),  # Redis
    Name("passcode", "pin"),
    Name("pwd", "password", "", r"(?<![a-z])(?:[a-z0-9]{1,20}[_-]?)?"),
    Name("psw", "password"),
    Name("pw", "password"),
    Name("_pass", "password", "", ""),
    Name("pass", "password", r"(?=[\"'`]?\s{0,2}[=:])"),
    Name("pin", "pin", r"(?:[-_ ]?codes?)?"),
    Name("code", "pin", "s?", _CODE),
    Name("combination", "pin"),
    Name("puk", "pin"),
    Name("key", "token", r"(?:s|\s?[12])?", _KEY),
    Name("key", "token", r"(?=\s{0,2}=)", r"[_-]"),
    Name("secret", "token", "s?", r"(?<![a-z])(?:[a-z0-9]{1,20}[_-])?"),
    Name("secret", "token", r"(?:access)?[_-]?(?:key|id)(?<!id)", r"(?<![a-z])(?:[a-z0-9]{1,20}[_-]?)?"),
    Name("accesskey", "token", r"(?:[_-]?secret)?"),
    Name("token", "token", "s?", r"(?<![a-z])(?:[a-z0-9]{1,20}[_-]?)?"),
    Name("credential", "password", "s?"),
    Name("creds", "password"),
    Name("kennwort", "password"),
    Name("mot de passe", "password"),
    Name("contraseña", "password"),
    Name("senha", "password"),
    Name("пapoль", "password", han=True),  # as the plain view reads it
    Name("パスワード", "password", han=True),
    Name("暗証番号", "pin", han=True),
    Name("合言葉", "password", han=True),
    Name("トークン", "token", han=True),
    Name("비밀번호", "password", han=True),
    Name("암호", "password", han=True),
    Name("패스워드", "password", han=True),
    Name("토큰", "token", han=True),
    Name("密码", "password", "(?!学|机|本|锁|箱|器|子)", han=True),
    Name("密碼", "password", "(?!學|機|本|鎖|箱|器)", han=True),
    Name("口令", "password", "(?!卡)", han=True),
    Name("通行码", "pin", han=True),
    Name("通行碼", "pin", han=True),
    Name("密钥", "token", han=True),
    Name("密鑰", "token", han=True),
    Name("金鑰", "token", han=True),
    Name("秘钥", "token", han=True),
    Name("私钥", "token", han=True),
    Name("私鑰", "token", han=True),
    Name("令牌", "token", "(?!桶)", han=True),
    Name("权杖", "token", han=True),
    Name("權杖", "token", han=True),
    Name("凭证", "token", han=True),
    Name("憑證", "token", han=True),
    Name("凭据", "token", han=True),
    Name("授权码", "password", han=True),
    Name("授權碼", "password", han=True),
    Name("提取码", "pin", han=True),
    Name("提取碼", "pin", han=True),
    Name("暗号", "password", han=True),
    Name("暗號", "password", han=True),
    Name("恢复码", "pin", han=True),
    Name("恢復碼", "pin", han=True),
    Name("备份码", "pin", han=True),
    Name("备用码", "pin", han=True),
    Name("门禁码", "pin", han=True),
    Name("门锁码", "pin", han=True),
    Name("解锁码", "pin", han=True),
    Name("激活码", "token", han=True),
    Name("注册码", "token", han=True),
    Name("序列号", "token", "(?!字段|规则|生成)", han=True),
)

NOT_THIS_NAME = re.compile(
    r"(?<![a-z])(?:public|primary|foreign|partition|sort|cache|no|without|max|min|num|number of|count of|total|completion|prompt|input|output|stop|eos|bos|pad|design|"
    r"forgot|reset|wrong|expired|shortcut|forgotten|idempotency|publishable|site|公|设计|設計|次|单次|每次|总)[-_ ]$|max_|min_|num_|\$\{?\w{0,30}$"
)
ATTRIBUTE_AFTER = re.compile(
    r"[_-]?(?:file|path|dir|name|env|var|url|uri|ttl|expiry|expires|expiration|length|len|size|count|limit|type|policy|id|ids|arn|ref|manager|hash|hashed|"
    r"digest|store|storage|provider|rotation|version|field|column|param|prompt|hint|placeholder|label|min|max|header|budget|usage|scopes?|izer|ize|less|s_used|s_per|reset|format|prefix|algorithm|alg)\b"
    r"|(?:名|长度|長度|有效期|格式|算法|类型|前缀|数|个数|上限|位数|强度|策略|规则|文件|路径|框|字段|变量|管理)"
)
# Words of one clause between the name and the link: "for the tide database", "昨天".
_QUALIFIER = r"(?:\s{1,3}(?:for|of|to|on|at|in|used by|behind|from|we|i|they|that|which|für|der|des|de|del|du|pour|para|am|im)\s[^\n.;:=,、。]{1,50}?)?"
_HAN_FILLER = r"[\s\"'`*)\]]{0,4}(?:(?![名长長效期格算型前位路存轮輪策数數量上管保文变變字规規要哈桶项由问提框强複复必每])[\u4e00-\u9fff]){0,8}?"
_HAN_VERB = (
    r"(?:就是|还是|還是|是|為|为|設為|设为|設成|设成|設定為|设定为|设置为|设置成|設置成|改為|改为|改成|改到|改作|换成|換成|换为|更新为|更新成|用的是|写的是|设的是|填的是|留的是|给的是|用|叫|填|填写|輸入|输入|写|写成|等于|定为|重置为|重置成|→)了?"
)
LINK = re.compile(
    r"[\"'`*\]]{0,2}(?:\s?\([^()\n]{1,40}\))?"
    + _QUALIFIER
    + r"(?:\s{0,4}(?:=>|:=|->|→|[=:])\s{0,4}"
    + r"|\s{1,3}(?:is|was|are|were|equals|becomes|will be|has been|reads|being|lautet|ist|est|es|é|è|to)"
    + r"(?:\s(?:now|still|currently|just|simply|literally|always|called|(?:set|changed|reset|switched|updated) to|(?:still )?on))?\s{0,2}:?\s{1,3}"
    + r"|>\s{0,2}(?=[^<\s]{4,80}</)|、\s?(?:还是|仍是|就是|是)\s{0,2}"
    + r"|'s\s{1,3}|,\s(?:and )?(?:it is|it's|which is|namely)\s{1,3}"
    + r"|\s{1,3}(?:set to|changed to|reset to|now|still)\s{1,3}"
    + r"|\s?(?:は|が|を|는|은|가|이|를|을)\s{0,3}"
    + rf"|{_HAN_FILLER}{_HAN_VERB}\s{{0,3}}:?\s{{0,3}}"
    + r"|['\"`]\s{0,3}(?:=>|[:=,])\s{0,3})"
)
BARE = re.compile(r"(?:\s[-–—]\s|\s{1,4}|,\s|\s?[/|]\s?)(?=[!-~])|\s?(?=[「『“\"`【])|(?=[!-~])")

# "hunter2 as the admin password", "用 hunter2 当作后台密码": the value stands before
AS_SECRET = re.compile(
    r" as (?:the |its |our |your |my |a |their )?(?:[\w-]{1,20} ){0,3}(?:password|passphrase|pin|passcode|token|api key|secret)\b"
)
HAN_REVERSED = re.compile(
    r"(?:用|把|将)\s{0,3}[\"'`「“]?([!-~]{4,80}?)[\"'`」”]?\s{0,3}(?:来)?(?:当作|当成|当|作为|做为|做|設為|设为|设成)[^\n。,]{0,8}(?:密码|密碼|口令|令牌|密钥|金鑰)"
)
# "admin / hunter2", "账号密码: admin/hunter2": a name and its password after a word of signing in
PAIR = re.compile(
    r"(?:\b(?:log ?in|log(?:ged)? in|sign in|account|credentials?|creds|user(?:name)?|auth)\b|登录|登入|登陆|账号|帐号|帳號|账户|用户名|账密)[^\n。;]{0,40}?"
    r"(?<![\w/.@-])([\w.@-]{2,40})(\s{1,2}[/|,]\s{1,2}|[/:|])([!-~]{4,60})"
)
ACCOUNT_PAIR = re.compile(
    r"(?<![\w/.@:-])(?:root|admin|administrator|postgres|sa|ubuntu|pi|test|guest|sysdba)\s?/\s?([!-~]{6,60})"
)
HAN_DIGITS = re.compile(
    r"(?:[一二两三四五六七八九十]个[零〇一二三四五六七八九\d]){1,6}|[零〇一二三四五六七八九幺]{4,12}(?![位个字次天])|[左右][^。\n]{0,8}\d[^。\n]{0,12}[左右][^。\n]{0,8}\d+"
)
ACCOUNT_WORD = re.compile(r"(?:account|账号|帐号|帳號|账户|用户名|账密)\s?[:=]?\s?$")
COMMON_ACCOUNTS = frozenset(
    ("admin", "root", "administrator", "test", "guest", "user", "demo", "postgres", "sa", "pi", "ubuntu", "oracle", "mysql")
)
DEFAULT_IN_USE = re.compile(r"\b(?:still|prod\w*|live|root|remains?|default account|never changed)\b|仍|还是|還是|没改|未改|线上|生产|正式")
EXAMPLE_CUE = re.compile(r"example|sample|template|placeholder|\.dist\b|docs?\b|示例|模板|样例|占位|文档")
