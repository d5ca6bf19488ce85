"""What a question asks for and what a line states: kinds of value, and the subject words around them.

A concept is a subject word in Chinese and English, so that "memory limit" and "内存上限" meet. The table is data; fit
nothing here by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from shilu_core.recall.kinds import KINDS, NARROWER
from shilu_core.recall.marked_patterns import MarkedPattern

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
    r"\bpenalt(?:y|ies)\b|\bfines?\b|罚款|赔偿|违约金",
    r"\bopening hours\b|开门|关门",
    r"\border(?:s|ed)?\b(?! (?:of|in|to)\b)|订单|下单",
    r"\bjoined\b|入职",
    r"\bfirewall\b|防火墙",
    r"\bserial numbers?\b|序列号|资产编号|工号",
    r"\bwarranty\b|保修|质保",
    r"\bracks?\b|机柜|机架",
    r"\brooms?\b|房间|会议室",
    r"\bkeyboard\b|键盘",
    r"\bmouse\b|鼠标",
    r"\bscreens?\b|\bresolution\b|屏幕|显示器|分辨率",
    r"\bmotherboard\b|主板|芯片|\bchips?\b",
    r"\bbrands?\b|品牌|牌子",
    r"\bbirthdays?\b|生日|\bhow old\b|多大年纪|几岁",
    r"\bsalary\b|\bwages?\b|\bhourly\b|工资|薪|时薪",
    r"\bvacation\b|\bleave\b|\bday off\b|假(?!设|如|名|数据)",
    r"\bboss\b|\bmanager\b|\bsupervisor\b|领导|主管|上级",
    r"\bprincipal\b|\bteachers?\b|校长|老师|教什么",
    r"\bstudents?\b|学生",
    r"\bsubscribers?\b|\bunsubscribe\w*|订阅者|退订",
    r"\bactive (?:users|growers)\b|日活|月活|活跃",
    r"\bbalance\b|余额",
    r"\bdeposit\b|押金|定金",
    r"\btickets?\b|门票|票价",
    r"\btax\w*\b|税号|税",
    r"\bbank\b|银行|开户行",
    r"\binsurance\b|保险",
    r"\brents?\b|租金|地租|房租",
    r"\bparking\b|停车",
    r"\blunch\b|\bfood\b|午饭|食堂|茶歇",
    r"\bchannels?\b|\bSlack\b|频道|群(?:名|里|聊)?",
    r"\brecipients?\b|收件人|抄送|发给谁|发给哪",
    r"\bsender\b|发件(?:人|地址)",
    r"\badmins?\b|\badministrator\b|\broot\b|管理员|超管",
    r"\baccounts?\b|账号|账户",
    r"\bpermissions?\b|\baccess\b|权限|访问",
    r"\bCPU limit\b|限额",
    r"\bMTU\b|\bQoS\b|\bTTL\b",
    r"\bparameters?\b|\bflags?\b|参数",
    r"\bautovacuum\b|\bvacuum\b",
    r"\beviction\b|\bmaxmemory\b|淘汰|逐出",
    r"\bpersist\w*\b|落盘|持久化",
    r"\bpartitions?\b|分区",
    r"\bindex(?:es)?\b|索引",
    r"\bfile ?system\b|文件系统",
    r"\brestarts?\b|\breboot\w*\b|重启",
    r"\bpatch\w*\b|补丁",
    r"\bvirtual\b|虚拟机",
    r"\bsnapshots?\b|快照",
    r"\bgateway\b|网关",
    r"\bload balanc\w*\b|负载均衡",
    r"\bcdn\b",
    r"\bcrates?\b|\bmodules?\b|\bpackage manager\b|日志库|模块",
    r"\bcsv\b|\bexcel\b|\bspreadsheet\b|表格文件",
    r"\bbinary\b|\bbinaries\b|二进制",
    r"\bcompil\w*\b|\btoolchain\b|编译",
    r"\bdebug\w*\b|调试",
    r"\btemplates?\b|模板",
    r"\brepositor(?:y|ies)\b|\brepos?\b|仓库|代码库",
    r"\bstars?\b|星标",
    r"\bwindows?\b(?= ?(?:for|of|is|was))|窗口",
    r"\bSLA\b|\buptime\b|可用性|服务等级",
    r"\bload tests?\b|\bbenchmarks?\b|压测|吞吐",
    r"\blatency\b|\bp99\b|\bload(?:ing)? time\b|延迟|加载时间|响应时间",
    r"\bdepth\b|\bdeep\b|深度|埋多深",
    r"\barea\b|面积",
    r"\bvoltage\b|\bvolts?\b|电压|伏",
    r"\bwatts?\b|功率|瓦",
    r"\baccuracy\b|\bprecision\b|精度|准确",
    r"\bcalibrat\w*\b|校准",
    r"\bfertili[sz]er\w*\b|肥",
    r"\bpests?\b|虫害",
    r"\bharvest\w*\b|\byield\b|收成|采收|产量",
    r"\bplants?\b|\bcrops?\b|种什么|作物|番茄",
    r"\bsupport(?:s|ed)? double|双面",
    r"\bink\b|\btoner\b|墨盒|硒鼓|缺墨",
    r"\bfounded\b|\bstarted\b|成立|启动|发起",
    r"\bwrote\b|\bwritten by\b|\bauthor\b|谁写|作者",
    r"\bmaintain\w*\b|维护",
    r"\bshadows?\b|阴影",
    r"\bspacing\b|\bpadding\b|\bmargin\b|间距",
    r"\bsounds?\b|声音|提示音",
    r"\bkeys? prefix\b|前缀",
    r"\bdomain\b|域名",
    r"\bregistrar\b|注册商",
    r"\bbuy\b|\bbought\b|\borders?\b|\bpurchas\w*\b|买|采购|订购",
    r"\blogin\b|\bsign in\b|登录",
    r"\baudit\w*\b|审计",
    r"\bcompensation\b|补偿|补贴",
    r"\bprobation\b|试用期",
    r"\bovertime\b|加班",
    r"\btravel\b|差旅|报销",
    r"\bsubscription\b|订阅费?|年费",
    r"\bdrill\b|演练",
    r"\bpull\b|拉取|镜像源",
    r"\bmirrors?\b|源(?=配|是|地址)",
    r"\bspeech\b|\bOCR\b|识别",
    r"\bwriters?\b|写权限",
)
# Of lower-case text: patterns that ignore case take a fifth longer.
CONCEPTS: tuple[MarkedPattern, ...] = tuple(MarkedPattern(pattern.lower()) for pattern in _CONCEPTS)


def asked(question: str) -> frozenset[str]:
    """Names of the kinds that `question` asks for, broad ones only where no narrower one is."""
    found = frozenset(kind.name for kind in KINDS if kind.asked.search(question))
    return frozenset(name for name in found if not NARROWER.get(name, frozenset()) & found)


def stated(line: str, wanted: frozenset[str], names: Iterable[str] = ()) -> frozenset[str]:
    """Those of the `wanted` kinds that `line` states a value of.

    A bare number is a version where it stands behind one of `names`, or behind any word where none is in Latin script.
    """
    found = {kind.name for kind in KINDS if kind.name in wanted and kind.stated.search(line)}
    if "version" in wanted - found and _numbered([name for name in names if name.isascii() and len(name) > 1], line):
        found.add("version")
    return frozenset(found)


def _numbered(names: list[str], line: str) -> bool:
    """Whether a short number stands right behind a name, as in "PostgreSQL 17"."""
    word = "|".join(re.escape(name) for name in names) or "[a-z]{2,}"
    return (
        re.search(rf"(?<![a-z])(?:{word})[a-z]{{0,4}}[`\"” ]{{1,2}}\d{{1,3}}(?![\d:%.])", line, re.IGNORECASE)
        is not None
    )


def concepts(text: str, wanted: frozenset[int] | None = None) -> frozenset[int]:
    """Numbers of the concepts that `text` names; of the `wanted` ones alone where they are given."""
    numbers = range(len(CONCEPTS)) if wanted is None else wanted
    folded = text.lower()
    if not folded:
        return frozenset()
    return frozenset(number for number in numbers if CONCEPTS[number].found_in(folded))
