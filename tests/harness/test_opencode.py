"""OpenCode: the plug-in file puts the block into the user's message."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest

pytestmark = [pytest.mark.needs("opencode"), pytest.mark.usefixtures("program")]

QUESTION = "表单错误写在哪里，用不用弹窗？"
FACT = "表单错误写在输入框下面，不用弹窗"


def test_the_block_stands_before_the_prompt_in_the_same_message(stage: Any) -> None:
    stage.start_daemon()
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": "http://127.0.0.1:@PORT@/v1", "apiKey": "dummy"},
        "models": {"mock-model": {}},
    }
    stage.write(".config/opencode/opencode.json.tpl", {"provider": {"mock": provider}, "model": "mock/mock-model"})
    plugins = stage.home / ".config/opencode/plugins"
    plugins.mkdir()
    shutil.copy(stage.root / "host/opencode/shilu.js", plugins)
    environment = {"SHILU_VAULT": str(stage.vault).replace(" ", "\\ "), "UNIFIED_MEMORY_RECALL": "always"}
    link = stage.folder / "vault"
    link.symlink_to(stage.vault)
    environment["SHILU_VAULT"] = str(link)
    done = stage.run("opencode", "run", QUESTION, limit=300, **environment)
    assert done.returncode == 0, done.stderr
    sent = [body for body in stage.requests() if body.get("tools")]
    text = json.dumps(sent[0]["messages"], ensure_ascii=False)
    assert FACT in text
    assert text.index("<memory-data>") < text.index(QUESTION)
