"""Kinds of value that a question asks for, and how a line that states one looks, in Chinese and English.

`asked` is searched in questions, `stated` in lines. A broad kind (an amount, a place) gives way to the narrower ones that are
asked for beside it (`NARROWER`): "how many pixels" wants pixels and not any number. Data only; nothing here is fitted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of value: `asked` is searched in questions, `stated` in lines."""

    name: str
    asked: re.Pattern[str]
    stated: re.Pattern[str]


def _kind(name: str, asked: str, stated: str) -> Kind:
    return Kind(name, re.compile(asked, re.IGNORECASE), re.compile(stated, re.IGNORECASE))


_NUMBER = r"(?:\d[\d,.]*|[一二三四五六七八九十百千两半]+|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|hundred)\b)"
_WEEKDAY = r"周[一二三四五六日末]|星期|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
_MONTH = r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
_CLOCK = r"\d{1,2}[:：]\d{2}|[\d一二三四五六七八九十两]+\s?点(?!\d)|凌晨|中午|上午|下午|早上|晚上|\b\d{1,2}\s?[ap]\.?m\b|\b(?:noon|midnight)\b"
_DAY = rf"{_WEEKDAY}|{_MONTH}|\d{{4}}-\d{{2}}|[\d一二三四五六七八九十]+\s?(?:月|号(?!工单|线)|日(?!志))|每(?:天|晚|周|月|年|季)|\b(?:daily|nightly|weekly|monthly|quarterly)\b|节假日|休假"
_PATH = r"(?:^|[\s（(:：在到])[~/][\w./~<-]+|[\w-]+/[\w./-]+|[A-Z]:\\|\.(?:toml|ya?ml|json|md|log|pdf|ods|env|kdbx)\b|目录|文件夹|\b(?:folder|directory|bucket)s?\b|桶"
_IP = r"\d{1,3}(?:\.\d{1,3}){3}"
_HOST = rf"\b(?:host(?:ed|s)?|machine|server|box|node|runs? on|lives? on|cluster)\b|机器|主机|服务器|节点|(?:在|跑在|装在|放在)\s?[a-z][a-z0-9-]+|{_IP}|[a-z][a-z0-9-]+\s?(?:上|跑|放|是)"
_PLACE = r"楼|[一二三四五六七八九\d]层|房间|机柜|办公室|会议室|仓库|城(?!东西)|[\u4e00-\u9fff]{2}[路街区院厂田](?!径|由|别)|冷库|\b(?:room|floor|rack|street|building|shelf|city|mill|school|office)\b|\bin [A-Z][a-z]{3,}\b"
_BYTES = r"\d\s?(?:[KMGT]i?B|[GMT])\b|字节"
_LANGUAGES = r"\b(?:go|golang|rust|python|elixir|erlang|java|kotlin|scala|swift|dart|ruby|php|perl|lua|typescript|javascript|c\+\+|c#|zig|haskell|ocaml|clojure|starlark|sql|bash)\b"
_SYSTEMS = r"\b(?:debian|ubuntu|fedora|centos|rocky|alma(?:linux)?|rhel|red hat|alpine|arch|nixos|suse|windows|wsl2?|mac ?os|freebsd|openbsd|android|ios|raspberry pi os|proxmox|esxi|linux)\b"

