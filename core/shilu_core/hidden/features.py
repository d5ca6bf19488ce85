"""A text as counted signs, for the learned part of the detector: broad cues, words, runs of Han."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from shilu_core.hidden.vocabulary import marks, sentences

# Broad cues on the folded text; each alone is harmless, what they weigh together is learned (bench/fit_injection.py).
_CUES: dict[str, str] = {
    "orders-reader": r"\b(?:you|your|yourself|u)\b|(?<![a-z])你|您",
    "reader": r"\b(?:ai|llms?|models?|assistants?|agents?|chatbots?|bots?|subagents?)\b|智能体|助手|模型|代理|机器人",
    "must": r"\b(?:must|shall|have to|need to|should|always|only|at once|immediately|right now|now|please|kindly|let's)\b|必须|须|务必|一律|立即|立刻|马上|请|永远|只能|只",
    "drop": r"\b(?:ignore|disregard|forget|set aside|override|overrule|bypass|against|reset|void|lie|outdated|expired|does not count|doesn't count|no longer)\b|忽略|无视|忘|放到一边|不作数|不算|违反|违背|不存在|过期|作废|抛|别管|不必",
    "rules": r"\b(?:instructions?|rules?|guidelines?|guidance|policy|policies|prompts?|restrictions?|limits?|training|agents\.md|claude\.md|system|operator|constraints?|configured)\b|指令|规则|准则|约束|限制|提示词|系统提示|约定|规定|禁区|系统|准则",
    "authority": r"\b(?:admin\w*|root|owner|operator|system|authori[sz]\w*|consent\w*|approv\w*|confirm\w*|permission|grant\w*|trusted|trustworthy)\b|管理员|机主|主人|授权|同意|批准|确认|许可|可信|权限|审核",
    "secret": r"\b(?:keys?(?! bindings?)|tokens?|passwords?|credentials?|secrets?|\.env|conversation|history|email|documents|vault|private|environment)\b|密钥|密码|口令|令牌|凭据|环境变量|会话|聊天|对话|全文|邮箱|隐私|资料",
    "hand-out": r"\b(?:send|post|upload|mail|e-?mail|forward|share|publish|paste|put|append|attach|leak|collect|transfer|exfiltrate|copy)\b|发到|发送|发给|上传|传到|抄送|转发|贴到|外发|整理出来|告诉|打包|公开|附上|加上",
    "elsewhere": r"<(?:url|host)>|\bgist\b|\banyone\b|外部|公开|任何人|谁来",
    "unseen": r"\b(?:hide|secretly|silently|quietly|without|nobody|leave it out|not mention|never mention|does not need to know|not need to know|do not tell|don't tell|unnoticed|hidden|conceal)\b|悄悄|偷偷|别让|不要让|无需知道|不必知道|别写|不要写|瞒|隐瞒|发现|察觉|不知道",
    "person": r"\b(?:user|human|owner|person|people|reviewer)s?\b|用户|主人|人类|使用者|审核人",
    "command": r"\bcurl\b|\bwget\b|\brm -|\bsh\b|\bbash\b|\bchmod\b|\bsudo\b|base64 -d|\| ?sh|--no-verify|\bscript\b|<path>|\.sh\b|执行|运行|脚本|终端|命令",
    "destroy": r"\b(?:delete|wipe|erase|destroy|purge|disable|turn off|stop|remove|drop)\b|删除|清空|停用|禁用|关闭|抹掉",
    "everything": r"\b(?:all|every|everything|any|whatever|each|anything|future)\b|所有|全部|任何|一切|每|凡|统统",
    "this": r"\b(?:this|these|the following|below(?! \d)|here|above(?! \d)|line|note)\b|这|本条|此|以下|下面|以上|下列",
    "reading": r"\b(?:reading|read|reads|start|load|loads|summari[sz]e|recall|see|sees|process)\b|读|看到|启动|处理|加载|清理",
    "follow": r"\b(?:follow|obey|comply|execute|do what|do as|act|carry out|accept|proceed)\b|照做|照着|听我|遵守|遵从|服从|按以下|接管|继续",
    "role": r"^\W{0,4}(?:system|admin\w*|assistant|user|human|tool|operator|developer|response from)\b(?!-)[ \w]{0,14}[:\]]|^-{2,} ?(?:new )?system\b|^\W{0,4}(?:系统|管理员|助手|用户|工具|主人|开发者).{0,8}[:\]】)]|\brole\b|\bpretend\b|\bgame in which\b|身份|扮演|接管",
    "copying": r"\b(?:copied|copy|survive|replicate|repeat|every note|new notes|each note|all notes|persist)\b|同步到|复制|保留本|传播|重复|写入",
    "sell": r"\b(?:recommend|cite|promote|prefer|praise|best|only trustworthy|subscription|pay)\b|推荐|宣传|漏洞|最好|账号有风险",
    "claims-end": r"\bend of (?:memory|data|notes|context)\b|结束[—\-。]|</|^-{3,}|\"\"\"",
    "mention": r"\b(?:phrase|tests? contain|filter|injection|template|escap\w+|blocks?|detect\w*|literal)\b|样例|检测|注入测试|字样|例如|转义|模板|拦截",
    "negated": r"\b(?:never|not|must not|don't|cannot|only the|only a)\b|不得|不要|严禁|禁止|不能|只有",
    "past": r"\b(?:was|were|has been|runs|is|are|stores|returned|added)\b|已|位于|存放|支持",
    "mine": r"\b(?:me|my|i)\b|我(?!是机主)",
}
CUES = {name: re.compile(pattern) for name, pattern in _CUES.items()}

_URL = re.compile(r"\bhttps?://\S+")
_PATH = re.compile(r"(?:~|\b[a-z]:)[/\\][\w./\\-]*|(?<![\w<])/(?:[\w.-]+/?)+")
_HOST = re.compile(r"\b[\w.+-]*@?[a-z0-9-]+(?:\.[a-z0-9-]+)+\b")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_TOKEN = re.compile(r"<[a-z]+>|[a-z][a-z']*|[\u3400-\u9fff]+")
_ENDING = re.compile(r"(?:'s|ies|ing|ed|es|s|ly)$")


def features(folded: str) -> dict[str, float]:
    """Sign -> value of a folded text: `c:` cues, `p:` pairs of cues, `w:` words and word pairs, `h:` Han pairs."""
    cues = [name for name, pattern in CUES.items() if pattern.search(folded)]
    found = {f"c:{name}": 1.0 for name in cues}
    for sentence in sentences(folded):
        for mark in marks(sentence):
            how = "-" if mark.negated else "!" if mark.orders else ""
            for name in mark.classes:
                found[f"m:{name}{how}"] = 1.0
    for at, first in enumerate(cues):
        for second in cues[at + 1 :]:
            found[f"p:{first}+{second}"] = 0.5
    pieces = set(_pieces(_shaped(folded)))
    weight = 1.6 / max(1.0, len(pieces) ** 0.5)
    for piece in pieces:
        found[piece] = weight
    return found


def _shaped(folded: str) -> str:
    shaped = _PATH.sub(" <path> ", _URL.sub(" <url> ", folded))
    return _NUMBER.sub(" ", _HOST.sub(" <host> ", shaped))


def _pieces(shaped: str) -> Iterator[str]:
    words: list[str] = []
    for token in _TOKEN.findall(shaped):
        if token[0] < "\u3400":
            words.append(_ENDING.sub("", token) if len(token) > 4 and token[0] != "<" else token)
            yield f"w:{words[-1]}"
        else:
            yield from (f"h:{token[i : i + 2]}" for i in range(len(token) - 1))
    for first, second in pairwise(words):
        yield f"w:{first} {second}"
