"""What `shilu status` tells about the daemon and about what keeps a harness from recalling."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from shilu_setup.detecting import detect
from shilu_setup.errors import SetupError
from shilu_setup.folders import Home, Parts
from shilu_setup.wiring import Setting

from shilu_host.client import call as client
from shilu_host.context import Context
from shilu_host.daemon.places import Places, read_pointer
from shilu_host.daemon.running import running_status

# `turns.turn.REASONS` for a person who reads Chinese; a test holds both to the same reasons.
MEANINGS_ZH: Mapping[str, str] = {
    "shown": "已把事实放进这一轮",
    "rules": "已把记忆规则放进会话",
    "off": "召回已关闭",
    "no vault": "没有配置记忆库",
    "not a prompt": "这个事件没有用户消息",
    "later step": "只有一轮的第一步会召回",
    "relayed": "消息不是用户本人的：是转发的，或来自插件",
    "subagent": "子代理的提示来自它的上级",
    "slash command": "消息是程序自己的命令",
    "holds a block": "消息里已有召回块",
    "frozen": "程序冻结了消息列表",
    "short": "消息太短，或只是应答",
    "no topic": "消息里没有需要记忆的话题",
    "no hit": "没有搜到任何内容",
    "abstained": "搜到的内容很难回答这条消息",
    "shown before": "搜到的内容本会话都已有",
    "starting": "索引正在建立",
    "timeout": "限时内没有应答",
    "core broken": "搜索失败",
}


def daemon_line(context: Context) -> str:
    """Whether the vault's daemon runs, and the last thing a hook was told, with its reason."""
    found = read_pointer(Places(context.state, context.vault_state).pointer)
    if found is None:
        return context.text("daemon-not-running")
    try:
        told = running_status(context)
    except client.NoDaemon:
        return context.text("daemon-silent", pid=found.pid)
    recalled = last_recall(told.get("recall", {}).get("last"), context)
    warnings = "".join(context.text("daemon-warning", warning=warning) for warning in told.get("warnings", ()))
    return context.text("daemon-line", pid=found.pid, port=found.port or context.text("off"), recalled=recalled) + warnings


def last_recall(last: Mapping[str, Any] | None, context: Context) -> str:
    """The last thing a hook was told, with its reason in the person's language."""
    if not last:
        return context.text("daemon-no-recall")
    meaning = MEANINGS_ZH.get(last["reason"], last["meaning"]) if context.language == "zh" else last["meaning"]
    return context.text("daemon-last", reason=last["reason"], meaning=meaning, harness=last["harness"])


def harness_lines(context: Context) -> list[str]:
    """What stands in the way of harnesses that are here, such as a hook that Codex does not trust yet."""
    home = Home.of(None, {**os.environ, **context.environment})
    try:
        found = detect(Setting(home, Parts.find(), context.language))
    except (SetupError, OSError) as error:
        return [f"can't be looked at: {error}"]
    return [f"{row.harness.title}: {finding}" for row in found for finding in row.findings if _is_wired(row.files)]


def _is_wired(files: tuple[object, ...]) -> bool:
    """Whether a hook of ours stands in some file of the harness."""
    return any(getattr(file, "state", "") in ("wired", "outdated") for file in files)
