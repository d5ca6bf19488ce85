"""Latency of the hook, end to end: `python bench/hook.py [--facts 100000] [--runs 200] [--embedder none]`.

Makes a vault of made-up facts, starts a daemon over it, and times whole hook processes with a warm daemon, the same
beside two busy loops, the DSH bundle inside Node, the embedder alone, and the MCP server's start; prints a table. With `--rival DIR` the
hook of another memory tool, installed in an environment of its own, is timed on the same notes by the command in
`DIR/command`, one line that reads a hook's JSON on standard input.

With an embedder the notes' vectors are made up beforehand, clustered as those of texts are (embedding 100,000 lines takes
an hour); what is timed is the real model on the question, and the search among 100,000 vectors.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOOK = ROOT / "host/shilu_host/client/hook.py"
MCP = ROOT / "host/shilu_host/client/mcp_stdio.py"
FACTS_PER_NOTE = 250
OPEN_SECONDS = 900.0
NAMES = [
    "heron",
    "otter",
    "crane",
    "badger",
    "lynx",
    "raven",
    "osprey",
    "marten",
    "白鹭",
    "天鹅",
    "蓝鲸",
    "云杉",
    "青松",
    "红杉",
    "银杏",
    "赤狐",
]
THINGS = [
    "gateway",
    "queue",
    "database",
    "cache",
    "scheduler",
    "mirror",
    "网关",
    "队列",
    "数据库",
    "缓存",
    "调度器",
    "镜像",
    "备份",
    "证书",
]
WHERE = ("staging", "production", "测试环境", "预发环境", "生产环境", "CI")


def make_vault(folder: Path, facts: int, seed: int = 7) -> Path:
    """A vault of `facts` facts in both languages; equal seeds give equal bytes."""
    chance = random.Random(seed)
    notes = folder / "vault/50-Agent-Context"
    (notes / "Agent提交区").mkdir(parents=True)
    (notes / "上下文索引.md").write_text("# 上下文索引\n", encoding="utf-8")
    for number in range(0, facts, FACTS_PER_NOTE):
        lines = [_fact(chance, n) for n in range(number, min(facts, number + FACTS_PER_NOTE))]
        path = notes / f"projects/{number // FACTS_PER_NOTE:05d}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text("# 项目\n\n" + "".join(f"- {line}\n" for line in lines), encoding="utf-8")
    return notes.parent


def _fact(chance: random.Random, number: int) -> str:
    name, thing, where = chance.choice(NAMES), chance.choice(THINGS), chance.choice(WHERE)
    port, host = chance.randrange(1024, 65535), f"10.{chance.randrange(256)}.{chance.randrange(256)}.{number % 256}"
    if chance.random() < 0.5:
        return f"{name}-{number} 的{thing}在{where}监听端口 {port}，主机 {host}"
    return f"The {thing} of {name}-{number} in {where} listens on port {port} at {host}"


def questions(facts: int) -> Iterator[str]:
    chance = random.Random(11)
    while True:
        number = chance.randrange(facts)
        name, thing = chance.choice(NAMES), chance.choice(THINGS)
        yield chance.choice(
            (f"{name}-{number} 的{thing}监听哪个端口？", f"which port does the {thing} of {name}-{number} listen on?")
        )


@contextmanager
def daemon(home: Path, vault: Path, embedder: str) -> Iterator[tuple[subprocess.Popen[bytes], dict[str, str]]]:
    """A daemon that can search, and the environment of its clients."""
    environment = {**os.environ, "HOME": str(home), "SHILU_VAULT": str(vault), "SHILU_EMBEDDER": embedder}
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "SHILU_STATE_DIR", "SHILU_CACHE_DIR"):
        environment.pop(name, None)
    child = subprocess.Popen([sys.executable, "-m", "shilu_host.daemon"], env=environment)
    try:
        deadline = time.monotonic() + OPEN_SECONDS
        while not _is_ready(environment):
            if time.monotonic() > deadline or child.poll() is not None:
                raise SystemExit("the daemon did not get ready")
            time.sleep(0.2)
        yield child, environment
    finally:
        child.send_signal(signal.SIGTERM)
        child.wait()


def make_vectors(home: Path, vault: Path, embedder: str) -> None:
    """Builds the index and gives every line a made-up vector of the model's size."""
    import numpy as np
    from shilu_core.embed.store import VectorStore
    from shilu_core.recall import Engine
    from shilu_core.recall.meaning import texts
    from shilu_host.context import Context
    from shilu_host.embedders import embedder as load
    from shilu_host.sources import sources

    given = {"SHILU_VAULT": str(vault), "SHILU_EMBEDDER": embedder, "SHILU_STATE_DIR": str(home / ".local/state/shilu")}
    context = Context({**given, "SHILU_CACHE_DIR": str(home / ".cache/shilu")})
    model = load(context)
    if model is None:
        raise SystemExit(f"no embedder {embedder} works here")
    with context.ledger() as ledger:
        known = sources(vault=context.vault, ledger=ledger, settings=context.settings, environment=context.environment)
        engine = Engine.open(context.vault, context.vault_cache, source=known)
        folder = next(path for path in (context.vault_cache / "index").iterdir() if path.is_dir()) / "vectors"
        store = VectorStore(folder, model.model_id, model.dimensions)
        lines, chance = list(texts(engine.index)), np.random.default_rng(7)
        centres = chance.standard_normal((2000, model.dimensions), dtype=np.float32)
        for start in range(0, len(lines), 5000):
            part = lines[start : start + 5000]
            made = centres[chance.integers(0, 2000, len(part))]
            made = made + 0.7 * chance.standard_normal(made.shape, dtype=np.float32)
            store.add(part, made / np.linalg.norm(made, axis=1, keepdims=True))
        store.close()
        engine.close()


