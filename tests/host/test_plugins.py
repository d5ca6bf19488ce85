"""The DSH bundle and the OpenCode file under Node, against a real daemon; DSH itself runs in tests/harness."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from shilu_host.mcp import protocol

ROOT = Path(__file__).parents[2]
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(not (ROOT / "host/dsh").is_dir(), reason="the bundle is not beside these tests")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


def node(world: Any, tmp_path: Path, script: str, **config: Any) -> Any:
    """What a script prints as JSON, run in the host above."""
    main = tmp_path / "main.mjs"
    host = (Path(__file__).parent / "dsh_host.mjs").as_uri()
    main.write_text(f"import {{ step, listeners, tools }} from '{host}'\n{script}", encoding="utf-8")
    settings = {"vaultPath": str(world.vault), "recall": "always", **config}
    done = subprocess.run(
        [NODE or "", str(main), json.dumps(settings), (ROOT / "host/dsh/index.mjs").as_uri()],
        env=world.environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_node
def test_the_block_comes_before_the_prompt_and_the_host_s_decision_is_left_as_it_was(
    running: Any, tmp_path: Path
) -> None:
    got = node(running, tmp_path, f"console.log(JSON.stringify(await step({running.question!r}, {{session: 'dsh1'}})))")
    rules, block, prompt = got["texts"]
    assert "memory_search" in rules and running.fact in block and prompt == running.question
    assert (got["count"], got["kept"]) == (1, True)
    assert got["sources"][1] == {"kind": "plugin", "plugin": "shilu", "form": "recall"}


@needs_node
@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("{number: 2}", None),
        ("{header: {parentSession: 'p'}}", "subagent"),
        ("{header: {origin: 'subagent'}}", "subagent"),
        ("{header: {delegationDepth: 1}}", "subagent"),
        ("{source: {kind: 'plugin', plugin: 'x'}}", "relayed"),
        ("{source: {kind: 'plugin:x'}}", "relayed"),
        ("{source: {kind: 'agent-relay'}}", "relayed"),
        ("{frozen: true}", "frozen"),
    ],
)
def test_turns_that_are_left_alone(running: Any, tmp_path: Path, what: str, reason: str | None) -> None:
    got = node(running, tmp_path, f"console.log(JSON.stringify(await step({running.question!r}, {what})))")
    assert (got["texts"], got["same"]) == ([running.question], True)
    if reason:
        assert running.get("/status")[1]["recall"]["last"]["reason"] == reason


@needs_node
def test_three_turns_with_a_fact_applied_in_between_change_nothing_before_the_newest_message(
    world: Any, tmp_path: Path
) -> None:
    """F41: what the model sees of earlier turns stays the same bytes, so that the provider's prompt cache holds."""
    world.start()
    note = world.notes / "常用路径与环境.md"
    script = f"""
import fs from 'node:fs'
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const seen = [], sent = []
for (const [number, text] of [{world.question!r}, '部署脚本放在哪里？', 'staging 网关现在监听哪个端口？'].entries()) {{
  if (number === 2) {{
    fs.appendFileSync({str(note)!r}, '- staging 网关改为监听端口 9999（写入 2026-11-30｜来源：Agent提交区/codex-20261130-092825-01.md）\\n')
    await pause(3000)
  }}
  const got = await step(text, {{session: 'cached'}})
  seen.push(...got.texts, `reply ${{number}}`)
  sent.push(JSON.stringify(seen))
  await pause(300)
}}
console.log(JSON.stringify(sent))"""
    first, second, third = map(json.loads, node(world, tmp_path, script, recallTimeoutMs=20000))
    assert second[: len(first)] == first and third[: len(second)] == second
    assert "9999" not in json.dumps(second) and "9999" in json.dumps(third[len(second) :])


@needs_node
def test_compaction_makes_rules_and_facts_come_again(running: Any, tmp_path: Path) -> None:
    script = f"""
const ask = () => step({running.question!r}, {{session: 'dsh-long'}})
const pause = () => new Promise((resolve) => setTimeout(resolve, 300))
const first = await ask(); await pause()
const second = await ask(); await pause()
listeners['session/event']({{ id: 'dsh-long' }}, {{ type: 'compaction/summary' }}); await pause()
console.log(JSON.stringify([first, second, await ask()].map((got) => got.texts.length)))"""
    assert node(running, tmp_path, script) == [3, 1, 3]


