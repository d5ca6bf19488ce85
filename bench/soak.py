"""Many at once, and for long: `python bench/soak.py [--seconds 60] [--turns 10000] [--facts 2000]`.

Eight MCP sessions and four hook loops beside two submitters, all as processes, counting what failed; hooks and
submissions beside maintenance; then turns through one daemon, with its memory after a tenth of them and after all, and
the processor time that it takes while nobody asks.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from hook import HOOK, MCP, daemon, make_vault, memory, questions
from shilu_host.client import hook as client

MCP_SESSIONS, HOOK_LOOPS, SUBMITTERS = 8, 4, 2


class Count:
    """What was done and what failed, by many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.done: dict[str, int] = {}
        self.failed: list[str] = []

    def add(self, kind: str, problem: str = "") -> None:
        with self._lock:
            self.done[kind] = self.done.get(kind, 0) + 1
            if problem:
                self.failed.append(f"{kind}: {problem[:200]}")


def mcp_session(environment: dict[str, str], facts: int, until: float, count: Count) -> None:
    child = subprocess.Popen(
        [sys.executable, "-S", "-E", str(MCP)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    )
    assert child.stdin is not None and child.stdout is not None
    asked, number = questions(facts), 0
    while time.monotonic() < until:
        number += 1
        call = {"name": "memory_search", "arguments": {"query": next(asked)}}
        child.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}) + "\n")
        child.stdin.flush()
        answer = json.loads(child.stdout.readline())
        count.add("mcp", "" if answer.get("result", {}).get("isError") is False else str(answer))
    child.stdin.close()
    child.wait(30)


def hook_loop(environment: dict[str, str], facts: int, until: float, count: Count, label: int) -> None:
    asked, number = questions(facts), 0
    command = [sys.executable, "-S", "-E", str(HOOK), "pre-step", "--harness", "claude", "--recall", "always"]
    while time.monotonic() < until:
        number += 1
        payload = {"hook_event_name": "UserPromptSubmit", "session_id": f"{label}-{number}", "prompt": next(asked)}
        done = subprocess.run(
            [*command, "--limit-ms", "8000"], input=json.dumps(payload), capture_output=True, text=True, env=environment
        )
        fine = done.returncode == 0 and not done.stderr and "<memory-data>" in done.stdout
        count.add("hook", "" if fine else f"rc {done.returncode} {done.stderr}{done.stdout}")


def submitter(environment: dict[str, str], until: float, count: Count, label: int) -> None:
    number = 0
    while time.monotonic() < until:
        number += 1
        text = f"the soak host {label}-{number} listens on port {20000 + number}"
        command = [sys.executable, "-m", "shilu_host", "submit", "--agent", f"soak{label}", text]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        count.add("submit", "" if done.returncode == 0 else done.stderr)


def together(environment: dict[str, str], facts: int, seconds: float) -> Count:
    count, until = Count(), time.monotonic() + seconds
    jobs: list[tuple[Any, tuple[Any, ...]]] = [(mcp_session, (environment, facts, until, count))] * MCP_SESSIONS
    jobs += [(hook_loop, (environment, facts, until, count, n)) for n in range(HOOK_LOOPS)]
    jobs += [(submitter, (environment, until, count, n)) for n in range(SUBMITTERS)]
    threads = [threading.Thread(target=target, args=given) for target, given in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return count


def maintenance(environment: dict[str, str], facts: int) -> Count:
    """Rebuilds the index, scans for what can be forgotten and checks up, beside hooks and submissions."""
    count = Count()
    over = threading.Event()

    def maintain() -> None:
        for words in (["index", "--rebuild"], ["forget", "--scan"], ["doctor"]):
            began = time.monotonic()
            command = [sys.executable, "-m", "shilu_host", *words]
            done = subprocess.run(command, capture_output=True, text=True, env=environment)
            count.add(f"{words[0]} ({time.monotonic() - began:.1f} s)", "" if done.returncode == 0 else done.stderr)
        over.set()

    worker = threading.Thread(target=maintain)
    worker.start()
    label = 100  # a session each time, or its questions have been answered
    while not over.is_set():
        label += 1
        moment = time.monotonic() + 1.0
        hook_loop(environment, facts, moment, count, label)
        submitter(environment, moment + 0.5, count, label)
    worker.join()
    return count


def turns(environment: dict[str, str], home: Path, facts: int, number: int, label: str) -> None:
    pointer = dict(line.split(" ", 1) for line in (home / ".local/state/shilu/daemon").read_text().splitlines())
    asked = questions(facts)
    for turn in range(number):
        connection, opening = client.connect(pointer)
        payload = {"hook_event_name": "UserPromptSubmit", "session_id": f"{label}{turn // 5}", "prompt": next(asked)}
        call = client.Call(["--harness", "claude", "--recall", "always"])
        call.vault = ""
        _, headers, _ = client.ask(connection, opening, call, json.dumps(payload).encode(), time.monotonic() + 30)
        if "x-shilu-ticket" in headers:
            client.acknowledge(connection, opening, headers["x-shilu-ticket"])
            client.read_answer(connection)
        connection.close()


def processor_seconds(pid: int) -> float:
    """User and system time of a process, where /proc tells."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--facts", type=int, default=2_000)
    parser.add_argument("--embedder", default="none")
    parser.add_argument("--idle", type=float, default=60.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="shilu-soak-") as name:
        home = Path(name)
        with daemon(home, make_vault(home, given.facts), given.embedder) as (child, environment):
            count = together(environment, given.facts, given.seconds)
            print(f"{given.seconds:.0f} s together: {count.done}, {len(count.failed)} failed", flush=True)
            for line in count.failed[:10]:
                print(f"  {line}")
            count = maintenance(environment, given.facts)
            print(f"beside maintenance of {given.facts:,} facts: {count.done}, {len(count.failed)} failed", flush=True)
            for line in count.failed[:10]:
                print(f"  {line}")
            turns(environment, home, given.facts, given.turns // 10, "a")
            early = memory(child.pid)
            turns(environment, home, given.facts, given.turns - given.turns // 10, "b")
            late = memory(child.pid)
            print(
                f"memory after {given.turns // 10:,} turns {early:.1f} MB, after {given.turns:,} {late:.1f} MB ({late / early - 1:+.1%})"
            )
            time.sleep(5)
            before = processor_seconds(child.pid)
            time.sleep(given.idle)
            share = (processor_seconds(child.pid) - before) / max(given.idle, 1e-9)
            print(f"idle for {given.idle:.0f} s: {share:.2%} of a core")


if __name__ == "__main__":
    main()