KINDS: tuple[Kind, ...] = (
    _kind(
        "port",
        r"\bports?\b|端口|几号口|ポート|포트",
        r"\bports?\b|端口|listens? on|监听|:\d{2,5}\b|\b(?:tcp|udp)\b|ポート|(?<![\d.])\d{4,5}(?![\d.%])",
    ),
    _kind(
        "version",
        r"\bversions?\b|\brelease (?:of|does)\b|版本(?!号分)|哪一?版(?!本)|几点几|[A-Za-z] ?几(?![个点条台号])|バージョン|버전",
        r"\bv\d|\bversion|版本|(?<![\d.])\d+\.\d+(?:\.\d+)?(?![\d.%])(?!\s?(?:px|mm|米|[KMG]B|元|秒|s\b|万))",
    ),
    _kind("address", r"\bIP\b|网段|\b(?:ip|network|host|server) address\b|アドレス|주소", rf"{_IP}|\bIP\b"),
    _kind("url", r"\burl\b|\blink\b|网址|链接|网页地址|页面地址|哪个网站", r"://|\b[\w-]+(?:\.[\w-]+){2,}"),
    _kind("location", r"\baddress\b|地址", rf"{_IP}|://|地址|\b[\w-]+(?:\.[\w-]+){{2,}}"),
    _kind(
        "host",
        r"(?:which|what) (?:\w+ ){0,2}(?:host|machine|server|box|node)s?|哪(?:一)?(?:台|个(?:机器|主机|服务器|节点))|(?:跑|装|部署)在哪|\b(?:where|which)\b.{0,30}\bhosted\b|どの(?:サーバ|マシン)",
        _HOST,
    ),
    _kind(
        "path",
        r"\bpaths?\b|\bfolders?\b|\bdirector(?:y|ies)\b|路径|目录|文件夹|(?:写|存|输出|记)到?哪|在哪个文件|哪个文件|which file"
        r"|\bwhere (?:is|are|do|does|can|did|must)\b.{0,50}\b(?:logs?|files?|config\w*|dumps?|backups?|source|code|repo\w*|reports?|templates?|snapshots?|writes? (?:that|it) down)\b",
        _PATH,
    ),
    _kind(
        "place",
        r"哪(?:个|座)?(?:城市|房间|机柜|楼|会议室|仓库|柜|国家|街)|几楼|停车|工位|\b(?:which|what) (?:city|room|rack|floor|street|building|shelf|country)\b",
        _PLACE,
    ),
    _kind("where", r"\bwhere\b|在哪|哪里|哪儿|(?:存|放|到|去)哪|どこ|어디", rf"{_PATH}|{_HOST}|{_PLACE}|://|存在|放在|归档|\b(?:lie|stored|kept|in the)\b"),
    _kind(
        "person",
        r"\bwho(?:m|se)?\b|谁|哪位|哪个人|哪些人|负责人|联系人|领导|\bwhich (?:agent|person|colleague)\b|哪个代理|担当|누가",
        r"\b(?:leads?|owns?|maintains?|approves?|handles?|responsible|contact|reviews?|does (?!not)|ask (?!before|first))\b|管(?![道线])|负责|找(?!不)|归(?![档一并零])|批(?![次量处])|审(?!计|美)|联系人|保管|维护|阿[\u4e00-\u9fff]|(?<!最)小(?![时程组学于数写批型心区麦图])[\u4e00-\u9fff](?![时度])|老(?![纺师代客版旧人板化])[\u4e00-\u9fff]|[\u4e00-\u9fff]老师|\b(?:codex|claude|hermes|gemini)\b",
    ),
    _kind(
        "clock",
        r"几点(?!几)|几时|\bwhat time\b(?! ?-?(?:zones?|formats?))|\b(?:at )?which (?:time|hour)\b|何時",
        _CLOCK,
    ),
    _kind(
        "day",
        r"哪(?:一)?[天年日](?!志)|几号(?!口|端)|几月|星期几|周几|礼拜几|日期(?!库|格式)|到期|生日|birthday|\bwhat (?:day|date)\b|\bwhich (?:day|date|weekday|month|year)s?\b|\bdeadline\b|截止|\bexpires?\b",
        _DAY,
    ),
    _kind(
        "moment",
        r"(?:^|[.?!,;:，。]\s*|\b(?:and|or|but) )when(?:'s| (?:is|are|do|does|did|was|were|will|can|should|must|may)\b)|什么时候|何时|啥时|いつ|언제",
        rf"{_CLOCK}|{_DAY}|\b(?:since|until|before|after)\b|[前后]$|之[前后]",
    ),
    _kind("last", r"上(?:次|一次|回)|\blast (?:time|release|one|restore|review|month|week)\b|最近一次", r"\d{4}-\d{2}|\d+\s?月\s?\d+|上次|\b(?:was|were|had|came)\b|那次|事故|当时"),
    _kind("next", r"下(?:次|一次|回)|(?:本|这|下)(?:个)?(?:周|月|周末).{0,8}(?:谁|轮)|谁.{0,6}(?:本|这|下)周|\bnext (?:time|release|review|meeting|week|sensor|\w+ review)\b|\bthis week\b", r"\d{4}-\d{2}|下一?次|轮到|\bnext\b|\bdue\b"),
    _kind(
        "duration",
        r"\bhow (?:long|old)\b|\bretention\b|\blifetime\b|多久(?!一次)|多长时间?|几天|几年|多少(?:个)?(?:小时|分钟|天|秒|毫秒|年)|保留(?!几|哪)|期限|有效期|どのくらい|何年",
        rf"{_NUMBER}\s?-?(?:个)?(?:ms|毫秒|秒|分钟|小时|天|周|月|年|工作日|seconds?|minutes?|hours?|days?|weeks?|months?|years?|s\b|min\b|h\b|d\b)",
    ),
    _kind(
        "frequency",
        r"\bhow often\b|多久[^，。？]{0,8}次|多久(?:\w{0,6})?一次|多久(?:清|换|除|读|上报|轮换)|间隔|频率|\binterval\b",
        r"每[\d一二三四五六七八九十两半个]*\s?(?:秒|分钟|小时|天|晚|周|月|年|次|季|半)|\bevery\b|\bdaily\b|\bweekly\b|\bmonthly\b|\bnightly\b|一次|一校",
    ),
    _kind("memory", r"(?:多少|多大|上限|多|\bhow much\b|\blimit\b)[^。？?]{0,12}(?:内存|\bmemory\b|\bram\b)|(?:内存|\bmemory\b|\bram\b)[^。？?]{0,12}(?:多少|多大|上限|limit|最多)|maxmemory", _BYTES),
    _kind("disk", r"(?:几块|多大|多少|哪些|总|\bwhich\b|\bhow (?:many|much|big|large)\b)[^。？?]{0,12}(?:硬盘|磁盘|容量|\bdisks?\b|\bcapacity\b)|(?:硬盘|磁盘|容量)(?:是|有)?多|\bquota\b|配额|\bcapacity\b", rf"{_BYTES}|nvme|\bssd\b|\bdisks?\b|磁盘|硬盘"),
    _kind("cores", r"几核|多少核|\bhow many (?:cpu )?cores\b|\bcpus?\b", r"\d\s?-?(?:核|cores?\b|v?cpus?\b)"),
    _kind(
        "money",
        r"多少钱|价格|单价|费用|租金|预算|折扣|几折|电费|水费|补贴|时薪|薪|押金|\b(?:price|cost|pay|fee|salary|rent|budget|discount|charge)s?\b",
        r"\d\s?(?:元|块|万|欧|美元)|[¥$€]\s?\d|免费|\b(?:yuan|euros?|dollars?|usd|free of charge)\b|折",
    ),
    _kind("percent", r"百分之|比例|(?:覆盖|命中|打开|识别|退订|成功|离线|错误|丢包|转化)率|几折|\bpercent\w*|\bratio\b|\b(?:hit|open|error|success|unsubscribe) rate\b|\bcoverage\b|\buptime\b", r"\d\s?[%％折]|[一二三四五六七八九两]成|percent"),
    _kind("pixels", r"像素|\bpx\b|\bpixels?\b|(?:行|列)?(?:高|宽)度|行高|字号|圆角|断点|\bradius\b|\bbreakpoints?\b|\bfont size\b", r"\d\s?(?:px|像素|dp\b|pt\b|rem\b)|×"),
    _kind("temperature", r"几度|多少度|摄氏|\btemperature\b|\bhow (?:cold|hot|warm)\b", r"\d\s?(?:度|°|℃)|\bdegrees\b|零下|摄氏"),
    _kind("heads", r"多少(?:个|位|名|户)?(?:人|用户|客户|种植户|学生|户)|几(?:个|位|户)人?(?=[来参受，。？]|$)|\bhow many (?:\w+ )?(?:people|users|customers|members|students|growers|colleagues|houses)\b", rf"{_NUMBER}\s?多?(?:个|位|名)?(?:人|位|名|户|用户|客户|学生)|\d+ (?:people|users|customers|members|students|growers|houses)"),
    _kind("rate", r"限流|每(?:秒|分钟)[^。]{0,8}(?:多少|几)|\b[qr]ps\b|\bper (?:second|minute|hour)\b|\brate limit|\bthrottl", r"每\s?(?:秒|分钟|小时|天)[^，。]{0,8}\d|\d[^，。,.]{0,16}(?:/|每|per |a )\s?(?:秒|分钟?|s\b|second|minute|hour|day)|限流|\bqps\b"),
    _kind("weight", r"多重|重量|承重|载重|公斤|\bweigh\w*|\bkg\b", r"\d\s?(?:kg|公斤|克|吨|千克|斤|lb)"),
    _kind("area", r"面积|\barea\b|多少平", r"平方米|平米|m²|\|\s*\d+\s*\|"),
    _kind("power", r"功率|多少瓦|\bwatt\w*", r"\d\s?k?(?:W\b|瓦)"),
    _kind(
        "amount",
        r"\bhow (?:many|much|big|large|wide|high|far)\b|\b(?:limit|maximum|max|minimum|quota|threshold|size|capacity)\b|多少|几(?:个|台|条|种|项|次|份|名|位|楼|列|块|页|级|张|把|款|根)|多大|上限|最多|最少|阈值|额度|配额",
        rf"{_NUMBER}\s?(?:%|％|个|台|条|种|项|次|份|名|人|楼|列|核|元|GB|MB|KB|TB|px|像素|字符|万|成|级|页|cores?|columns?|items?|lines?|colou?rs?|yuan|euros?|per\b)|\b(?:at (?:most|least)|under|below|above|up to|max(?:imum)?)\b|不超过|不低于|低于|高于|超过|最多|最少|\d",
    ),
    _kind(
        "colour",
        r"colou?rs?\b|颜色|色值|什么色|色号|主色|\bhues?\b",
        r"#[0-9a-f]{3,8}\b|[红蓝绿黄橙紫黑白灰赭]色?|\b(?:red|blue|green|yellow|orange|purple|black|white|grey|gray|tangerine|colou?rs?)\b",
    ),
    _kind(
        "reason",
        r"\bwhy\b|为什么|为啥|为何|原因|怎么会|\breason\b|\bcaus(?:e|ed)\b|\bbehind that\b|なぜ|왜",
        r"\bbecause\b|\bsince\b|\bdue to\b|\bso that\b|\bcame from\b|\bcaused\b|因为|由于|原因|所以|是.{1,20}(?:把|导致)|为了|不划算|太|没有|\b(?:too|instead of|over)\b|[:：]",
    ),
    _kind(
        "credential",
        r"\b(?:passwords?|credentials?|tokens?|secrets?|api keys?|passphrase)\b|密码|口令|密钥|公钥|私钥|凭据|令牌|凭证",
        r"\b(?:passwords?|credentials?|tokens?|secrets?|keys?|1password|keepass\w*|openbao|vault|environment variable|login)\b|密码|口令|密钥|凭据|令牌|条目|证书",
    ),
    _kind(
        "command",
        r"\bcommands?\b|命令|怎么(?:跑|执行|连|回滚|部署|发布)|\bhow do (?:i|we) (?:roll|deploy|release|connect|run|start)\b",
        r"`[^`]+`|命令|\bcommand\b|\bmake \w+|\bjust \w+|\b(?:cargo|npm|pnpm|ssh|docker|kubectl) \w+",
    ),
    _kind(
        "contact",
        r"电话|邮箱|\b(?:phone|e-?mail address|number to call)\b|联系方式|分机",
        r"\+?\d[\d -]{6,}\d|@[\w-]+\.|电话|邮箱|\b(?:phone|e-?mail)\b",
    ),
    _kind("system", r"操作系统|(?:什么|哪(?:个|种)|装的?什么)系统|\b(?:operating system|distro|which os)\b", _SYSTEMS),
    _kind("language", r"(?:什么|哪(?:种|门)|编程)语言|(?:拿|用)什么写|\bwritten in\b|\bwhich (?:programming )?language\b|几种语言|中文还是英文", rf"{_LANGUAGES}|中文|英文|日文|\b(?:english|chinese|japanese|zh|en)\b"),
    _kind("browser", r"哪(?:些|个|款)浏览器|浏览器版本|\bwhich browsers?\b", r"\b(?:chrome|firefox|safari|edge|webkit|chromium)\b"),
    _kind("supplier", r"哪家|什么牌子|哪个牌子|品牌|供应商|服务商|厂商|注册商|\b(?:which|what) (?:\w+ )?(?:company|vendor|supplier|brand|provider|registrar|cdn)\b|\bat which\b.*\bbuy\b|\bmade by\b", r"供应商|服务商|厂商|牌|由.{1,12}提供|[“\"「][^”\"」]{1,8}[”\"」]|\b(?:vendor|supplier|provider|company|brand|made by|provided by|fallback)\b|走(?:供应商)?[“\"]|[a-z]*pay\b|兜底"),
    _kind("model", r"型号|哪(?:一)?款|(?:什么|哪个)模型|\b(?:which|what) (?:\w+ )?models?\b|什么芯片|芯片是", r"型号|\bmodels?\b|模型|\b[a-z]{2,}-?\d{2,}\w*\b|\b[a-z]+-\d+b\b"),
    _kind("channel", r"支付方式|付款方式|支付通道|支付渠道|\bpayment methods?\b|\bhow (?:can|do) .{0,14}pay\b", r"微信|支付宝|银联|现金|原路|\b(?:card|paypal|stripe|cash|\w+pay)\b"),
    _kind("name", r"叫什么|叫啥|名字|名称|群名|\bname of\b|\bwhat(?:'s| is) .{1,30} called\b|\bcalled\b|'s name\b|\bunit name\b|账号叫", r"叫|名为|名字|\b(?:called|named|name)\b|[“\"「`]|[a-z]+-[a-z]+"),
    _kind("format", r"格式|规范|怎么(?:写|命名|起名|编号)|\bformats?\b|\bhow (?:do|should) (?:we|i) name\b|\bconventions?\b", r"格式|format|命名|例如|\bsuch as\b|<|\bISO\b|\bRFC\b|_case|YYYY|小时制|写成|\bconventional\b|写"),
    _kind("encryption", r"加密|\bencrypt\w*", r"加密|encrypt|\b(?:gpg|aes|luks|tls|age)\b"),
    _kind("signing", r"签名|\bsign(?:ed|s|ing)\b", r"签名|\bsign(?:ed|s|ing)?\b|ed25519"),
    _kind(
        "choice",
        r"\b(?:which|what) (?!is|are|was|were|do|does|did|time|day|happens)(?:\w+)|哪(?:个|家|种|款|套|些|一)|什么(?!时候|意思|原因)\w?|用的?(?:是)?(?:什么|啥)",
        r"\b(?:is|are|uses?|runs?|written in|chose|called|with)\b|用|是|为|叫|=|选",
    ),
    _kind(
        "allowed",
        r"\b(?:may|can|should) (?:i|we|agents?)\b|\ballowed\b|能.{0,14}(?:吗|么|？|\?)|可以.{0,14}(?:吗|么|？|\?)|要不要|需要.{0,10}吗",
        r"\b(?:never|must|only|not|no|may|needs?|before|go through|allowed|without)\b|不|禁止|只|必须|要|一律|先|才|可以|能",
    ),
)  # fmt: skip

_COUNTED = frozenset(
    ["port", "version", "duration", "memory", "disk", "cores", "money", "percent", "pixels", "temperature", "heads", "rate", "weight", "area", "power", "address", "colour", "contact", "clock", "day"]
)
NARROWER: dict[str, frozenset[str]] = {
    "amount": _COUNTED,
    "where": frozenset(["path", "host", "place", "address", "url", "location"]),
    "location": frozenset(["address", "url", "contact"]),
    "moment": frozenset(["clock", "day"]),
    "duration": frozenset(["frequency"]),
}
FORMS = frozenset(["choice", "allowed"])  # forms of a question that ask for no kind of value
