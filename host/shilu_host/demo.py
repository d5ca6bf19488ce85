"""The demonstration: real submissions of three agents through review, decision, apply and recall, step by step."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from shilu_core.secrets import mask

STEPS = {
    "en": (
        "1. Three agents submit: a new fact in each language, a duplicate, a conflict, a supersession, a secret",
        "2. The review judges every line against the vault and against the rest of the batch; it writes no note",
        "3. A person decides what is doubtful: the newer value for conflict and supersession",
        "4. Apply writes the accepted facts into the notes, once, under the lock",
        "5. Recall: three turns of an agent through the hook; the last one needs no memory",
        "The vault lies in {vault}; open it in Obsidian. Remove it all: delete {folder}",
    ),
    "zh": (
        "1. 三个 Agent 提交：中英文新事实各一条，一条重复，一条冲突，一条取代，一条密钥",
        "2. 审阅：每一行都与记忆库、与同批的其他行比较；不改动任何笔记",
        "3. 有疑问的由人裁决：冲突和取代都用较新的值",
        "4. 写入：被接受的事实写进笔记，在锁内，只写一次",
        "5. 召回：一个 Agent 的三轮对话经过钩子；最后一轮用不到记忆",
        "记忆库在 {vault}，可以用 Obsidian 打开。全部删除：删掉 {folder}",
    ),
}
TURNS = ("预发网关现在监听哪个端口？", "Which host runs Redis for sessions now?", "量子纠缠是什么？")


class Demonstration:
    """A vault of its own and folders of its own; every step is a real command line."""

    def __init__(self, folder: Path) -> None:
        self.vault = folder / "vault"
        self.environment = {
            **os.environ,
            "SHILU_VAULT": str(self.vault),
            "SHILU_CONFIG": str(folder / "config.toml"),
            "SHILU_STATE_DIR": str(folder / "state"),
            "SHILU_CACHE_DIR": str(folder / "cache"),
            "PYTHONIOENCODING": "utf-8",
        }
        language = self.environment.setdefault("SHILU_LANG", "zh" if os.environ.get("LANG", "").startswith("zh") else "en")
        self.steps = STEPS.get(language, STEPS["en"])

    def run(self, *arguments: str, expect: Sequence[int] = (0,), text: str | None = None, quiet: bool = False) -> str:
        """Runs `shilu` or `promoter`, prints the call and what it printed; ends the demonstration where it fails."""
        module, given = ("shilu_host.promoter_cli", arguments[1:]) if arguments[0] == "promoter" else ("shilu_host", arguments)
        print(f"\n$ {'promoter' if module.endswith('cli') else 'shilu'} {mask(' '.join(_quoted(part) for part in given))}", flush=True)
        done = subprocess.run(
            [sys.executable, "-m", module, *given], env=self.environment, input=text, capture_output=True, text=True, encoding="utf-8"
        )
        shown = "" if quiet else done.stdout
        print((shown + done.stderr).rstrip(), flush=True)
        if done.returncode not in expect:
            raise SystemExit(f"the step ended with {done.returncode}, expected {' or '.join(map(str, expect))}")
        return done.stdout


def main() -> int:
    example, folder = Path(sys.argv[1]), Path(sys.argv[2])
    demonstration = Demonstration(folder)
    shutil.copytree(example, demonstration.vault, ignore=shutil.ignore_patterns(".shilu", ".obsidian"))
    _say(demonstration.steps[0])
    _submit(demonstration)
    _say(demonstration.steps[1])
    items = json.loads(demonstration.run("promoter", "--review", "--json", quiet=True))["items"]
    demonstration.run("promoter", "--review")
    _say(demonstration.steps[2])
    for item in items:
        if item["place"] == "conflict":
            demonstration.run("decide", item["id"], "use-new")
        elif item["verdict"] == "supersede":
            demonstration.run("decide", item["id"], "accept")
    _say(demonstration.steps[3])
    demonstration.run("promoter", "--apply")
    demonstration.run("verify")
    _say(demonstration.steps[4])
    _recall(demonstration)
    _say(demonstration.steps[5].format(vault=demonstration.vault, folder=folder))
    return 0


def _submit(demonstration: Demonstration) -> None:
    run = demonstration.run
    run("submit", "预发网关监听 7443 端口", "周报在每周五 17:30 前发到团队频道", "--agent", "codex")
    run("submit", "The nightly backup of the orders database runs at 02:40", "每周五下午五点半之前把周报发到团队频道", "--agent", "claude")
    run("submit", "预发网关监听 7444 端口", "--agent", "hermes")
    run("submit", "Redis for sessions now runs on alder, port 6391, at most 2 GB of memory", "--agent", "claude")
    run("submit", "the registry password is " + "Tr0ub4dor" + "-" + "Vault9", "--agent", "hermes", expect=(1,))


def _recall(demonstration: Demonstration) -> None:
    demonstration.run("daemon", "start")
    try:
        for number, prompt in enumerate(TURNS):
            event = json.dumps({"session_id": "demo", "prompt": prompt, "turn": number}, ensure_ascii=False)
            print(f"\nturn {number + 1}: {prompt}")
            answer = demonstration.run("hook", "pre-step", "--harness", "generic", text=event)
            if not answer.strip():
                print("(nothing is injected)")
    finally:
        demonstration.run("daemon", "stop")


def _say(text: str) -> None:
    print(f"\n=== {text}", flush=True)


def _quoted(part: str) -> str:
    return f'"{part}"' if " " in part or not part.isascii() else part


if __name__ == "__main__":
    sys.exit(main())
