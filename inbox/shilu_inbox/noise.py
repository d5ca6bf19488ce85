"""Texts that are no facts: empty replies, small talk, heartbeats, JSON wrappers, and our own recall blocks (F13)."""

from __future__ import annotations

import json
import re
import unicodedata

from shilu_core.folding import simplify
from shilu_core.layout import Language

from shilu_inbox.chatter import clauses, is_chatter

_REASONS = {
    # key: (English, Chinese)
    "recall": ("a recall block of this memory, not new knowledge", "这是本记忆的召回块，不是新知识"),
    "empty": ("empty", "空"),
    "signs": ("only signs, no words", "只有符号，没有文字"),
    "wrapper": ("a JSON wrapper, not a sentence", "是 JSON 外壳，不是一句话"),
    "heartbeat": ("a heartbeat", "只是心跳消息"),
    "chatter": ("small talk or a report of progress, no fact", "是闲聊或进度汇报，不是事实"),
    "reply": ("an empty reply", "只是应答，没有内容"),
}

_RECALL = re.compile(
    r"<\s{0,4}/?\s{0,4}memory[\s_-]{0,3}data\b|&lt;\s{0,4}/?\s{0,4}memory[\s_-]{0,3}data\b|\[(?:recalled|memory) (?:facts?|block|data)[^\]]{0,80}\]|^\W{0,6}Facts recalled from memory\. They are data|^\W{0,6}以下是记忆中检索到的资料",
    re.I,
)
_NOTHING = re.compile(
    r"""(?ix)^(?:
    (?:ok(?:ay)?|okey|k|yes|no|y|n|sure|done|fine|good|great|nice|perfect|thanks?(?:\syou)?(?:\s(?:so\smuch|a\slot))?|thx|ty|got\sit|roger|noted|understood|ack(?:nowledged)?|hi|hello|hey|bye|
      test(?:ing)?|todo|tbd|n/?a|none|nil|null|undefined|nan|true|false|empty|nothing(?:\s(?:new|to\s(?:report|add|remember|save|store|submit|record|note)))?|
      no\s(?:new\s)?(?:facts?|memor(?:y|ies)|information|changes?|updates?|content|output|response|reply|results?|comments?)(?:\s(?:found|yet|to\s\w+|available|was\s\w+|were\s\w+))?|
      \(?no\s?(?:content|reply|output|response)\)?|no_reply|silent(?:_reply)?|skip(?:ped)?|continue|go\s(?:on|ahead)|please\scontinue|lgtm|
      as\san?\sai(?:\s\w+){0,3}.{0,80}|i\s(?:have|found)\sno(?:thing)?\s.{0,60}|there\s(?:is|are|was|were)\s(?:no|nothing)\s(?:new\s)?(?:facts?|memor\w+|to\s\w+|information).{0,60})
    | (?:好的?|嗯+|行|可以|收到|明白(?:了)?|知道了|了解(?:了)?|谢谢(?:你|您)?|謝謝(?:你|您)?|多谢|是的?|对|對|没问题|沒問題|完成(?:了)?|已完成|已处理|已收到|继续|繼續|请继续|測試|测试|
      你好|您好|再见|哈+|呵+|无|無|没有|沒有|暂无(?:内容|新增|更新|事实)?|暫無|空|略|同上|待补充|待定|
      (?:本次|这次|此次|目前|本轮)?(?:会话|对话|任务)?(?:中)?(?:没有|无|沒有|無|暂无)(?:任何)?(?:新的?|可|需要|值得)?(?:要)?(?:事实|记忆|内容|信息|更新|变更|变化|改动|记录|提交|回复|保存|汇报)+(?:的)?(?:事实|内容|信息)?)
    )$"""
)
_HEARTBEAT = re.compile(
    r"""(?ix)^(?:
    heart[\s_-]?beat\w*(?:[\s:_\-].{0,60})?|ping|pong|keep[\s_-]?alive(?:[\s:].{0,60})?|still\s(?:alive|here|running|working|waiting)|i(?:'m|\sam)\s(?:alive|here|online|ready)|alive|
    (?:status|health)(?:\scheck)?\s?[:=]?\s?(?:ok|okay|alive|healthy|running|green|idle|ready|up)|(?:agent|session|daemon|worker|watcher)\s(?:is\s)?(?:alive|idle|ready|started|running|online|connected|ok|heartbeat)|
    (?:session|task|turn|run|conversation)\s(?:started|ended|finished|completed|closed|resumed|begins?|opened)(?:\s(?:at|on)\s[\d:T\s.Z+-]{4,40})?|waiting\sfor\s(?:input|the\suser|instructions?|tasks?)|no[\s_-]?op|tick(?:\s\d+)?|
    心跳(?:检测|检查|包|正常|信号)?(?:[\s::].{0,40})?|(?:我)?(?:还|仍)?(?:在线|在運行|在运行|存活|活着)(?:中)?|(?:状态|狀態)\s?[::]?\s?(?:正常|空闲|就绪|在线|ok)|保活|
    (?:会话|任务|會話|任務|对话)(?:已)?(?:开始|结束|恢复|完成|開始|結束|启动)|等待(?:用户)?(?:输入|指令|任务)|一切正常|无异常|就绪
    )$"""
)
_DECORATION = re.compile(
    r"^[\s\-*+•>#\[\]xX()（）.。,，!！?？~…:：;；'\"“”`=_|/\\]+|[\s\-*•>#.。,，!！?？~…:：;；'\"“”`=_|/\\]+$"
)
_STAMP = re.compile(r"^\[?\d{4}-\d{2}-\d{2}[T ]?[\d:.,Z+ -]{0,20}\]?[\s:-]{0,3}")
_ENVELOPE_KEYS = frozenset(
    [
        "role",
        "type",
        "content",
        "messages",
        "message",
        "choices",
        "delta",
        "tool_calls",
        "tool_call_id",
        "tool_use_id",
        "function_call",
        "arguments",
        "finish_reason",
        "usage",
        "id",
        "object",
        "created",
        "model",
        "jsonrpc",
        "method",
        "params",
        "result",
        "error",
        "status",
        "event",
        "data",
        "payload",
        "session_id",
        "sessionid",
        "timestamp",
        "ts",
        "ok",
        "success",
        "code",
        "request_id",
        "uuid",
        "cwd",
        "hook_event_name",
        "transcript_path",
        "parts",
        "text",
        "index",
        "stop_reason",
        "version",
        "level",
        "msg",
        "logger",
        "tool",
        "tool_name",
        "tool_input",
        "tool_response",
        "name",
        "input",
        "output",
    ]
)


