"""What in a user's message speaks for or against stored memory: cues in the words, never in a vault.

A cue is a pattern with a name; the weight of each is fitted by `bench/gate.py`. Cues that speak for memory have the
topic they show, which the status page names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MOST_READ = 600  # characters at each end of a long message; what is asked stands at one of them

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED = re.compile(r"[\"“「《](?:[^\"”」》]{12,}|[\u3040-\u9fff，。！？]{5,})[\"”」》]")
# What stands behind the colon of "translate the following:" is material, whatever it says.
_MATERIAL = re.compile(
    r"(?P<order>\b(?:translate|rewrite|rephrase|paraphrase|shorten|summari[sz]e|correct|convert|classify|extract|explain|spell"
    r"|this|these|following|sentence|shorter|polite(?:ly)?)\b[^:：\n]{0,60}"
    r"|(?:翻译|译成|翻成|改写|改成|改一下|缩短|写短|总结|客气|换个说法|解释|下面|以下|这(?:段|句|行|条|些)|句话|错别字|近义词|判断)[^:：\n]{0,30})"
    r"[:：]\s*\S.*",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class Cue:
    """A pattern searched in the folded message; `topic` is empty for cues against memory."""

    name: str
    topic: str
    pattern: re.Pattern[str]


def _cue(name: str, topic: str, *patterns: str) -> Cue:
    return Cue(name, topic, re.compile("|".join(patterns), re.IGNORECASE))


CUES: tuple[Cue, ...] = (
    _cue(
        "own",
        "project facts",
        r"\b(?:our|ours|we|us|my|mine|the (?:team|firm|company|office|repo|client|customer)(?:'s)?)\b",
        r"我们(?!的身体|为什么|来玩)|咱们?|我的|我(?=习惯|常用|之前|上次|该|能|还|答应|负责)|本组|组里|所里|店里|团队|公司",
        r"うち(?:の|で)|私たち|自分の|우리|저희|내 ",
    ),
    _cue(
        "earlier",
        "history",
        r"\b(?:last (?:time|week|month|year|night|quarter)|yesterday|(?:this|that) morning|previous(?:ly)?|earlier|already)\b",
        r"\b(?:back then|the other day|again|still|any ?more|used to|these days|no longer)\b",
        r"上次|上回|上周|上个?月|上季度|昨天|昨晚|今早|之前|以前|当初|当时|那次|去年|后来|最后|又(?:挂|满|坏|报)|来着|还在",
        r"前回|先週|昨日|以前|だっけ|でしたか|지난번|지난주|어제|예전|뭐였",
    ),
    _cue(
        "decided",
        "history",
        r"\bdid (?:we|i|you|the|they)\b|\b(?:agreed?|decided?|settled?|discussed|promised?|chose|picked|vote[ds]?)\b",
        r"\bwhy (?:did|do|don't|is|was|are) (?:we|our|the)\b|\b(?:conclusion|workaround|root cause)\b",
        r"决定|定的|定好|说好|商量|选了|选的|答应|约定|结论|为什么(?:要|不|没|换|锁)|为啥|怎么(?:解决|翻车|弄好)",
        r"決めた|決まった|결정|하기로",
    ),
    _cue(
        "habit",
        "preferences",
        r"\b(?:usual(?:ly)?|as (?:always|agreed|discussed|before|i)|the (?:way|same)|like (?:i|last|before|in|the)|habit)\b",
        r"\b(?:house|coding|writing) style\b|\bmy (?:style|tone|settings?|setup|taste)\b|\b(?:conventions?|scheme|template)\b",
        r"老规矩|老样子|老地方|照(?:旧|常|我|之前|惯例|另|去年|以前)|按(?:我|我们|咱们|规范|惯例|之前|约定|老)|跟(?:上次|以前|去年)|习惯|惯例|规范|规矩|偏好|风格|我(?:一般|平时|通常|喜欢|一贯)|(?:该|应该)用哪|(?:跟|和)\S{1,4}(?:确认|敲定|核对|说好)过?的",
        r"慣例|規範|習慣|いつもの|늘 하던|평소",
    ),
    _cue(
        "who",
        "coordination",
        r"\bwho (?:is|are|owns?|approves?|takes?|maintains?|do i|can|should|reviews?|has)\b|\bwhose\b|\bcolleagues?\b",
        r"\b(?:on.?call|hand ?over|handoff|another agent|other agent|agents?|reviewers?|codex|claude|hermes|gemini)\b",
        r"谁(?:负责|在|管|批|来|维护|的|审|记|加|续)|归谁|找谁|问谁|该找|哪个代理|代理|交接|值班|同事|评审",
        r"誰に|担当|누가|담당",
    ),
    _cue(
        "where",
        "paths",
        r"\bwhere(?:'s| is| are| do| did| does)\b|\b(?:path|folder|directory|link|url|address) (?:of|to|for)\b|\bpath\b",
        r"哪里|哪儿|在哪|到哪|放哪|存哪|路径|目录|链接|网址|地址|哪(?:台|块|张|个)",
        r"どこ|どの(?:サーバ|マシン)|어디|주소",
    ),
    _cue(
        "credentials",
        "credentials",
        r"\b(?:credentials?|passwords?|tokens?|api keys?|keys?|secrets?|login|certificates?|account)\b",
        r"密码|口令|凭据|密钥|令牌|证书|账号|账户|登录信息|パスワード|비밀번호",
    ),
    _cue(
        "environment",
        "servers",
        r"\b(?:prod(?:uction)?|staging|canary|bastion|replica|cluster|runners?|(?:build|demo|test|compile) (?:box|machine|server|node))\b",
        r"生产|测试(?:环境|机|库|服|平板)|正式环境|預發|测试後台|預発|跳板机|堡垒机|集群|构建机|演示服务器|那台|第二台|机房|環境|本番|検証|스테이징|운영",
    ),
    _cue(
        "action",
        "rules",
        r"^(?:please |can you |could you )?(?:deploy|ship|release|merge|commit|push|restart|rerun|roll|rotate|revert|undo"
        r"|delete|drop|copy|connect|open|turn|start|send|book|order|update|set up|prepare|draft|log|hand|tag|pick|choose)\b",
        r"^(?:请|帮我|麻烦)?把?.{0,12}(?:部署|发布|上线|回滚|重启|合并|提交|推到|推送|发(?:给|吧|版)|归档|打开|连上|删掉|拷到|撤销|备份|订)",
        r"デプロイして|배포해",
    ),
    _cue(
        "permission",
        "rules",
        r"\b(?:may|can|should|shall) (?:i|we|agents?)\b|\b(?:allowed|ok(?:ay)?|fine|safe|off limits|red lines?|rules?|polic(?:y|ies)) ?(?:to|for|on)?\b",
        r"(?:能|可以|可不可以|能不能|要不要|需不需要|允许).{0,14}(?:吗|么|嘛|？|\?)|能不能|红线|不能动|规定|てもいい|해도",
    ),
    _cue(
        "status",
        "project facts",
        r"\b(?:status|progress|state of|left (?:on|for)|remaining|blocking|deadline|milestone|backlog|ticket|agenda|report|now)\b",
        r"进展|进度|还(?:剩|卡|没|有什么)|截止|工单|议程|周报|日报|现在|这周|本周|下次|下周|明天",
    ),
    _cue(
        "setting",
        "configuration",
        r"\b(?:limits?|timeouts?|retention|thresholds?|intervals?|batch|retries|budget|quota|version|port|config(?:uration)?|settings?)\b",
        r"上限|超时|保留|阈值|间隔|批次|重试|预算|额度|版本|端口|配置|监听|温度参数|色号|字号|字体",
    ),
    _cue(
        "named",
        "project facts",
        r"(?<![\w/-])(?!hello-)[a-z]{3,}-(?:[a-z]{2,})(?=[ ']?(?:\s|的|里|监|写|多|谁|怎|支|上|为|消|\?|$))|\bsrc/|\b[a-z]+\.[a-z]+\.internal\b|\bv?\d+号工单|#\d+|\b[A-Z]{2,}-\d+",
    ),
    _cue(
        "definite",
        "project facts",
        r"\bthe (?:nightly|weekly|old|new|second|first|left|official|shared|signed|usual|last|next|current|flaky|broken|cheap)\b",
        r"那(?:个|次|份|家|块|套|部)|这(?:个|次|份|家|块|部)|夜间任务|旧的?|新(?:来|同事|电脑|机器|模块|人)",
    ),
    _cue(
        "people",
        "coordination",
        r"\b(?:wife|husband|partner|(?:step|grand)?(?:son|daughter|mother|father|mum|mom|dad|ma|pa)|sister|brother|aunt|uncle|cousin|landlord|dentist|vet)\b",
        r"[我你他她](?:妈|爸|哥|姐|弟|妹|爷|奶|家)|老婆|老公|妻子|丈夫|女儿|儿子|父亲|母亲|岳父|岳母|公公|婆婆|外婆|外公|阿嬷|房东|班主任|客户|供应商|甲方|[老小阿][\u4e00-\u9fff](?=负责|在|哪|的|什么|对|几)",
    ),
    _cue(
        "appointment",
        "coordination",
        r"(?:会|报|班|假|检|约|证|险|租|疫苗|生日|纪念日|保养|备份|任务|航班|高铁|快递|薪).{0,6}(?:什么时候|几点|几号|哪天|周几|星期几|到期|多久)",
        r"\b(?:when(?:'s| is| are| does| do)|what (?:day|time|date)|which day)\b.{0,24}\b(?:stand-?up|retro|meeting|call|review|sync|report|release|sprint"
        r"|backup|job|lease|rent|insurance|appointment|pickup|birthday|anniversary|payday|flight|train|delivery|due|end|expire)\b",
    ),
    _cue(
        "choice",
        "preferences",
        r"用(?:的是|的)?(?:哪|什么|谁)|(?:用|写|放|推|走).{1,8}还是|怎么(?:命名|编号|称呼|排)|哪(?:种|家|个牌子)|要不要(?:写|加|带|跑|发|留)",
        r"^(?:(?:what|which) )?(?:\w+ )?(?:font|theme|colou?r scheme|shell|editor|terminal|indent(?:ation)?|(?:branch |file )?naming|date format|language (?:for|in|of)|brand|seat|size|tone|length)\b",
    ),
    _cue(
        "textbook",
        "",
        r"复杂度|算法|首都|发明|沸点|光速|圆周率|行星|货币|缩写|稳定吗|有(?:多少|几)(?:种|个|位|字节|天|颗|州)|(?:是|由)谁(?:写|画|发明|创)|多(?:高|远|重)$|几年一[次届]"
        r"|最[大小高长深快远老重]的[^我们]{1,6}(?:是|有|在)|(?:中秋|春|除夕|端午|清明|重阳|国庆|母亲|父亲|情人|元宵|圣诞)节|默认(?:端口|port)|(?:狗|猫|孕妇|婴儿|宝宝|感冒|空腹).{0,4}(?:能|可以)",
        r"\b(?:complexity|algorithm|capital (?:of|city)|boiling point|speed of light|population|invented|founded|planets?|continents?|currency)\b",
        r"\bhow (?:many|much|tall|high|far|deep|old)\b.{0,40}\b(?:in an?|are there|is the|does it)\b|\b(?:is|are) \w+ (?:stable|interpreted|compiled|edible|safe)\b"
        r"|\bsingular or plural\b|の高さ|の首都|\bhow (?:long|often|much) should (?:i|you|one)\b|\bhow (?:can|do) (?:i|you) (?:fall|boil|cook|bake|lose|learn|grow|clean|remove|tie|stop|improve)\b"
        r"|\b(?:mother's|father's|valentine's|labou?r) day\b|\b(?:easter|thanksgiving|solstice)\b|\b(?:what|which) (?:year|century)\b|\bvs\b|\bpros and cons\b",
    ),
    _cue(
        "general",
        "",
        r"\b(?:in general|general(?:ly)?|by default|default|typical(?:ly)?|common(?:ly)?|best practices?|best way to|most (?:companies|people)|usually (?:valid|used))\b",
        r"一般|通常|默认|常见|业界|大家|通用",
    ),
    _cue(
        "public",
        "",
        r"\b(?:git|vim|linux|unix|ubuntu|debian|windows|docker|kubernetes|nginx|postgres(?:ql)?|mysql|mongodb|redis|kafka|sqlite"
        r"|python|java(?:script)?|rust|go(?:lang)?|haskell|c\+\+|node(?:\.js)?|react|vue|html|css|https?|tcp|udp|dns|ssh|tls|oauth|jwt"
        r"|json|yaml|sql|regex|cron|bash|curl|utf-8|gdpr|earth|moon|mars|europe|world)\b|地球|月球|世界|中国|人类|人体",
    ),
    _cue(
        "definition",
        "",
        r"\bwhat(?:'s| is| are) (?:a|an|the difference|the meaning|the point|the history|the plot|the formula)\b|\b(?:mean|stands? for)\b",
        r"\b(?:explain|describe|compare|prove|define|who (?:was|wrote|invented|painted|won|composed|discovered|directed|designed|built|sang|conquered|said)|how do(?:es)? (?:\w+ )?work)\b",
        r"什么是|是什么意思|什么意思|什么叫|原理|区别|怎么回事|解释|由来|讲讲|有哪些|有哪几|とは|って何|뭐야|무엇",
    ),
    _cue(
        "purpose",
        "",
        r"^what (?:does|do) \S+(?: \S+)? do\b|^what (?:is|are) \S+(?: \S+)? (?:used )?for\b|^why (?:do|does|is|are) (?!we\b|our\b|the\b|i\b|my\b)",
        r"(?:能|是)(?:干|做)(?:什么|嘛|啥)(?:的|用)?[？?]?$|怎么工作|怎么(?:制|发|产|形成)|朝代",
    ),
    _cue(
        "answer before",
        "",
        r"^(?:make it|as an?|in (?:one|two|three|fewer)|too (?:long|short|formal|much)|say (?:it|that) again|try (?:a|an|another)|shorter|simpler|more|less|again in)\b"
        r"|\bthe (?:first|second|third|last) (?:paragraph|point|sentence|option|bullet)\b|\byour (?:last|previous) (?:answer|reply|example)\b|^(?:hold on|i (?:disagree|don't get))\b",
        r"(?:第[一二三四五]|上面|上一|最后一?)(?:段|条|点|句|个例子)|刚才(?:的|那个)(?:回答|例子|答案)|^(?:太(?:长|短|啰嗦)|再(?:短|长|口语|正式|简)|不对|换个(?:思路|说法))|(?:再|重新)(?:发|排|输出|写|给)一?(?:次|遍|下)$|先别(?:动|改|跑)|用第?[一二三]个",
    ),
    _cue(
        "today",
        "",
        r"今天(?:几号|星期|周几|是周)|(?:今天|明天|后天).{0,4}(?:下雨|下雪|天气|热|冷)|[\u4e00-\u9fff]{2}(?:到|飞)[\u4e00-\u9fff]{2}.{0,4}(?:多久|多长时间|多远)",
        r"\b(?:rain|snow|sunny|weather)\b|\bwhat(?:'s| is) the date\b|\bwhat time is it\b|现在.{2,4}几点|\bhow long is the flight\b",
    ),
    _cue(
        "given text",
        "",
        r"[:：]\s*[\"“「《]?\S.{14,}$|[\"“「].{12,}[\"”」]|```|\n.*[;{}=]",
        r"\b(?:this (?:sentence|paragraph|code|function|query|regex|json|yaml|csv|log)|the following|these (?:names|numbers))\b",
        r"这(?:段|句|行|条|些)(?:话|代码|sql|正则|json|yaml|csv|日志)?|下面|以下|句话",
    ),
    _cue(
        "transform",
        "",
        r"^(?:please )?(?:turn (?:this|these|that)|(?:make|write) .{0,20}\b(?:points|list|table)\b|translate|rewrite|shorten|rephrase|spell|paraphrase|summari[sz]e|correct|convert|sort|reverse|encode|classify|extract|count|capitali[sz]e)\b",
        r"翻译|翻成|说得|写短|改成|缩短|译成|改写|换个说法|换算|转成|转换|转置|排序|倒过来|造个?句|改一下语病|英語に|번역",
    ),
    _cue(
        "create",
        "",
        r"^(?:please )?(?:write|give me|show me|generate|make up|create|suggest|tell me|draw|list|name)\b (?:an?|me|some|two|three|four|five|six|seven|eight|nine|ten|twenty|\w+ (?:names?|integers?))\b",
        r"^(?:给|写|讲|说|画|编|生成|推荐|列出|来)(?:一|个|首|段|三|五|十|张|点|我(?:一|十|三|五))",
        r"\bhow (?:do|to|can) (?:i |you )?(?:\w+ )?(?:a |an )|怎么(?:写|用|打|做|挑|算|画)",
    ),
    _cue("arithmetic", "", r"\d\s*[-+*/×÷^%=]\s*\d|\d+\s*(?:乘|加|减|除)|(?:等于|是)多少(?:公里|米|厘米|克|公斤|摄氏|升|天)|0x[0-9a-f]+|百分之"),
    _cue("code", "", r"```|\bnumbers from \d|\bin (?:python|ruby|c|java|go|rust|perl|php|sql|bash|javascript)[.?]?$|^\s*(?:def|class|for|if|let|const|SELECT|import)\b|[{};]\s*$"),
    _cue(
        "chat",
        "",
        r"^(?:hi|hello|hey|thanks?|thank you|ok(?:ay)?|yes|no|yep|nope|sure|great|good|got it|go on|next|stop|continue|perfect|never mind)\b",
        r"^(?:你好|您好|嗨|谢|多谢|好(?:的|吧|啊)?$|嗯|行$|可以|不用|算了|继续$|下一个|停$|明白|收到|没问题|哈|晚安|再见|早)",
        r"^(?:ありがとう|おはよう|こんにちは|はい|続けて|감사|안녕|네$|계속)|\bjoke\b|笑话|冗談",
    ),
)


def found(message: str) -> tuple[bool, ...]:
    """Which of `CUES` stand in `message`, in their order; those for memory only in what the user says himself."""
    read = message if len(message) <= 2 * MOST_READ else f"{message[:MOST_READ]}\n{message[-MOST_READ:]}"
    said = own_words(read)
    return tuple(bool(cue.pattern.search(said if cue.topic else read)) for cue in CUES)


def own_words(message: str) -> str:
    """`message` without fenced code, long quotations and the material of an order such as "translate this: ..."."""
    bare = _QUOTED.sub(" ", _FENCE.sub(" ", message))
    return _MATERIAL.sub(lambda matched: matched["order"] + ":", bare)
