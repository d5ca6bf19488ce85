"""Qwen Code: of Gemini CLI's shape, with the events of Claude Code."""

from __future__ import annotations

from shilu_setup.harnesses.gemini import GeminiKind

QWEN = GeminiKind("qwen", "Qwen Code", "QWEN.md", ("UserPromptSubmit", "SessionStart"), least_node=22)