@needs_node
def test_a_hung_daemon_costs_the_limit_and_an_abort_ends_the_wait_at_once(world: Any, tmp_path: Path) -> None:
    child = world.start()
    child.send_signal(signal.SIGSTOP)
    script = f"""
const began = performance.now()
const late = await step({world.question!r})
const waited = performance.now() - began
const ended = new AbortController()
setTimeout(() => ended.abort(), 50)
const again = performance.now()
const aborted = await step({world.question!r}, {{signal: ended.signal}})
console.log(JSON.stringify({{late: late.same, waited, aborted: aborted.same, sooner: performance.now() - again < waited}}))"""
    got = node(world, tmp_path, script, recallTimeoutMs=600)
    child.send_signal(signal.SIGCONT)
    assert got["late"] and got["aborted"] and got["sooner"]
    assert got["waited"] >= 590


@needs_node
def test_the_tools_of_the_bundle_are_those_of_mcp_and_work(running: Any, tmp_path: Path) -> None:
    script = f"""
const shown = await tools.memory_search.execute({{query: {running.question!r}}}, {{}})
const wrong = await tools.memory_search.execute({{query: ''}}, {{}})
console.log(JSON.stringify({{names: Object.keys(tools), shown, wrong, schema: tools.memory_search.parameters}}))"""
    got = node(running, tmp_path, script)
    assert got["names"] == [tool["name"] for tool in protocol.load_tools()]
    assert running.fact in got["shown"]["text"] and got["shown"]["isError"] is False
    assert got["wrong"] == {"text": "memory_search: argument 'query' is empty", "isError": True}
    assert "minLength" not in json.dumps(got["schema"])


@needs_node
def test_without_sockets_recall_and_tools_go_by_http(world: Any, tmp_path: Path) -> None:
    world.start_without_socket()
    script = f"""
const found = await tools.memory_search.execute({{query: {world.question!r}}}, {{}})
const turn = await step({world.question!r}, {{session: 'http'}})
console.log(JSON.stringify([found.text, turn.texts[1]]))"""
    found, block = node(world, tmp_path, script, recallTimeoutMs=20000)
    assert world.fact in found and world.fact in block


@needs_node
def test_the_bundle_starts_a_daemon_and_the_first_turn_gets_its_fact(world: Any, tmp_path: Path) -> None:
    script = f"console.log(JSON.stringify(await step({world.question!r}, {{session: 'first'}})))"
    got = node(world, tmp_path, script, recallTimeoutMs=20000, pythonPath=sys.executable)
    assert world.fact in got["texts"][1]


@needs_node
def test_a_daemon_that_can_not_be_started_is_waited_for_by_no_turn(world: Any, tmp_path: Path) -> None:
    script = f"""
const began = performance.now()
const first = await step({world.question!r}), second = await step({world.question!r})
console.log(JSON.stringify({{same: first.same && second.same, waited: performance.now() - began}}))"""
    got = node(world, tmp_path, script, recallTimeoutMs=20000, pythonPath="/nowhere/python")
    assert got["same"] and got["waited"] < 15000


def test_the_bundle_names_no_package_of_its_host_and_its_tools_are_mcp_s() -> None:
    folder = ROOT / "host/dsh"
    package = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    assert not {"dependencies", "peerDependencies", "devDependencies", "scripts"} & set(package)
    for path in folder.glob("*.mjs"):
        imports = re.findall(r"from '([^']+)'", path.read_text(encoding="utf-8"))
        assert [name for name in imports if not name.startswith(("node:", "./"))] == []
    assert json.loads((folder / "tools.json").read_text(encoding="utf-8")) == protocol.load_tools()


def test_the_opencode_file_holds_the_same_client() -> None:
    def client(path: Path) -> str:
        text = path.read_text(encoding="utf-8")
        return text[text.index("// --- client: begin ---") : text.index("// --- client: end ---")]

    own = client(ROOT / "host/dsh/daemon.mjs")
    assert client(ROOT / "host/opencode/shilu.js") == re.sub(r"^export ", "", own, flags=re.MULTILINE)
    exported = re.findall(r"^export .*", (ROOT / "host/opencode/shilu.js").read_text(encoding="utf-8"), re.MULTILINE)
    assert exported == ["export const Shilu = async () => ({"]
