"""The names a vault uses, in one table: one row for each layout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Language = Literal["zh", "en"]

DOCUMENT_IDS = ("index", "prefs", "env", "rules", "tools", "ui", "coord")


@dataclass(frozen=True)
class Layout:
    """Where the parts of a vault stand; every path is relative to `root` unless said otherwise."""

    language: Language
    root: str  # relative to the vault folder
    documents: Mapping[str, str]  # document id -> file name
    inbox: str
    processed: str
    pending: str
    conflicts: str
    rulings: str
    unclassified: str
    forgotten: str
    sessions: str
    projects: str
    superseded_heading: str
    recognised_by: tuple[str, ...]  # any of these below `root` marks a vault of this layout


ZH = Layout(
    language="zh",
    root="50-Agent-Context",
    documents=MappingProxyType(
        {
            "index": "上下文索引.md",
            "prefs": "我的偏好摘要.md",
            "env": "常用路径与环境.md",
            "rules": "工程执行规则.md",
            "tools": "工具可用性检查.md",
            "ui": "UI审美准则.md",
            "coord": "Codex-Claude-Hermes协作规则.md",
        }
    ),
    inbox="Agent提交区",
    processed="Agent提交区/已处理",
    pending="情境信息/待晋升.md",
    conflicts="情境信息/事实冲突待裁决.md",
    rulings="情境信息/事实冲突已裁决.md",
    unclassified="情境信息/未归类事实.md",
    forgotten="记忆遗忘区",
    sessions="会话归档",
    projects="projects",
    superseded_heading="## 已取代",
    recognised_by=("Agent提交区", "情境信息", "上下文索引.md", "常用路径与环境.md"),
)

EN = Layout(
    language="en",
    root="memory",
    documents=MappingProxyType(
        {
            "index": "index.md",
            "prefs": "preferences.md",
            "env": "environment.md",
            "rules": "rules.md",
            "tools": "tools.md",
            "ui": "ui.md",
            "coord": "coordination.md",
        }
    ),
    inbox="inbox",
    processed="inbox/processed",
    pending="review/pending.md",
    conflicts="review/conflicts.md",
    rulings="review/rulings.md",
    unclassified="review/unclassified.md",
    forgotten="forgotten",
    sessions="sessions",
    projects="projects",
    superseded_heading="## Superseded",
    recognised_by=("inbox", "review", "index.md", "environment.md"),
)

LAYOUTS: tuple[Layout, ...] = (ZH, EN)


def layout_for(language: str) -> Layout:
    """The layout of a language; the English one where there is none."""
    return next((layout for layout in LAYOUTS if layout.language == language), EN)
