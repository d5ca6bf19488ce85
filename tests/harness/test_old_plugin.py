"""The published DSH plug-in 0.5.2 on top of this core, unchanged, in a real web profile: its four tools."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.needs("dsh"), pytest.mark.usefixtures("program")]

PLUGIN = "dsh/node_modules/dsh-unified-agent-memory/lib/index.js"


@pytest.fixture
def web(stage: Any) -> Any:
    """DSH's web profile with the published plug-in, its core folder being ours."""
    module = Path(os.environ["HARNESS_HOME"]) / PLUGIN
    if not module.exists():
        pytest.skip("oldplugin is not installed in HARNESS_HOME; see tests/harness/README.md")
    config = {"vaultPath": str(stage.vault), "pythonPath": stage.python, "corePath": str(stage.root / "core")}
    rows = "".join(f"        {key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in config.items())
    row = f"- insert:\n    - id: old\n      name: {json.dumps(str(module))}\n      config:\n"
    stage.write(".dsh/cordis.patch.yml", row + rows)
    with stage.web() as running:
        yield running


def ask(stage: Any, web: Any, task: str) -> str:
    """The result of the tool that the fake model calls for `task`."""
    before = len(stage.turns())
    web.say(web.create(), task)
    stage.wait(lambda: len(stage.turns()) >= before + 2)
    return json.dumps(stage.turns()[before + 1], ensure_ascii=False)


def test_search_show_submit_and_status_work(stage: Any, web: Any) -> None:
    assert "#1C211A" in ask(stage, web, 'CALL_TOOL memory_search {"query": "深色模式背景"}')
    assert "赭石 #B5651D" in ask(stage, web, 'CALL_TOOL memory_show {"doc": "ui"}')
    assert str(stage.vault) in ask(stage, web, "CALL_TOOL memory_status {}")
    ask(stage, web, 'CALL_TOOL memory_submit {"facts": "- 一号温室的网关换成了 10.8.0.9\\n- second fact"}')
    dropped = list((stage.vault / "50-Agent-Context/Agent提交区").glob("dsh-*.md"))
    assert [path.read_text(encoding="utf-8") for path in dropped] == [
        "- 一号温室的网关换成了 10.8.0.9\n- second fact\n"
    ]
