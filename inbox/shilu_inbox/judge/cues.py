"""Signs that a statement replaces, adds to, forbids, permits or limits something, in English and Chinese.

Each table is literal: a pattern stands for one way of saying it. The judge weighs the signs together with
what two facts share; none of them decides alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


def _table(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


CHANGED = _table(
    # what `is` or `will be` done again and again is a habit, what `was` or `has been` done is a change
    r"(?<![a-z])(?<!is )(?<!are )(?<!be )(?<!being )(?<!gets )(?<!get )(?:moved|migrated|upgraded|downgraded|bumped|"
    r"switched|renamed|changed|raised|lowered|reduced|increased|decreased|doubled|halved|cut|extended|shortened|"
    r"relocated|transferred|ported|rewritten|converted|promoted|rolled back|reverted|dropped|postponed|shifted|"
    r"repartitioned|swapped|revoked|shut down|removed|lifted|relaxed|tightened|adjusted|updated|merged into)(?![a-z])",
    r"(?<![a-z])(?:replaced|retired|deprecated|decommissioned|abandoned|discontinued|superseded)(?![a-z])",
    r"(?<![a-z])(?:replaces|replacing|supersedes|drops|retires|takes over|took over|handed (?:\w+ ){0,4}(?:over )?to|"
    r"moves to|switches to|grew|went (?:from|up|down|back|over)|gave up|up from|down from|back on|is gone|"
    r"are gone|in favou?r of|in place of|instead of|rather than|instead)(?![a-z])",
    r"改用|改为|改成|改由|改到|改在|改走|改存|改放|改写|改回|改跑|改深|改发|换成|换到|换了|换为|更换|替换|取代|代替|迁到|"
    r"迁移到|迁移至|迁至|迁往|搬到|搬至|挪到|挪至|移到|移至|转到|转给|转由|转为|交给|交接给|移交|切到|切换|切至|"
    r"升级|升到|升至|升为|降级|降到|降至|降为|调到|调至|调整|调为|上调|下调|提高|提升|提到|放宽|收紧|缩短|延长|延至|推迟|"
    r"提前到|提前至|回退|回滚到|弃用|废弃|停用|下线|退役|淘汰|取消|作废|已换|已改|更新为|变更为|变为|变成|改(?=[a-z0-9 ])",
    r"変更|移行|切り替え|更新され|廃止|変わっ|변경|이전|교체|바뀌|업그레이드|전환",
)
NO_LONGER = _table(
    r"(?<![a-z])(?:no longer|not any ?more|any ?more|used to|formerly|previously|was before|not .{1,24} any ?more)(?![a-z])",
    r"不再|不用再|不必再|再也不|原来|原先|以前|之前是|旧的|此前|曾经|不.{1,12}了(?![解])|もう|더 이상",
)
NOW = _table(
    r"(?<![a-z])(?:now|nowadays|from now on|as of|since|starting|effective|from \w+ on|new (?:minimum|maximum|default|"
    r"limit|value|port|host|owner)|again|meanwhile|currently|recently|last (?:week|month|weekend|year|night))(?![a-z])",
    r"(?<![出呈体])现在|如今|目前|即日起|今后|以后(?!再)|从.{1,6}起|起(?=改|取消|不)|已经|已(?=[^知])|最近(?!\s?[\d一二两三四五六七八九十的])|上周|上个月|刚刚|又|"
    r"了(?=$|[，。；,;. ])|これから|今は|이제|지금은|부터",
)
FROM_TO = _table(
    r"(?<![a-z])from .{1,30}? (?:to|into|onto) ",
    r"[从由].{1,16}?(?:改|换|迁|搬|挪|移|转|升|降|调|提|放|缩|延|切|变|到|至)",
    r"から.{1,12}(?:に|へ)|에서 .{1,12}(?:로|으로)",
)
FORMER = re.compile(
    # the part of a change that names the former state
    r"\b(?:away )?from .{1,30}?(?= (?:to|into|onto) )|\b(?:instead of|rather than|in place of) [^,.;]{1,30}|"
    r"[从由].{1,16}?(?=(?:改|换|换成|迁|搬|挪|移|转|升|降|调|提|放宽|缩|延|切|变)[成为到至用给]?)|而不是[^，。；]{1,16}",
    re.IGNORECASE,
)
ALSO = _table(
    r"(?<![a-z])(?:also|too|as well|additionally|in addition|besides|another|plus)(?![a-z])",
    r"也(?=[^许])|还(?=[^原])|另外|此外|同时|以及|外加|另有|도(?= )|も(?=[^う])",
)
FORBID = _table(
    r"(?<![a-z])(?:must not|mustn't|may not|cannot|can't|can not|shall not|should not|shouldn't|do not|don't|"
    r"never|not allowed|not permitted|forbidden|prohibited|banned|nobody|no one|disallowed|off limits|refuses?)(?![a-z])",
    r"禁止|严禁|不准|不许|不得|不能|不可以|不可|不允许|不要|不应|切勿|请勿|别(?=[^的人名])|勿|禁",
    r"禁止|てはいけない|してはならない|금지|안 된다|안된다|하지 마",
)
PERMIT = _table(
    r"(?<![a-z])(?:may|can|allowed|permitted|is fine|are fine|is ok|okay|free to|welcome to|enough)(?![a-z])",
    r"(?<!不)(?:可以|允许|准许|能(?=[^够力])|可(?=[^见用以])|开放给|就行|即可|没关系)|てもよい|できる|해도 된다|가능",
)
OBLIGE = _table(
    r"(?<![a-z])(?:must|has to|have to|needs? to|needs?|shall|required?|requires|should|always|mandatory)(?![a-z])",
    r"必须|务必|一定要|(?<!不)(?:需要|应当|应该|要(?=[^求么])|须)|なければならない|必ず|해야|반드시",
)
NEED_NOT = _table(
    r"(?<![a-z])(?:need not|needn't|do(?:es)? not need|don't need|doesn't need|not required|not necessary|optional|"
    r"no need)(?![a-z])",
    r"不必|不用(?!户)|无需|不需要|不需|无须|毋须|没必要|可选",
)
ONLY = _table(
    r"(?<![a-z])(?:only|solely|exclusively|just|nothing but|nobody but|nobody except|no one but|none but|reserved for|"
    r"to itself|alone)(?![a-z])",
    r"只|仅|专供|专用|独占|唯一|だけ|のみ|만(?= )|오직",
)
EXCEPT = _table(
    r"(?<![a-z])(?:except|unless|other than|apart from|but for|all \w+ but|anything but|excluding)(?![a-z])",
    r"除非|除了|除.{1,8}外|以外|除外|例外|제외|以外",
)
NEGATION = _table(
    r"(?<![a-z])(?:not|no|none|never|nobody|nothing|without|neither|nor|cannot|isn't|aren't|doesn't|don't|won't|"
    r"can't|mustn't|shouldn't|forbidden|prohibited|banned|disallowed|ignores?|refuses?|rejects?|declines?|avoid|dislikes?|hates?)(?![a-z])",
    r"不(?![同仅断管只错限过])|没有?|无(?=[^人机线])|未(?=[^来])|禁止|严禁|禁|勿|别(?=[^的人名])|非(?=[^常])|拒绝|取消|讨厌|反感",
    r"ない|ません|禁止|않|안 |없|금지",
)
ENVIRONMENTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "staging",
        _table(
            r"(?<![a-z])(?:staging|stage|preprod|pre-prod|pre|uat|stg)(?![a-z])",
            r"预发布?(?:环境)?|灰度|准生产",
        ),
    ),
    (
        "prod",
        _table(r"(?<![a-z])(?:prod|production|live)(?![a-z])", r"生产(?:环境)?|线上(?:环境)?|正式环境|本番"),
    ),
    (
        "test",
        _table(r"(?<![a-z])(?:qa|test env\w*|sandbox|testing)(?![a-z])", r"测试(?=环境|库|服|机|集群)|沙箱|沙盒"),
    ),
    ("dev", _table(r"(?<![a-z])(?:dev|development)(?![a-z])", r"开发(?=环境|库|服|机)|开发环境")),
    ("local", _table(r"(?<![a-z])(?:local|localhost|locally)(?![a-z])", r"本地|本机")),
    ("ci", _table(r"(?<![a-z])(?:ci)(?![a-z])", r"流水线|持续集成")),
)

NAMED_ENVIRONMENT = _table(r"([a-z]{2,})\s?(?:environment|env(?![a-z])|环境)", r"([一-鿿]{2})环境")


@dataclass(frozen=True)
class Signs:
    """The signs of one folded text; counts where more than one matters."""

    changed: bool
    no_longer: bool
    now: bool
    from_to: bool
    also: bool
    forbids: bool
    permits: bool
    obliges: bool
    needs_not: bool
    only: bool
    excepts: bool
    negations: int
    environments: frozenset[str]  # known ones by name, others by the word in front of `环境` or `environment`

    @property
    def replaces(self) -> bool:
        """Whether anything says that another state came before."""
        return self.changed or self.no_longer or self.now


def signs(folded: str) -> Signs:
    """What the tables above find in a folded text."""
    return Signs(
        changed=bool(CHANGED.search(folded)),
        no_longer=bool(NO_LONGER.search(folded)),
        now=bool(NOW.search(folded)),
        from_to=bool(FROM_TO.search(folded)),
        also=bool(ALSO.search(folded)),
        forbids=bool(FORBID.search(folded)),
        permits=bool(PERMIT.search(folded)) and not FORBID.search(folded),
        obliges=bool(OBLIGE.search(folded)) and not NEED_NOT.search(folded),
        needs_not=bool(NEED_NOT.search(folded)),
        only=bool(ONLY.search(folded)),
        excepts=bool(EXCEPT.search(folded)),
        negations=len(NEGATION.findall(folded)),
        environments=environments(folded),
    )


def environments(folded: str) -> frozenset[str]:
    """The environments that a folded text names, by one name each."""
    known = frozenset(name for name, pattern in ENVIRONMENTS if pattern.search(folded))
    if known:
        return known
    named = NAMED_ENVIRONMENT.search(folded)
    return frozenset({next(filter(None, named.groups()))}) if named else known


# Taken out of a text before its content words are compared: they say how, not what.
SAYS_HOW = (CHANGED, NOW, ALSO, FORBID, NEED_NOT, PERMIT, OBLIGE, ONLY)
LONGEST_SAYING = 14  # a longer match spans content
