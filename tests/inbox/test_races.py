"""Races of real processes: killed, crowded, or beside an editor and the old tool; every fact stands exactly once."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from shilu_inbox.submissions import read
from shilu_inbox.verify import verify

from tests.worlds import World, make_world

ROUNDS = 20
CROWD, EACH = 20, 50

HAMMER = """
import sys
from shilu_host.cli import main
from shilu_host.promoter_cli import main as promoter
failed = 0
for number, fact in enumerate(sys.stdin.read().splitlines(), 1):
    failed += main(["submit", fact, "--agent", sys.argv[1]]) != 0
    if number % 25 == 0:  # larger batches cost more: the judge compares within a batch, too
        failed += promoter(["--auto"]) != 0
sys.exit(failed)
"""


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def nonsense(number: int) -> str:
    """A text of four words that no other number shares a word with, so that the judge calls it new."""
    digest = hashlib.sha256(str(number).encode()).digest()
    syllables = ["".join(random.Random(byte * 997 + number).choices(CONSONANTS + VOWELS, k=3)) for byte in digest[:12]]
    return " ".join("".join(syllables[part : part + 3]) for part in range(0, 12, 3))


CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"


def environment(world: World, **more: str) -> dict[str, str]:
    folder = world.folder
    return {
        **os.environ,
        "SHILU_VAULT": str(world.vault.folder),
        "SHILU_STATE_DIR": str(folder / "state"),
        "SHILU_CACHE_DIR": str(folder / "cache"),
        "SHILU_CONFIG": str(folder / "config.toml"),
        **more,
    }


def start(world: World, *words: str, **more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", *words]
    return subprocess.Popen(
        command, env=environment(world, **more), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
    )


def twice(world: World) -> dict[str, int]:
    return {text: count for text, count in Counter(world.facts()).items() if count != 1}


def submitted(world: World) -> list[str]:
    """The texts of every submission that stands among the processed ones."""
    found = [path for path in world.vault.processed.iterdir() if not path.name.startswith(".")]
    return sorted(fact.text for path in found for fact in read(path.name, path.read_bytes()))


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    while not condition() and process.poll() is None:
        time.sleep(0.002)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_twenty_rounds_of_killed_and_racing_processes_write_every_fact_once(world: World) -> None:  # F34
    chance = random.Random(20261130)
    lock = world.vault.folder / ".lock"
    killed = 0
    for number in range(ROUNDS):
        for agent in ("codex", "claude"):
            world.submit(nonsense(number * 10 + len(agent)), agent=agent)
        victims = [start(world, "shilu_host.promoter_cli", "--auto")]
        if number % 2:
            victims.append(start(world, "shilu_host.promoter_cli", "--apply"))
        else:
            victims.append(start(world, "shilu_host", "submit", nonsense(number * 10 + 9), "--agent", "hermes"))
        wait_until(lock.exists, victims[0])
        time.sleep(chance.random() * 0.15)
        for victim in victims:
            killed += victim.poll() is None
            victim.kill()
            victim.communicate()
        assert twice(world) == {}
    assert killed >= ROUNDS // 2  # else this run proves nothing
    world.submit(nonsense(100_000), agent="last")
    while world.review().unsettled:  # a submit killed before it said that the file is its own: taken once it stood still
        time.sleep(0.1)
    for _ in range(2):
        world.review()
        world.apply()
    assert twice(world) == {}
    assert sorted(world.facts()) == submitted(world)
    assert nonsense(100_000) in world.facts()
    assert list(world.vault.inbox.glob("*-*.md")) == []
    assert [path.name for path in world.vault.folder.rglob(".shilu-tmp*")] == []
    assert not lock.exists()
    with world.ledger() as ledger:
        assert verify(world.vault, ledger) == ()


def test_two_processes_in_the_same_second_write_two_files(world: World) -> None:  # F33
    crowd = [
        start(world, "shilu_host", "submit", nonsense(number), "--agent", "codex", SHILU_NOW="2026-11-30T09:28:25+00:00")
        for number in range(6)
    ]
    assert [process.wait() for process in crowd] == [0] * 6
    for process in crowd:
        process.communicate()
    names = sorted(path.name for path in world.vault.inbox.glob("codex-*.md"))
    assert names == [f"codex-20261130-092825-0{number}.md" for number in range(1, 7)]
    assert len(world.accept_all().written) == 6


@pytest.mark.timeout(900)  # a bound for a loaded machine, never a claim about speed
def test_twenty_processes_with_fifty_submissions_each_lose_and_double_nothing(world: World) -> None:  # F31
    crowd = []
    for agent in range(CROWD):
        facts = [nonsense(agent * EACH + number) for number in range(EACH)]
        process = subprocess.Popen(
            [sys.executable, "-c", HAMMER, f"agent{agent}"],
            env=environment(world, SHILU_LOCK_SECONDS="600"),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert process.stdin is not None
        process.stdin.write("\n".join(facts).encode())
        process.stdin.close()
        process.stdin = None
        crowd.append(process)
    told = [process.communicate()[1].decode() for process in crowd]
    assert [(process.returncode, text) for process, text in zip(crowd, told, strict=True) if process.returncode] == []
    world.review()
    world.apply()
    assert sorted(world.facts()) == sorted(nonsense(number) for number in range(CROWD * EACH))
    with world.ledger() as ledger:
        assert verify(world.vault, ledger) == ()
