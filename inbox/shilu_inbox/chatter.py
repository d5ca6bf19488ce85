"""Small talk and reports of progress: a line that consists of nothing else is no fact.

One row for each way of it, matched on a whole clause; every row has an example and a near miss, which are tests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

LONGEST = 120  # characters; a longer line says more than that
_CLAUSES = re.compile(r"[,.;!?~…，。；！？、:：—]+|\s[-–]\s|(?<=[a-z])\s+(?:and|but|then)\s+(?=[a-z])")
_TAIL = r"(?: (?:now|today|then|again|first|too|later|for (?:me|you|us|now)|to me|so far|everyone|all|team|guys|mate|buddy|there))*"


@dataclass(frozen=True)
class Row:
    """`pattern` is matched against one whole clause, lower-cased and simplified."""

    pattern: str
    example: str
    counter: str


ROWS: tuple[Row, ...] = (
    Row(r"(?:ok|okay|yes|yep|yeah|sure|right|fine|great|cool|nice|awesome|perfect|excellent|wow|haha+|lol|hm+|oh|ah|well|sorry|please|super|brilliant|amazing)(?: (?:one|then|work|job|thanks|idea|sir|again))?",
        "haha nice one", "OK button sits on the right"),
    Row(r"(?:many |much |ok )?(?:thanks?|thank you|thx|cheers)(?: (?:so|very) much| a lot)?(?: for (?:the |your |all )?(?:help|fix|update|explanation|patience|support|reminder|info|quick \w+))?",
        "thank you for the help", "thanks pages are static"),
    Row(r"(?:that|this|it|which|all of that) (?:works|worked|helps|helped|is (?:fine|great|good|perfect|ok|okay|right|correct|it|all)|sounds \w+|looks \w+|makes sense|should (?:work|do|help))(?: (?:well|nicely|great))?|works|makes sense|sounds (?:good|great|fine)|looks (?:good|great|fine)|fair enough|good (?:point|idea|question|luck)|well done|great (?:job|work)|nice work|good (?:job|work)",
        "that works", "this works only with Node 22"),
    Row(r"(?:hi|hello|hey|dear)(?: \w+)?|good (?:morning|afternoon|evening|night|day)|how are you(?: doing)?|see you(?: (?:later|soon|tomorrow|then))?|bye(?: bye)?|have a (?:nice|good|great) (?:day|evening|weekend|one)|happy (?:friday|monday|weekend|new year)|take care|welcome(?: back)?|nice to meet you",
        "Good morning, how are you?", "Good morning mails go out at seven"),
    Row(r"you(?:'re| are) welcome|no (?:problem|worries|rush|hurry)|my pleasure|don't worry|never mind|anytime|all good|all set|hope (?:this|that|it) helps|let me know(?: if .{1,40})?|feel free to ask.{0,30}|any(?:thing| questions) else",
        "no worries, hope this helps", "let the owner know by mail"),
    Row(r"(?:ok |so )?(?:let me|let's|i(?:'ll| will| can| should|'m going to| am going to)|we(?:'ll| will)) (?:just |now |first |quickly |also )?(?:check|see|look|think|try|start|begin|continue|proceed|go|get back|take (?:a|another) look|have a look|fix|investigate|do (?:that|it|this)|work on (?:it|this|that)|wait|move on|keep going|double-check)(?: (?:it|this|that|to you|into it|into this|at it|at (?:the|this) \w+|the \w+|on it|around|with (?:it|that|this)|what \w+ \w+))?",
        "Let me check the logs first", "we will fix the price in March"),
    Row(r"(?:(?:i(?:'m| am)|we(?:'re| are)) )?(?:still |currently |now |just )?(?:working|looking|checking|thinking|waiting|investigating|running|processing|loading|reading|compiling|building|starting|almost (?:done|there|finished)|nearly done|in progress|on it|done|finished|ready|back)(?: (?:on|into|about|at) (?:it|this|that))?(?: (?:it|this|that|the (?:tests?|build|files?|logs?|task)))?",
        "still working on it", "working hours are nine to five"),
    Row(r"(?:one|a|just a|give me a|give me one) (?:moment|sec|second|minute|min)|hold on|hang on|wait(?: a (?:moment|sec|minute|bit))?|bear with me|stand by",
        "hold on, one moment", "hold on the queue is thirty seconds"),
    Row(r"(?:all |the |both )?(?:tests?|checks?|builds?|everything|ci|lint|pipeline|jobs?|tasks?|steps?|deploy(?:ment)?)(?: \d+(?:/\d+| of \d+)?)?(?: (?:is|are|was|were|has|have|now|all))*(?: (?:passed|pass|passing|green|done|ok|okay|fine|failed|succeeded|successful|finished|completed?|running|clean))",
        "All tests passed, great!", "all tests run in Docker"),
    Row(r"got it|will do|(?:just )?(?:pushed|committed|merged|fixed|updated|deployed|done|finished|completed)(?: (?:it|this|that|everything|the (?:fix|change|changes|task|work)))?|(?:progress )?\d{1,3} ?% ?(?:done|complete)?|step \d+(?:/\d+| of \d+)? (?:done|finished|complete)",
        "pushed the fix", "merged branches are deleted"),
    Row(r"(?:the )?(?:weather|sun|rain)(?: is| was| looks)?(?: (?:so|very|really|quite|pretty))?(?: (?:nice|good|great|bad|lovely|cold|hot|warm|sunny|awful|shining))?|(?:it's|it is|what) (?:so |a |very )?(?:nice|lovely|cold|hot|sunny|rainy|warm|beautiful|late|early)(?: day| weather| morning)?|i(?:'m| am) (?:so |very |a bit )?(?:tired|hungry|busy|happy|sleepy|excited|bored)",
        "the weather is lovely today", "weather data comes from the met office"),
    Row(r"(?:今天|今日|明天|昨天|最近|这边|外面|今早)?的?天气(?:真|很|还|挺|太|有点|越来越)*(?:不错|好|冷|热|糟|差|晴朗|舒服|凉快)(?:啊|呀|了|呢)?|(?:今天|昨天|最近|我|真|有点|今早)*(?:好|很|太|有点|真)(?:冷|热|累|困|饿|忙|开心|高兴|无聊)(?:啊|呀|了|呢)?|(?:下雨|下雪|放晴|天黑|天亮)了",
        "今天天气不错", "今天起天气数据每小时更新"),
    Row(r"(?:大家)?(?:早上好|早安|早|上午好|中午好|下午好|晚上好|晚安|你好|您好|嗨|哈喽|再见|拜拜|回头见|明天见|下次见|周末愉快|节日快乐|新年快乐|祝你?.{0,6}(?:愉快|顺利|好运))(?:啊|呀|各位|大家)?|(?:你)?(?:吃饭|吃)了吗|最近怎么样|在吗",
        "早上好，在吗", "早上好用咖啡开场是团队惯例"),
    Row(r"(?:好的?|好嘞|嗯+|行|对|是的?|没错|可以|收到|明白|了解|知道|懂)(?:了|的|吧|啊|呢)?|(?:非常|多|太|十分)?(?:谢谢?|感谢|多谢)(?:你|您|大家|了|啦)*(?:的?(?:帮助|帮忙|支持|提醒|解释))?|辛苦(?:了|你了|啦|大家了)?|不客气|不用谢|没(?:事|关系|问题)(?:的|了|儿)?|别客气|不好意思|抱歉|对不起|哈哈+|呵呵+|加油|太?(?:好|棒|赞|厉害)(?:了|啦|啊)|(?:看起来|听起来|感觉)?(?:还|挺|很|真)?(?:不错|可以|好|行)(?:的|啊|哦|了)?|有道理|说得对|这样(?:就)?(?:可以|行|好)(?:了)?",
        "搞定了，辛苦", "辛苦费按次结算"),
    Row(r"(?:请|您|你)?(?:稍等|等一下|等等|稍候|等我一下)(?:一下|片刻|哦|啊)?|(?:那|好|我|我们)*(?:先|再|来|这就|马上|现在|去|继续|接着|接下来)*(?:看看|看一下|看下|查一下|查查|查下|试试|试一下|检查|检查一下|处理|处理一下|想想|想一下|确认一下|继续|开始吧?|开工|研究一下|分析一下)(?:日志|代码|吧|了|哦|这个|问题|一下|情况|结果)*",
        "好的，我先看看日志", "稍等页面显示骨架屏"),
    Row(r"(?:我)?(?:还|仍|现在|目前)?(?:在|正在)(?:处理|运行|检查|查看|思考|执行|编译|跑|构建|分析|加载|等待?|修复|排查|写|改)(?:测试|日志|代码|构建|中|着|呢|了|一下|这个|问题|结果)*|(?:马上|快|就快|差不多)(?:就)?(?:好|完成|搞定|结束)(?:了)?|进度(?:约|大约|到)?\s?\d{1,3}\s?%|(?:已经?)?完成(?:了)?\s?\d{1,3}\s?%",
        "正在跑测试，稍等", "正在使用的数据库是 Postgres 15"),
    Row(r"(?:所有|全部|本次|这个|第.{1,3})?(?:任务|步骤?|测试|构建|编译|检查|部署|流水线|工作|修改|代码)(?:都|全部|已经|已)*(?:完成|通过|成功|结束|跑完|做完|正常|跑通|失败|改好|搞定)(?:了|啦)?|(?:都|已经|已|全部|全)*(?:改好|修好|搞定|做完|弄好|写好|跑完|跑通|提交|推送|修复|更新|合并|部署|处理|解决|完成)(?:了|完毕|好了|啦)?|(?:等待|等|等着)(?:评审|合并|结果|回复|确认|用户|构建|通知)*(?:中)?",
        "构建成功，已提交，等待评审", "构建成功后通知频道"),
    Row(r"希望(?:对你|对您|这|能|会)*(?:有|有所)?(?:帮助|用)|(?:有|如有|如果有|还有)?(?:任何)?(?:问题|需要|疑问)(?:请|再|随时|可以|就|欢迎)*(?:告诉我|找我|联系我|说|问我|提问|说一声)",
        "有问题随时告诉我", "有问题随时告诉值班同事的电话是 110"),
)  # fmt: skip


@lru_cache(maxsize=1)
def _whole() -> re.Pattern[str]:
    return re.compile("(?:(?:ok|okay|yes|oh|haha+|well|so) )?(?:" + "|".join(f"(?:{row.pattern}){_TAIL}" for row in ROWS) + ")")


def clauses(text: str) -> list[str]:
    """The clauses of a lower-cased, simplified line; none of one that is too long to be small talk."""
    return [clause.strip() for clause in _CLAUSES.split(text) if clause.strip()] if len(text) <= LONGEST else []


def is_chatter(clause: str) -> bool:
    """Whether one clause is small talk or a report of progress and nothing else."""
    return bool(_whole().fullmatch(clause))
