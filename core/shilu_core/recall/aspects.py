"""What a question asks for and what a line states: kinds of value, and the subject words around them.

A kind has two patterns: how it is asked for, and how a line that states one looks. A concept is a subject word in
Chinese and English, so that "memory limit" and "内存上限" meet. Both tables are data; fit nothing here by hand.
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

KINDS: tuple[Kind, ...] = (
    _kind(
        "port",
        r"\bports?\b|端口|几号口|ポート|포트",
        r"\bports?\b|端口|listens? on|监听|:\d{2,5}\b|\b(?:tcp|udp)\b|ポート|(?<![\d.])\d{4,5}(?![\d.])",
    ),
    _kind(
        "version",
        r"\bversions?\b|版本|哪一版|几点几|PostgreSQL 几|バージョン|버전",
        r"\d+\.\d+|(?<=[A-Za-z] )\d{1,3}\b|\bv\d|\bversions?\b|版本|(?<=[a-z])\d{1,2}\b",
    ),
    _kind(
        "address",
        r"\bIP\b|\baddress\b|地址|网段|アドレス|주소",
        r"\d{1,3}(?:\.\d{1,3}){3}|://|地址|\b[\w-]+(?:\.[\w-]+){2,}",
    ),
    _kind("url", r"\burl\b|\blink\b|网址|链接|网页地址|页面地址|哪个网站", r"://|\b[\w-]+(?:\.[\w-]+){2,}"),
    _kind(
        "host",
        r"(?:which|what) (?:\w+ ){0,2}(?:host|machine|server|box|node)s?|哪(?:一)?(?:台|个(?:机器|主机|服务器|节点))|(?:跑|装|部署|放)在哪|\bhosted\b|どの(?:サーバ|マシン)",
        r"\b(?:host(?:ed|s)?|machine|server|box|node|runs? on|lives? on|cluster)\b|机器|主机|服务器|节点|(?:在|跑在|装在|放在)\s?[a-z][a-z0-9-]+|\d{1,3}(?:\.\d{1,3}){3}|[a-z][a-z0-9-]+\s?(?:上|跑|放|是)",
    ),
    _kind(
        "path",
        r"\bpaths?\b|\bfolders?\b|\bdirector(?:y|ies)\b|路径|目录|文件夹|(?:存|放|写|输出|记)(?:在|到)哪|在哪(?:个文件|里)|哪个文件|\bwhere (?:is|are|do|does)\b",
        r"(?:^|[\s（(:：在到])[~/][\w./~-]+|[\w-]+/[\w./-]+|[A-Z]:\\|\.(?:toml|ya?ml|json|md|log|pdf|ods|env|kdbx)\b|\b(?:lie|stored|kept|folder|directory|bucket)s?\b|目录|文件夹|存在|放在|归档",
    ),
    _kind(
        "person",
        r"\bwho(?:m|se)?\b|谁|哪位|哪个人|负责人|联系人|\bwhich (?:agent|person|colleague)\b|哪个代理|担当|누가",
        r"\b(?:leads?|owns?|maintains?|approves?|handles?|responsible|contact|reviews?|ask)\b|管|负责|找|归|批准?|审|联系人|保管|维护|[阿小老][\u4e00-\u9fff]|[\u4e00-\u9fff]老师|\b(?:codex|claude|hermes|gemini)\b",
    ),
    _kind(
        "moment",
        r"\bwhen\b|\bwhat (?:time|day|date)\b|几点|什么时候|哪天|几号(?!口)|几月|何时|星期几|周几|日期|いつ|언제",
        rf"{_WEEKDAY}|\d{{1,2}}[:：]\d{{2}}|[\d一二三四五六七八九十]+\s?(?:点|月|号|日)(?!志)|\d{{4}}-\d{{2}}|\b(?:daily|nightly|weekly|monthly|january|february|march|april|may|june|july|august|september|october|november|december)\b|每(?:天|晚|周|月|年)|凌晨|\b(?:am|pm|noon|midnight|since|until|from)\b",
    ),
    _kind(
        "duration",
        r"\bhow (?:long|old)\b|\bretention\b|多久(?!一次)|多长时间|几天|几年|多少(?:小时|分钟|天)|保留|过期|期限|どのくらい",
        rf"{_NUMBER}\s?-?(?:ms|毫秒|秒|分钟|小时|天|周|个月|年|工作日|seconds?|minutes?|hours?|days?|weeks?|months?|years?|s\b|min\b|h\b|d\b)",
    ),
    _kind(
        "frequency",
        r"\bhow often\b|多久(?:\w{{0,6}})?一次|多久[^，。？]{0,8}次|间隔|频率|\binterval\b".replace("{{", "{").replace(
            "}}", "}"
        ),
        r"每[\d一二三四五六七八九十两半]*\s?(?:秒|分钟|小时|天|晚|周|月|年|次|季|半)|\bevery\b|\bdaily\b|\bweekly\b|\bmonthly\b|\bnightly\b|一次",
    ),
    _kind(
        "amount",
        r"\bhow (?:many|much|big|large|wide|high|far)\b|\b(?:limit|maximum|max|minimum|quota|threshold|budget|size|capacity)\b|多少|几(?:个|台|条|种|项|次|份|名|位|人|楼|列|块|核|页|级)|多大|上限|最多|最少|阈值|比例|额度|配额",
        rf"{_NUMBER}\s?(?:%|％|个|台|条|种|项|次|份|名|人|楼|列|核|元|GB|MB|KB|TB|px|像素|字符|万|成|cores?|columns?|items?|lines?|colou?rs?|yuan|euros?|\$|per\b)|\b(?:at (?:most|least)|under|below|above|up to|max(?:imum)?)\b|不超过|不低于|低于|高于|超过|最多|最少|\d",
    ),
    _kind(
        "money",
        r"多少钱|价格|费用|租金|预算|折扣|电费|水费|补贴|\b(?:price|cost|pay|fee|salary|rent|budget|discount)s?\b|\bcharge\b",
        r"元|欧|美元|¥|\$|€|免费|\b(?:yuan|euros?|dollars?|free of charge)\b|折",
    ),
    _kind(
        "colour",
        r"colou?rs?\b|颜色|色值|什么色|色号|主色|\bhues?\b",
        r"#[0-9a-f]{3,8}\b|[红蓝绿黄橙紫黑白灰赭]色?|\b(?:red|blue|green|yellow|orange|purple|black|white|grey|gray|colou?rs?)\b",
    ),
    _kind(
        "reason",
        r"\bwhy\b|为什么|为啥|为何|原因|怎么会|\breason\b|\bcaus(?:e|ed)\b|なぜ|왜",
        r"\bbecause\b|\bsince\b|\bdue to\b|\bso that\b|\bcame from\b|因为|由于|原因|所以|是.{1,20}(?:把|导致)|为了|不划算|太|\b(?:too|instead of|over)\b|[:：]",
    ),
    _kind(
        "credential",
        r"\b(?:password|credential|token|secret|api key|keys?)\b|密码|口令|密钥|凭据|令牌|凭证",
        r"\b(?:password|credential|token|secret|keys?|1password|keepass\w*|vault|environment variable)\b|密码|口令|密钥|凭据|令牌|条目|证书",
    ),
    _kind(
        "command",
        r"\bcommands?\b|命令|怎么(?:跑|执行|连|回滚|部署|发布)|\bhow do (?:i|we) (?:roll|deploy|release|connect|run|start)\b",
        r"`[^`]+`|命令|\bcommand\b|\bmake \w+|\bjust \w+",
    ),
    _kind(
        "contact",
        r"电话|邮箱|\b(?:phone|e-?mail|number to call)\b|联系方式",
        r"\+?\d[\d -]{6,}\d|@[\w-]+\.|电话|邮箱|\b(?:phone|e-?mail)\b",
    ),
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
)

# Subject words; a line that lacks all that the question names is about something else of the same thing.
_CONCEPTS: tuple[str, ...] = (
    r"\bmemory\b|\bram\b|内存|メモリ",
    r"\blogs?\b|日志|ログ",
    r"\bbackups?\b|备份|バックアップ",
    r"\brestor\w+\b|恢复|复原",
    r"\bdatabases?\b|\bpostgres\w*|\bDB\b|数据库|主库|データベース",
    r"\breplicas?\b|从库|副本|\bstandby\b",
    r"\brelease\w*\b|\bdeploy\w*\b|\bship\w*\b|发布|发版|上线|部署",
    r"\broll\w* ?back\b|回滚",
    r"\bmigrations?\b|迁移",
    r"\bbranch\w*\b|分支",
    r"\bcommits?\b|提交",
    r"\breview\w*\b|\bapprov\w*\b|评审|审批|批准|审核",
    r"\bmerge\w*\b|合并|\bpull requests?\b|\bPRs?\b",
    r"\btest(?:s|ing)?\b|测试",
    r"\bcoverage\b|覆盖率?",
    r"\bpipelines?\b|\bCI\b|流水线",
    r"\brunners?\b",
    r"\bbrowsers?\b|浏览器",
    r"\bfonts?\b|字体|字号",
    r"\btheme\b|主题|深色|\bdark\b",
    r"\bicons?\b|图标|favicon",
    r"\blogo\b|标志",
    r"\bbuttons?\b|按钮",
    r"\bcharts?\b|\bgraphs?\b|图表",
    r"\btables?\b|表格|\bcolumns?\b",
    r"\bcorners?\b|\bradius\b|圆角",
    r"\banimations?\b|动画",
    r"\bforms?\b|表单",
    r"\bdisks?\b|\bstorage\b|磁盘|硬盘|容量|空间",
    r"\bcpu\b|\bcores?\b|几核|\d ?核",
    r"\bbackend\b|后台",
    r"\bfrontend\b|前端",
    r"\bfirmware\b|固件",
    r"\bsensors?\b|传感器",
    r"\bpumps?\b|水泵",
    r"\bvalves?\b|阀",
    r"\bcertificates?\b|证书",
    r"\bvpn\b|\bwireguard\b|隧道",
    r"\bproxy\b|代理(?!人|分工)",
    r"\bdns\b|域名|解析",
    r"\bcache\b|缓存",
    r"\bqueues?\b|队列",
    r"\bmessages?\b|消息",
    r"\bSMS\b|短信",
    r"\be-?mails?\b|\bmail\b|邮件|邮箱",
    r"\brefunds?\b|退款",
    r"\binvoices?\b|发票|账单",
    r"\bpayments?\b|支付|付款|收款",
    r"\bprices?\b|\bfees?\b|\bcosts?\b|价格|费用|订阅费|多少钱",
    r"\bdiscounts?\b|折扣|优惠",
    r"\bcustomers?\b|客户|用户",
    r"\bgrowers?\b|种植户",
    r"\breports?\b|报告|日报|周报",
    r"\bon.?call\b|值班",
    r"\bhand ?overs?\b|\bhandoff\b|交接",
    r"\bsecurity\b|安全",
    r"\btraining\b|培训",
    r"\bholidays?\b|节假日|假期|休假|请假",
    r"\bmeetings?\b|会议|例会",
    r"\bcontracts?\b|合同",
    r"\blicen[cs]es?\b|许可",
    r"\blibrar(?:y|ies)\b|第三方库|依赖|\bpackages?\b",
    r"\bframeworks?\b|框架",
    r"\blanguages?\b|语言|中文|英文",
    r"\bformat(?:s|ter)?\b|格式|排版",
    r"\bnam(?:e|ed|ing)\b|命名|起名|叫什么",
    r"\beditors?\b|编辑器",
    r"\bplug-?ins?\b|插件",
    r"\bmodels?\b|模型",
    r"\btokens?\b|令牌",
    r"\bagents?\b|代理",
    r"\bschedul\w*\b|排期|计划",
    r"\btime ?zones?\b|时区",
    r"\bunits?\b|单位|公制",
    r"\btemperatures?\b|温度|摄氏|几度",
    r"\bhumidity\b|\bmoisture\b|湿度",
    r"\bconnections?\b|连接数?",
    r"\btimeouts?\b|超时",
    r"\bretr(?:y|ies)\b|重试",
    r"\brate.?limit\w*|\bthrottl\w*|限流|每分钟",
    r"\bencrypt\w*\b|加密",
    r"\bsign(?:ed|ing|ature)\b|签名",
    r"\bkeys?\b|密钥|钥匙",
    r"\bpasswords?\b|密码|口令",
    r"\breplicas?\b|副本",
    r"\bclusters?\b|集群",
    r"\bcontainers?\b|\bdocker\b|容器|镜像|\bimages?\b",
    r"\bsystemd\b|\bunits?\b",
    r"\bmonitor\w*\b|\balert\w*\b|\balarm\w*\b|监控|报警|告警",
    r"\bdashboards?\b|看板",
    r"\bmetrics?\b|指标",
    r"\boutages?\b|\bincidents?\b|故障|事故|停水|宕机",
    r"\bpostmortem\b|复盘",
    r"\bbudget\b|预算",
    r"\bsuppliers?\b|\bvendors?\b|\bproviders?\b|供应商|厂商|服务商|哪家",
    r"\bbattery\b|\bbatteries\b|电池|電池",
    r"\bpower\b|电源|断电|没电|电费",
    r"\bnetwork\b|网络|网段",
    r"\bbandwidth\b|带宽|流量",
    r"\bwi-?fi\b|无线",
    r"\boffice\b|办公室",
    r"\bprinters?\b|打印机?",
    r"\bwarehouse\b|仓库|仓",
    r"\blabels?\b|标签|面单",
    r"\bparcels?\b|包裹",
    r"\blockers?\b|柜机|快递柜|ロッカー",
    r"\bcouriers?\b|骑手|快递员",
    r"\borders?\b|订单|下单",
    r"\bmerchants?\b|商户",
    r"\bmaps?\b|地图",
    r"\bschema\b|主键|字段|\bfields?\b",
    r"\bAPIs?\b|接口",
    r"\bendpoint\b",
    r"\bfeature flags?\b|开关",
    r"\bsamples?\b|样品|样本",
    r"\bphotos?\b|照片",
    r"\bvideos?\b|视频",
    r"\btranslat\w*\b|翻译",
    r"\bopen(?:ing)? days?\b|开放日",
    r"\bphone\b|电话|手机",
    r"\bdeadline\b|截止",
    r"\bmilestones?\b|里程碑",
    r"\broadmap\b|路线图",
    r"\bquota\b|配额|额度",
)
CONCEPTS: tuple[re.Pattern[str], ...] = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _CONCEPTS)


def asked(question: str) -> frozenset[str]:
    """Names of the kinds that `question` asks for."""
    return frozenset(kind.name for kind in KINDS if kind.asked.search(question))


def stated(line: str, wanted: frozenset[str]) -> frozenset[str]:
    """Those of the `wanted` kinds that `line` states a value of."""
    return frozenset(kind.name for kind in KINDS if kind.name in wanted and kind.stated.search(line))


def concepts(text: str, wanted: frozenset[int] | None = None) -> frozenset[int]:
    """Numbers of the concepts that `text` names; of the `wanted` ones alone where they are given."""
    numbers = range(len(CONCEPTS)) if wanted is None else wanted
    return frozenset(number for number in numbers if CONCEPTS[number].search(text))
