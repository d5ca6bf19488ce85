"""Acceptance 4: many processes on one store, approvals late and out of order, nothing lost, no budget overrun."""

from __future__ import annotations

import multiprocessing
import os
import random
import sys
from collections import deque

from shilu_core.entries.replay import differences, replayed
from shilu_core.ledger import Ledger
from shilu_host.conformance.channel import Process
from shilu_host.conformance.client import Client, Failure, park
from shilu_host.conformance.speaker import Speaker, by, session

PROCESSES = 8
WRITES = int(os.environ.get("SHILU_STRESS_WRITES", "1000"))  # over all processes
LATE = 6  # approvals that wait at most, answered in random order
LIMIT = 2_400  # so that the pot fills up and refuses


def client(number: int, store: str, answers) -> None:
    """One client: many adds, some replaces and removes, each approved later and in another order."""
    process = Process([sys.executable, "-m", "shilu_host", "protocol", "serve", "--stdio"])
    speaker = Speaker(Client(process, park))
    room = {track: {"userGlobal": LIMIT, "workspace": LIMIT} for track in ("user", "agent")}
    speaker.client.call(
        "initialize", {"protocol": "dsh-memory-protocol/v1", "dbPath": store, "approval": True, "budgets": room}
    )
    dice, waiting, tally = random.Random(number), deque(), {"stored": 0, "full": 0, "gone": 0, "denied": 0}
    write = by(session(f"s{number}", cwd=f"/w{number}"))
    for count in range(WRITES // PROCESSES):
        method, given = _write(dice, number, count)
        request = speaker.client.start(method, {"input": given, "write": write})
        waiting.append(request)
        if len(waiting) > dice.randrange(LATE):
            _settle(speaker, waiting, dice, tally)
    while waiting:
        _settle(speaker, waiting, dice, tally)
    answers.put((tally, process.close()))


def _write(dice, number, count):
    pot = {"track": "agent", "scope": "workspace"}
    kind = dice.random()
    if kind < 0.7 or not count:
        return "add", {**pot, "text": f"p{number}n{count}."}
    target = f"p{number}n{dice.randrange(count)}."
    if kind < 0.85:
        return "replace", {**pot, "match": target, "text": f"{target}{'r' * dice.randrange(9)}"}
    return "remove", {**pot, "match": target}


def _settle(speaker, waiting, dice, tally):
    """Answers one of the waiting writes, chosen at random, and counts what came of it."""
    waiting.rotate(dice.randrange(len(waiting)))
    request = waiting.popleft()
    while not speaker.client.is_answered(request):
        asks = [ask for ask in speaker.client.asks if ask["params"]["forRequest"] == request]
        if asks:
            speaker.client.asks.remove(asks[0])
            speaker.client.answer(asks[0], "rejected" if dice.random() < 0.1 else "allowed-once")
        speaker.client._take()
    try:
        speaker.client.wait(request)
        tally["stored"] += 1
    except Failure as failure:
        kinds = {"BUDGET_EXCEEDED": "full", "ENTRY_NOT_FOUND": "gone", "WRITE_DENIED": "denied"}
        tally[kinds[failure.code]] += 1


def test_eight_processes_lose_nothing_and_overrun_nothing(store):
    context = multiprocessing.get_context("spawn" if sys.platform == "win32" else "fork")
    answers = context.Queue()
    workers = [context.Process(target=client, args=(number, str(store), answers)) for number in range(PROCESSES)]
    for worker in workers:
        worker.start()
    ends = [answers.get(timeout=240) for _ in workers]
    for worker in workers:
        worker.join(30)
    tally = {name: sum(end[0][name] for end in ends) for name in ends[0][0]}
    assert [end[1] for end in ends] == [0] * PROCESSES
    assert sum(tally.values()) == WRITES // PROCESSES * PROCESSES and tally["full"] and tally["denied"]
    with Ledger.open(store) as ledger:
        _check(ledger, tally)


def _check(ledger, tally):
    rows = ledger.rows("SELECT action, entry_id, text FROM audit ORDER BY seq")
    stored = [row for row in rows if not row["action"].endswith("-denied")]
    assert (len(stored), len(rows) - len(stored)) == (tally["stored"], tally["denied"])
    texts, used = {}, 0
    for row in stored:
        used -= len(texts.pop(row["entry_id"], ""))
        if row["action"] != "remove":
            texts[row["entry_id"]] = row["text"]
            used += len(row["text"])
        assert used <= LIMIT
    assert texts == replayed(ledger) and differences(ledger) == []