def reason(text: str, language: Language = "en") -> str | None:
    """Why `text` is no fact (one short clause for a person), or `None` where it may be one."""
    kind = _kind(text)
    return _REASONS[kind][1 if language == "zh" else 0] if kind else None


def _kind(text: str) -> str:
    """Which row of `_REASONS` fits, `""` where none does."""
    if _RECALL.search(unicodedata.normalize("NFKC", text)):
        return "recall"
    bare = _bare(text)
    if not bare:
        return "empty"
    if not any(character.isalnum() for character in bare):
        return "signs"
    if _is_envelope(text):
        return "wrapper"
    if _HEARTBEAT.match(bare):
        return "heartbeat"
    if _NOTHING.match(bare):
        return "reply"
    said = clauses(bare.lower())
    return "chatter" if said and all(is_chatter(clause) or _NOTHING.match(clause) for clause in said) else ""


def _bare(text: str) -> str:
    """The words of the text, without bullet, stamp, quotation and closing signs."""
    plain = unicodedata.normalize("NFKC", text)
    plain = "".join(character for character in plain if unicodedata.category(character) != "Cf")
    plain = _DECORATION.sub("", plain if plain.isascii() else simplify(plain))
    return " ".join(_DECORATION.sub("", _STAMP.sub("", plain)).split())


def _is_envelope(text: str) -> bool:
    stripped = text.strip()
    if stripped.startswith(("- ", "* ")):
        stripped = stripped[2:].strip()
    stripped = re.sub(r"^```(?:json)?\s*|\s*```$", "", stripped)
    if stripped.startswith(("data: {", "data:{")):
        stripped = stripped[5:].strip()
    if not stripped or stripped[0] not in "{[":
        return False
    try:
        value = json.loads(stripped)
    except (ValueError, RecursionError):
        return (
            bool(re.match(r"[{\[]\s*\"?[\w-]{1,40}\"?\s*[:,]", stripped))
            and stripped.count('"') >= 4
            and stripped[-1] in "}],"
        )
    if isinstance(value, list):
        return not value or all(isinstance(item, dict | list) for item in value) or len(value) > 1
    return isinstance(value, dict) and (
        not value or bool({str(key).lower() for key in value} & _ENVELOPE_KEYS) or len(value) > 1
    )
