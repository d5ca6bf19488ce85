"""The snapshot: the block a session is shown once, frozen from then on (section 10)."""

from __future__ import annotations

from collections.abc import Sequence

from shilu_core import utf16
from shilu_core.entries import AuditRow, Entry, Proposal, Viewpoint
from shilu_host.protocol.books import Books
from shilu_host.protocol.errors import invalid
from shilu_host.protocol.events import Emit, Event
from shilu_host.protocol.fields import DEFAULT_SOURCE, POTS
from shilu_host.protocol.sessions import Session

_WORDS: dict[str, dict[object, str]] = {
    "en": {
        "header": "[shilu: memory as of the start of this session; later writes show in the next one]",
        ("user", "user-global"): "About the user, everywhere",
        ("user", "workspace"): "About the user, in this workspace",
        ("agent", "user-global"): "Environment and conventions, everywhere",
        ("agent", "workspace"): "Facts and conventions of this workspace",
        "usage": "{used}/{limit} chars used",
        "proposals": "Waiting for a decision (not yet memory)",
    },
    "zh": {
        "header": "[shilu：本次会话开始时的记忆；之后的写入在下次会话可见]",
        ("user", "user-global"): "关于用户（全局）",
        ("user", "workspace"): "关于用户（本工作区）",
        ("agent", "user-global"): "环境与约定（全局）",
        ("agent", "workspace"): "本工作区的事实与约定",
        "usage": "已用 {used}/{limit} 字符",
        "proposals": "待裁决（尚未成为记忆）",
    },
}


def snapshot(books: Books, session: Session, language: object, emit: Emit) -> str:
    """The session's block: rendered at the first call, which leaves the `snapshot` row, and the same ever
    after.
    """
    if session.id is None:
        raise invalid("session.id must be a string: a snapshot is frozen by it")
    with books.transaction():
        shown = books.audit.snapshot(session.id)
        if shown is not None:
            return shown
        text = render(books, session.viewpoint, language)
        now = books.now()
        books.audit.append(AuditRow(now, "snapshot", "ok", text=text, source=DEFAULT_SOURCE, session_id=session.id))
    emit(session.id, Event("memory/snapshot", {"text": text, "workspaceKey": session.workspace_key, "at": now}))
    return text


def render(books: Books, viewpoint: Viewpoint, language: object) -> str:
    """Visible entries by pot in creation order, then visible pending proposals; '' where there are none."""
    words = _WORDS.get(language, _WORDS["en"]) if isinstance(language, str) else _WORDS["en"]
    visible = [entry for entry in books.entries.all() if viewpoint.sees_entry(entry)]
    sections = [_section(words, books, pot, [e for e in visible if (e.track, e.scope) == pot]) for pot in POTS]
    waiting = [p for p in books.proposals.list("pending") if viewpoint.sees(p.scope, p.workspace_key, p.agent_key)]
    present = [section for section in (*sections, _proposals(words, waiting)) if section]
    return "\n\n".join([words["header"], *present]) if present else ""


def _section(words: dict[object, str], books: Books, pot: tuple[str, str], entries: Sequence[Entry]) -> str:
    if not entries:
        return ""
    used = sum(utf16.units(entry.text) for entry in entries)
    usage = words["usage"].format(used=used, limit=books.limit(*pot))
    return "\n".join([f"## {words[pot]} — {usage}", *(f"- {entry.text}" for entry in entries)])


def _proposals(words: dict[object, str], waiting: Sequence[Proposal]) -> str:
    if not waiting:
        return ""
    return "\n".join([f"## {words['proposals']}", *(f"- [{p.id}] {p.track}/{p.scope}: {p.text}" for p in waiting)])
