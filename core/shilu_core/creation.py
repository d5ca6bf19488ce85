"""Making a vault: the folders and notes of a layout, each only where it does not stand yet."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from shilu_core.errors import ShiluError, VaultMissing
from shilu_core.files import create_exclusive, make_folder
from shilu_core.layout import Language, Layout, layout_for
from shilu_core.vault import Vault, recognise

_TITLES: Mapping[Language, Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "zh": MappingProxyType(
            {
                "index": ("上下文索引", "话题在哪一篇笔记里。"),
                "prefs": ("我的偏好摘要", "用户喜欢怎样工作、怎样被回答；一行一条事实。"),
                "env": ("常用路径与环境", "机器、路径、端口、版本，以及凭据放在哪里；一行一条事实。"),
                "rules": ("工程执行规则", "工程规则、流程和红线；一行一条事实。"),
                "tools": ("工具可用性检查", "哪些工具能用、怎么用；一行一条事实。"),
                "ui": ("UI审美准则", "界面的样子和行为；一行一条事实。"),
                "coord": ("Codex-Claude-Hermes协作规则", "各个 Agent 怎样分工；一行一条事实。"),
            }
        ),
        "en": MappingProxyType(
            {
                "index": ("Index", "Which note holds what."),
                "prefs": ("Preferences", "How the user likes to work and to be answered; one fact a line."),
                "env": (
                    "Environment",
                    "Machines, paths, ports, versions, and where credentials are kept; one fact a line.",
                ),
                "rules": ("Rules", "Engineering rules, workflow, red lines; one fact a line."),
                "tools": ("Tools", "Which tools can be used, and how; one fact a line."),
                "ui": ("UI", "Look and behaviour of interfaces; one fact a line."),
                "coord": ("Coordination", "Who of the agents does what; one fact a line."),
            }
        ),
    }
)
_INBOX: Mapping[Language, str] = MappingProxyType(
    {
        "zh": (
            "# Agent提交区\n\n每个 Agent 把新事实写成单独的文件：`<agent>-<YYYYMMDD>-<HHMMSS>-<nn>.md`，一行一条，可加 `- `。\n"
            "不写明文密钥，只写它放在哪里。审阅：`promoter --review`；写入：`promoter --apply`，处理过的文件移到 `已处理/`。\n"
        ),
        "en": (
            "# Inbox\n\nAgents drop new facts here, each in a file of its own: `<agent>-<YYYYMMDD>-<HHMMSS>-<nn>.md`, one fact a line, "
            "`- ` in front if you like.\nNever a plaintext secret, only where it is kept. Review: `promoter --review`; write: "
            "`promoter --apply`, which moves settled files to `processed/`.\n"
        ),
    }
)


def create(folder: Path, language: Language) -> Vault:
    """Makes a vault in `folder`, or fills in what is missing of one that stands there in the same layout.

    Raises ShiluError where a vault of the other layout stands there. Nothing that exists is changed.
    """
    layout = layout_for(language)
    folder = folder.expanduser()
    try:
        standing = recognise(folder)
    except VaultMissing:
        standing = None
    if standing is not None and standing.layout.language != language:
        raise ShiluError(
            f"{folder} holds a vault in the {standing.layout.language} layout already; use it, or another folder"
        )
    _make_folders(folder / layout.root, layout)
    for name in _TITLES[language]:
        _create(folder / layout.root / layout.documents[name], _opening(name, layout))
    _create(folder / layout.root / layout.inbox / "README.md", _INBOX[language])
    return recognise(folder)


def scaffold(language: Language) -> frozenset[str]:
    """The stripped lines that a new vault's notes consist of: they say what a note is for, and are no memory."""
    layout = layout_for(language)
    texts = (_opening(name, layout) for name in _TITLES[language])
    return frozenset(line.strip() for text in texts for line in text.splitlines() if line.strip())


def _opening(name: str, layout: Layout) -> str:
    title, purpose = _TITLES[layout.language][name]
    return f"# {title}\n\n> {purpose}\n\n" + _index(name, layout)


def _make_folders(root: Path, layout: Layout) -> None:
    for part in (layout.processed, layout.forgotten, layout.sessions, str(Path(layout.pending).parent)):
        make_folder(root / part)


def _index(name: str, layout: Layout) -> str:
    if name != "index":
        return ""
    head = "| 话题 | 文件 |\n|---|---|\n" if layout.language == "zh" else "| topic | note |\n|---|---|\n"
    rows = [
        f"| {purpose.rstrip('.。')} | [[{layout.documents[other].removesuffix('.md')}]] |\n"
        for other, (_, purpose) in _TITLES[layout.language].items()
        if other != "index"
    ]
    return head + "".join(rows)


def _create(path: Path, text: str) -> None:
    try:
        create_exclusive(path, text.encode("utf-8"))
    except FileExistsError:
        return