def _is_ready(environment: dict[str, str]) -> bool:
    if not (Path(environment["HOME"]) / ".local/state/shilu/daemon").exists():
        return False  # a hook would start a second one
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "", "prompt": "which port does the gateway use?"}
    return "<memory-data>" in _hook(environment, payload).stdout


def _hook(environment: dict[str, str], payload: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-S", "-E", str(HOOK), "pre-step", "--harness", "claude", "--recall", "always"]
    return subprocess.run(command, input=json.dumps(payload), capture_output=True, text=True, env=environment)


def timed(runs: int, action: Callable[[int], object]) -> list[float]:
    """Milliseconds of each run."""
    times = []
    for number in range(runs):
        began = time.perf_counter()
        action(number)
        times.append((time.perf_counter() - began) * 1000)
    return times


def row(name: str, times: list[float], more: str = "") -> None:
    ordered = sorted(times)
    at = lambda share: ordered[min(len(ordered) - 1, int(share * len(ordered)))]  # noqa: E731
    figures = f"{statistics.median(times):8.1f} {at(0.95):8.1f} {at(0.99):8.1f} {ordered[0]:8.1f}"
    print(f"{name:<44} {len(times):>5} {figures}  {more}", flush=True)


def hooks(environment: dict[str, str], facts: int, runs: int, label: str) -> list[float]:
    asked = questions(facts)
    empty = 0

    def one(number: int) -> None:
        nonlocal empty
        payload = {"hook_event_name": "UserPromptSubmit", "session_id": f"{label}{number}", "prompt": next(asked)}
        empty += not _hook(environment, payload).stdout

    times = timed(runs, one)
    row(label, times, f"{empty} without a block")
    return times


@contextmanager
def busy(count: int) -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def bundle(environment: dict[str, str], vault: Path, facts: int, runs: int) -> None:
    """The DSH bundle's share of a turn, inside a warm Node."""
    if shutil.which("node") is None:
        print("node is not installed: the bundle is not timed")
        return
    asked = questions(facts)
    texts = [next(asked) for _ in range(runs)]
    script = (
        f"import {{ recall }} from {(ROOT / 'host/dsh/daemon.mjs').as_uri()!r}\n"
        "const [texts, settings] = JSON.parse(process.argv[2]), times = []\n"
        "for (const [number, message] of texts.entries()) { const began = performance.now()\n"
        "  await recall('dsh', { event: 'prompt', session: `b${number}`, message, source: 'user', step: 1 }, settings, { timeoutMs: 5000 })\n"
        "  times.push(performance.now() - began) }\nconsole.log(JSON.stringify(times))"
    )
    with tempfile.NamedTemporaryFile("w", suffix=".mjs") as file:
        file.write(script)
        file.flush()
        given = json.dumps([texts, {"vaultPath": str(vault), "recall": "always"}])
        done = subprocess.run(["node", file.name, given], env=environment, capture_output=True, text=True, check=True)
    row("DSH bundle inside Node", json.loads(done.stdout)[1:])


def embedding(name: str, facts: int, runs: int) -> None:
    """The model alone on the same messages, in this process: what is to be taken off the rows above."""
    from shilu_core.embed import EmbedderSettings
    from shilu_core.embed.table import load

    model, asked = load(name, EmbedderSettings()), questions(facts)
    model.query(next(asked))
    row(f"{name} on one message", timed(runs, lambda _: model.query(next(asked))))


def mcp_start(environment: dict[str, str], runs: int) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + "\n"
    command = [sys.executable, "-S", "-E", str(MCP)]
    row(
        "MCP server: start, handshake, end",
        timed(runs, lambda _: subprocess.run(command, input=line, capture_output=True, text=True, env=environment)),
    )


def rival(folder: Path, vault: Path, facts: int, runs: int, environment: dict[str, str]) -> None:
    command = (folder / "command").read_text(encoding="utf-8").strip()
    asked = questions(facts)

    def one(number: int) -> None:
        payload = {"hook_event_name": "UserPromptSubmit", "session_id": f"r{number}", "prompt": next(asked)}
        subprocess.run(
            ["bash", "-c", command],
            input=json.dumps(payload),
            text=True,
            capture_output=True,
            cwd=folder,
            env=environment,
        )

    row(f"rival: {folder.name}", timed(runs, one))


def memory(pid: int) -> float:
    """Resident megabytes, where /proc tells."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return int(next(line for line in text.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--embedder", default="none")
    parser.add_argument("--rival", type=Path, action="append", default=[])
    parser.add_argument("--busy", type=int, default=300, help="hooks beside two busy loops")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="shilu-bench-") as name:
        home = Path(name)
        vault = make_vault(home, given.facts)
        if given.embedder != "none":
            make_vectors(home, vault, given.embedder)
        began = time.monotonic()
        with daemon(home, vault, given.embedder) as (child, environment):
            print(
                f"{given.facts:,} facts, embedder {given.embedder}: ready after {time.monotonic() - began:.1f} s, ",
                end="",
            )
            print(f"{memory(child.pid):.0f} MB, load {os.getloadavg()[0]:.1f}\n")
            print(f"{'milliseconds':<44} {'runs':>5} {'p50':>8} {'p95':>8} {'p99':>8} {'least':>8}")
            row("python -S -E -c pass", timed(50, lambda _: subprocess.run([sys.executable, "-S", "-E", "-c", "pass"])))
            hooks(environment, given.facts, given.runs, "hook process, warm daemon")
            if given.busy:
                with busy(2):
                    hooks(environment, given.facts, given.busy, "hook process beside two busy loops")
            bundle(environment, vault, given.facts, given.runs)
            if given.embedder != "none":
                embedding(given.embedder, given.facts, given.runs)
            mcp_start(environment, 30)
            for folder in given.rival:
                rival(folder, vault, given.facts, min(20, given.runs), environment)
            print(f"\nmemory of the daemon afterwards: {memory(child.pid):.0f} MB")


if __name__ == "__main__":
    main()
