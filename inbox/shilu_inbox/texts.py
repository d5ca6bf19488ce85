"""Texts for people, in the vault's language: one table, one row a language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shilu_core.layout import Language


@dataclass(frozen=True)
class Labels:
    """The words of lists, tables and prompts; list labels of `zh` are those of dsh-unified-agent-memory."""

    separator: str
    colon: str  # after a label of the lists
    mark: str  # after a label on the terminal
    categories: Mapping[str, str]
    category: str
    target: str
    source: str
    supersedes: str
    retracts: str
    text: str
    conflict: str
    new: str
    old: str
    identity: str
    other_source: str
    pending_title: str
    pending_help: str
    conflicts_title: str
    conflicts_help: str
    rulings_title: str
    verdicts: Mapping[str, str]
    rulings: Mapping[str, str]
    flags: Mapping[str, str]
    nearest: str
    restated: str
    nothing: str
    words: Mapping[str, str]


ZH = Labels(
    separator="｜",
    colon=":",
    mark="：",
    categories={
        "prefs": "偏好",
        "env": "环境",
        "rules": "规则",
        "tools": "工具",
        "ui": "界面",
        "coord": "协作",
        "project": "项目",
        "other": "其他",
    },
    category="分类",
    target="目标",
    source="来源",
    supersedes="取代",
    retracts="撤回",
    text="内容",
    conflict="冲突",
    new="新",
    old="旧",
    identity="编号",
    other_source="旧来源",
    pending_title="# 待晋升清单",
    pending_help="> [x] 接受，[ ] 等待，[-] 拒绝；目标与内容可改。写入：promoter --apply",
    conflicts_title="# 事实冲突待裁决",
    conflicts_help="> [x] 用新，[-] 保留旧，[=] 并存，[ ] 等待；也可以：promoter --adjudicate",
    rulings_title="# 事实冲突已裁决",
    verdicts={
        "new": "新增",
        "duplicate": "重复",
        "conflict": "冲突",
        "supersede": "取代",
        "refused": "拒收",
        "retract": "撤回",
    },
    rulings={
        "accept": "接受",
        "use-new": "用新",
        "keep-old": "保留旧",
        "keep-both": "并存",
        "edit": "改写",
        "reject": "拒绝",
        "skip": "跳过",
    },
    flags={
        "hidden-instruction": "疑似隐藏指令",
        "hidden-character": "隐藏字符",
        "low-confidence": "把握不大",
        "unknown-target": "目标不明",
        "returned": "曾被否决",
    },
    nearest="相近",
    restated="同义提交",
    nothing="_无待晋升事实。_",
    words={
        "oldest": "最早一条",
        "duplicates": "重复",
        "refused": "拒收",
        "conflicts": "冲突",
        "pending": "待晋升",
        "unsettled": "仍在写入",
        "item": "条目",
        "fact": "事实",
        "verdict": "判定",
        "mark": "标记",
        "one-key": "a 接受/用新  o 保留旧  b 并存  e 改写  r 拒绝  s 跳过  q 结束",
        "new-text": "改为",
    },
)

EN = Labels(
    separator=" | ",
    colon=": ",
    mark=": ",
    categories={
        "prefs": "preferences",
        "env": "environment",
        "rules": "rules",
        "tools": "tools",
        "ui": "interfaces",
        "coord": "coordination",
        "project": "projects",
        "other": "other",
    },
    category="category",
    target="target",
    source="source",
    supersedes="supersedes",
    retracts="retracts",
    text="text",
    conflict="conflict",
    new="new",
    old="old",
    identity="id",
    other_source="old source",
    pending_title="# Pending",
    pending_help="> [x] accept, [ ] wait, [-] reject; target and text may be edited. Write: promoter --apply",
    conflicts_title="# Conflicts",
    conflicts_help="> [x] use new, [-] keep old, [=] keep both, [ ] wait; or: promoter --adjudicate",
    rulings_title="# Rulings",
    verdicts={
        "new": "new",
        "duplicate": "duplicate",
        "conflict": "conflict",
        "supersede": "supersede",
        "refused": "refused",
        "retract": "retract",
    },
    rulings={name: name for name in ("accept", "use-new", "keep-old", "keep-both", "edit", "reject", "skip")},
    flags={
        "hidden-instruction": "hidden instruction?",
        "hidden-character": "hidden characters",
        "low-confidence": "unsure",
        "unknown-target": "unknown target",
        "returned": "ruled out before",
    },
    nearest="nearest",
    restated="restated by",
    nothing="_Nothing waits._",
    words={
        "oldest": "oldest",
        "duplicates": "duplicates",
        "refused": "refused",
        "conflicts": "conflicts",
        "pending": "pending",
        "unsettled": "still being written",
        "item": "item",
        "fact": "fact",
        "verdict": "verdict",
        "mark": "mark",
        "one-key": "a accept/use new  o keep old  b keep both  e edit  r reject  s skip  q quit",
        "new-text": "new text",
    },
)

LABELS: Mapping[Language, Labels] = {"zh": ZH, "en": EN}
