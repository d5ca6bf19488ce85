"""How each harness tells of a turn and takes the answer; one row each."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from shilu_host.turns.turn import Event, Reply, Turn

_EVENTS: dict[str, Event] = {
    "UserPromptSubmit": "prompt",
    "BeforeAgent": "prompt",
    "SessionStart": "start",
    "PreCompact": "compact",
    "PreCompress": "compact",
    "SessionEnd": "end",
}
_PLAIN: dict[str, Event] = {
    "prompt": "prompt",
    "start": "start",
    "compact": "compact",
    "clear": "clear",
    "end": "end",
}
_SOURCES: dict[str, Event] = {"compact": "compact", "clear": "clear"}
# Gemini and Qwen hand back to the prompt what an earlier hook put there.
_WRAPPED = re.compile(r"<(hook_context|qwen:[a-z-]*context)>.*?</\1>", re.DOTALL)
# Messages that a harness writes in a person's place.
_RELAYED = re.compile(
    r"\s*<(?:task-notification|teammate-message|system-reminder|agent-message|local-command-stdout|command-message|command-name|user-memory-input)\b"
)


@dataclass(frozen=True)
class Dialect:
    """Reads the harness's payload, writes its answer; `max_chars` bounds the whole text below the
    harness's own limit."""

    name: str
    read: Callable[[Any], Turn]
    write: Callable[[Turn, Reply], bytes]
    max_chars: int = 20_000


def _text(value: Any) -> str:
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def _read_hooks(harness: str) -> Callable[[Any], Turn]:
    """For harnesses with Claude Code's hook shape."""

    def read(payload: Any) -> Turn:
        given: Mapping[str, Any] = payload if isinstance(payload, dict) else {}
        name = _text(given.get("hook_event_name"))
        event = _EVENTS.get(name, "other" if name else "prompt")
        if name == "SessionStart":
            event = _SOURCES.get(_text(given.get("source")), "start")
        raw = given.get("submitted_prompt") or given.get("prompt")
        message = _WRAPPED.sub("", _text(raw)).strip()
        skip = "subagent" if given.get("agent_id") else "relayed" if _RELAYED.match(message) else ""
        return Turn(harness, event, message, _text(given.get("session_id")), name, skip)

    return read


def _write_hooks(turn: Turn, reply: Reply) -> bytes:
    answer: dict[str, Any] = {}
    if reply.text and turn.event in ("prompt", "start", "compact", "clear"):
        name = turn.event_name or "UserPromptSubmit"
        if name not in ("PreCompact", "PreCompress"):
            answer["hookSpecificOutput"] = {"hookEventName": name, "additionalContext": reply.text}
    if reply.notice:
        answer["systemMessage"] = reply.notice
    return json.dumps(answer, ensure_ascii=False).encode() + b"\n" if answer else b""


def _read_plugin(harness: str) -> Callable[[Any], Turn]:
    """For our own in-process plug-ins: DSH and OpenCode."""

    def read(payload: Any) -> Turn:
        given: Mapping[str, Any] = payload if isinstance(payload, dict) else {}
        settings = given.get("settings")
        event = _text(given.get("event")) or "prompt"
        return Turn(
            harness,
            _PLAIN.get(event, "other"),
            _text(given.get("message")).strip(),
            _text(given.get("session")),
            event,
            _plugin_skip(given),
            settings if isinstance(settings, dict) else {},
        )

    return read


def _plugin_skip(given: Mapping[str, Any]) -> str:
    if given.get("parentSession") or int(given.get("delegationDepth") or 0) > 0:
        return "subagent"
    if isinstance(step := given.get("step"), int) and step > 1:
        return "later step"
    if _text(given.get("source") or "user") != "user" or _RELAYED.match(_text(given.get("message"))):
        return "relayed"
    return "frozen" if given.get("frozen") else ""


def _write_plugin(turn: Turn, reply: Reply) -> bytes:
    answer = {"reason": reply.reason, "block": reply.block, "rules": reply.rules, "notice": reply.notice}
    return json.dumps(answer, ensure_ascii=False).encode()


def _read_generic(payload: Any) -> Turn:
    if isinstance(payload, str):
        return Turn("generic", "prompt", _text(payload).strip())
    given: Mapping[str, Any] = payload if isinstance(payload, dict) else {}
    name = _text(given.get("hook_event_name") or given.get("event"))
    event = _EVENTS.get(name) or _PLAIN.get(name, "prompt")
    message = given.get("prompt") or given.get("message") or given.get("query")
    session = given.get("session_id") or given.get("session")
    return Turn("generic", event, _text(message).strip(), _text(session), name, _plugin_skip(given))


def _write_generic(turn: Turn, reply: Reply) -> bytes:
    """Plain text, as programs expect that put a command's output into the prompt."""
    return reply.text.encode() + b"\n" if reply.text else b""


LIMITED = 9_000  # Claude Code and Codex cut at 10,000 characters
DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        Dialect("claude", _read_hooks("claude"), _write_hooks, LIMITED),
        Dialect("codex", _read_hooks("codex"), _write_hooks, LIMITED),
        Dialect("gemini", _read_hooks("gemini"), _write_hooks),
        Dialect("qwen", _read_hooks("qwen"), _write_hooks),
        Dialect("dsh", _read_plugin("dsh"), _write_plugin),
        Dialect("opencode", _read_plugin("opencode"), _write_plugin),
        Dialect("generic", _read_generic, _write_generic, LIMITED),
    )
}


def read(harness: str, body: bytes) -> Turn:
    """The turn in a hook's input; input that is no JSON is the message itself for `generic`, and no prompt
    elsewhere."""
    text = body.decode("utf-8", "replace")
    try:
        payload = json.loads(text)
    except (ValueError, RecursionError):
        payload = text if harness == "generic" else {"hook_event_name": "unreadable", "event": "unreadable"}
    turn = DIALECTS[harness].read(payload)
    given: Mapping[str, Any] = payload if isinstance(payload, dict) else {}
    header = given.get("header")
    preset = header.get("agentPreset") if isinstance(header, dict) else given.get("agentPreset")
    return replace(turn, folder=_text(given.get("cwd")), agent=_text(preset))
