"""The hook of a turn, run as harnesses run it: a process of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from shilu_host.client import hook as hook_file


def test_a_turn_gets_the_fact_and_the_rules_inside_the_harness_s_own_shape(running: Any) -> None:
    answer = running.hook(running.prompt(session="shape"))
    given = answer["hookSpecificOutput"]
    assert given["hookEventName"] == "UserPromptSubmit"
    assert running.fact in given["additionalContext"]
    assert given["additionalContext"].count("<memory-data>") == given["additionalContext"].count("</memory-data>") == 1
    assert given["additionalContext"].startswith("共享记忆")


def test_a_fact_is_not_repeated_in_a_session_but_is_in_another(running: Any) -> None:
    assert running.hook(running.prompt(session="once")) is not None
    running.wait(lambda: running.hook(running.prompt(session="once")) is None)
    assert running.hook(running.prompt(session="another")) is not None


def test_after_compaction_rules_and_facts_come_again(running: Any) -> None:
    running.hook(running.prompt(session="long"))
    running.wait(lambda: running.hook(running.prompt(session="long")) is None)
    start = {"hook_event_name": "SessionStart", "source": "compact", "session_id": "long"}
    rules = running.hook(start)["hookSpecificOutput"]
    assert rules["hookEventName"] == "SessionStart"
    assert "memory_search" in rules["additionalContext"]
    again = running.hook(running.prompt(session="long"))["hookSpecificOutput"]["additionalContext"]
    assert running.fact in again
    assert "memory_search" not in again  # the rules stand in the session since its start


def test_gemini_and_generic_get_their_own_shapes(running: Any) -> None:
    gemini = {
        "hook_event_name": "BeforeAgent",
        "session_id": "g",
        "prompt": f"<hook_context>x</hook_context>{running.question}",
    }
    assert running.hook(gemini, harness="gemini")["hookSpecificOutput"]["hookEventName"] == "BeforeAgent"
    plain = running.hook_process({"prompt": running.question, "session": "p"}, harness="generic").stdout.decode()
    assert plain.endswith("</memory-data>\n")


def test_recall_off_in_the_harness_s_environment_says_nothing_and_status_tells_why(running: Any) -> None:
    assert running.hook(running.prompt(session="off"), UNIFIED_MEMORY_RECALL="off") is None
    assert running.get("/status")[1]["recall"]["last"]["reason"] == "off"


def test_a_flag_stands_over_the_environment(running: Any) -> None:
    answer = running.hook(running.prompt(session="flag"), "--recall", "always", UNIFIED_MEMORY_RECALL="off")
    assert running.fact in answer["hookSpecificOutput"]["additionalContext"]


def test_input_that_is_no_json_or_holds_half_a_surrogate_is_survived(running: Any) -> None:
    """F21, for the hook; test_mcp.py has the server."""
    command = [sys.executable, "-S", "-E", hook_file.__file__, "pre-step", "--harness", "claude"]
    for data in (
        b"",
        b"\xff\xfe{",
        b'{"prompt": "\\udc8a the staging gateway", "session_id": "sur"}',
        b"[" * 5000,
    ):
        done = subprocess.run(command, input=data, capture_output=True, env=running.environment, timeout=30)
        assert (done.returncode, done.stderr) == (0, b"")
    assert running.get("/alive") == (200, {"ok": True, "ready": True})


def test_the_hook_writes_ids_and_digests_but_never_the_prompt(running: Any) -> None:
    running.hook(running.prompt(f"{running.question} 暗号是紫色大象", session="secret"))
    running.wait(lambda: running.hook(running.prompt(f"{running.question} 暗号是紫色大象", session="secret")) is None)
    written = b"".join(path.read_bytes() for path in running.state.rglob("*") if path.is_file())
    assert b"claude:secret" in written
    assert "紫色大象".encode() not in written


def test_a_session_s_first_turn_starts_the_daemon_once_and_gets_its_fact(world: Any) -> None:
    answer = world.hook(world.prompt(), "--limit-ms", "8000")
    if answer is None:  # a machine so busy that a start takes eight seconds
        assert "timeout: no daemon yet; it was asked to start" in world.hook_log
        world.wait(lambda: world.alive() and world.get("/alive")[1]["ready"])
        answer = world.hook(world.prompt(), "--limit-ms", "8000")
    assert world.fact in answer["hookSpecificOutput"]["additionalContext"]
    assert world.hook_log.count("it was asked to start") <= 1


def test_a_daemon_that_begins_to_listen_within_the_limit_is_waited_for(world: Any) -> None:
    _named(world)
    path = str(Path(tempfile.mkdtemp(prefix="s")) / "late.sock")  # a short path: sun_path holds 108 bytes
    _marker(world).touch()  # another client has asked
    child = _hook_process(world, "--limit-ms", "8000")
    time.sleep(0.3)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        (world.state / "0123/daemon").write_text(f"socket {path}\nport 0\ntoken x\nlimit-ms 8000\npid 1\n")
        connection, _ = listener.accept()
        connection.recv(4096)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nlate\n")
        assert child.stdout is not None
        assert (child.stdout.read(), child.wait(30)) == (b"late\n", 0)
        connection.close()


@pytest.mark.parametrize(("content", "age", "told"), [("failed\n", 1, "could not start"), ("", 20, "is starting")])
def test_a_start_that_failed_or_takes_long_is_not_waited_for(world: Any, content: str, age: int, told: str) -> None:
    _named(world)
    marker = _marker(world)
    marker.write_text(content)
    os.utime(marker, (time.time() - age, time.time() - age))
    assert world.hook(world.prompt(), "--limit-ms", "8000") is None
    spent = int(world.hook_log.split(" ms:")[0].rsplit(" ", 1)[1])
    assert told in world.hook_log and spent < 6000


def test_a_vault_that_is_none_makes_the_start_fail_and_the_next_turns_ask_for_nothing(world: Any) -> None:
    nowhere = ("--vault", str(world.home / "nowhere"), "--limit-ms", "8000")
    assert world.hook(world.prompt(), *nowhere) is None
    world.wait(lambda: _marker(world, world.home / "nowhere").read_text() == "failed\n")
    assert world.hook(world.prompt(), *nowhere) is None
    assert "could not start just now" in world.hook_log
    assert "nowhere" in (world.state / "shilu.log").read_text(encoding="utf-8")


def test_a_marker_from_the_future_holds_no_start_up(world: Any) -> None:
    """The clock was set back by a day behind a start that died."""
    world.state.mkdir(parents=True)
    marker = _marker(world)
    marker.touch()
    os.utime(marker, (time.time() + 86_400, time.time() + 86_400))
    world.hook(world.prompt(), "--limit-ms", "8000")
    world.wait(lambda: world.alive() and world.get("/alive")[1]["ready"])


def _named(world: Any) -> None:
    """Gives the vault a name, so that a pointer can stand where the hook looks for it."""
    (world.state / "0123").mkdir(parents=True)
    (world.vault / ".shilu").mkdir()
    (world.vault / ".shilu/id").write_text("0123")


def _marker(world: Any, vault: Any = "") -> Path:
    return Path(hook_file.marker_of(hook_file.Call(["--state", str(world.state), "--vault", str(vault or world.vault)])))


def _hook_process(world: Any, *arguments: str, **streams: Any) -> subprocess.Popen[bytes]:
    """A hook that was handed its prompt and goes on by itself."""
    command = [sys.executable, "-S", "-E", hook_file.__file__, "pre-step", "--harness", "claude", *arguments]
    given = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, **streams}
    child = subprocess.Popen(command, env=world.environment, **given)
    if child.stdin is not None:
        child.stdin.write(json.dumps(world.prompt()).encode())
        child.stdin.close()
    return child


def test_a_hanging_daemon_costs_the_limit_and_one_line(world: Any) -> None:
    """F16: an index that takes its time, or a daemon that hangs."""
    _named(world)
    path = str(Path(tempfile.mkdtemp(prefix="s")) / "hang.sock")  # a short path: sun_path holds 108 bytes
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        (world.state / "0123/daemon").write_text(f"socket {path}\nport 0\ntoken x\nlimit-ms 400\npid 1\n")
        began = time.monotonic()
        assert world.hook(world.prompt()) is None
        assert time.monotonic() - began >= 0.35  # it waited for its own limit and not for ours
    assert len(world.hook_log.splitlines()) == 1
    assert "timeout" in world.hook_log


def test_a_daemon_that_dies_midway_leaves_the_turn_alone(world: Any) -> None:
    path = str(Path(tempfile.mkdtemp(prefix="s")) / "die.sock")  # a short path: sun_path holds 108 bytes
    _named(world)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        (world.state / "0123/daemon").write_text(f"socket {path}\nport 0\ntoken x\nlimit-ms 5000\npid 1\n")
        child = _hook_process(world)
        connection, _ = listener.accept()
        connection.recv(100)
        connection.close()
        assert child.stdout is not None
        assert (child.stdout.read(), child.wait(30)) == (b"", 0)
    assert "ended midway" in world.hook_log


def test_a_standard_input_that_never_ends_is_cut(world: Any) -> None:
    reader, writer = os.pipe()
    command = [sys.executable, "-S", "-E", hook_file.__file__, "--harness", "claude", "--limit-ms", "300"]
    child = subprocess.Popen(command, stdin=reader, stdout=subprocess.PIPE, env=world.environment)
    assert child.wait(30) == 0
    os.close(writer)
    os.close(reader)
    assert child.stdout is not None and child.stdout.read() == b""
    assert "timeout" in world.hook_log


def test_the_warm_path_imports_only_what_json_os_socket_sys_time_bring() -> None:
    brought = _modules("import json, os, socket, sys, time")
    own = _modules(f"exec(compile(open({hook_file.__file__!r}).read(), 'hook', 'exec'), {{'__name__': 'hook'}})")
    assert own - brought == set()


def _modules(code: str) -> set[str]:
    command = [sys.executable, "-S", "-E", "-c", f"{code}\nimport sys; print(*sys.modules)"]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_one_hook_call_is_one_process(running: Any) -> None:
    """F18."""
    command = ["strace", "-f", "-e", "trace=process", "-o", "/dev/stderr"]
    try:
        subprocess.run([*command, "true"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        _count_by_audit(running)
        return
    full = [*command, sys.executable, "-S", "-E", hook_file.__file__, "--harness", "claude"]
    done = subprocess.run(
        full,
        input=json.dumps(running.prompt(session="ps")).encode(),
        capture_output=True,
        env=running.environment,
    )
    assert done.stderr.count(b"execve(") == 1


def _count_by_audit(world: Any) -> None:
    """Without strace: Python's own audit events of starting processes."""
    code = (
        "import sys\n"
        "def note(event, args):\n"
        "    if event in ('subprocess.Popen', 'os.fork', 'os.exec', 'os.posix_spawn', 'os.system'): "
        "sys.stderr.write(event)\n"
        "sys.addaudithook(note)\n"
        f"sys.argv = ['hook', '--harness', 'claude']\n"
        f"exec(compile(open({hook_file.__file__!r}).read(), 'hook', 'exec'), {{'__name__': '__main__'}})"
    )
    command = [sys.executable, "-S", "-E", "-c", code]
    payload = json.dumps(world.prompt(session="ps")).encode()
    done = subprocess.run(command, input=payload, capture_output=True, env=world.environment)
    assert done.stderr == b""
    assert world.fact in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


def test_the_log_of_the_hook_is_bounded(world: Any) -> None:
    _named(world)
    _marker(world).write_text("failed\n")
    (world.state / "hook.log").write_bytes(b"x" * 300_000)
    assert world.hook(world.prompt()) is None
    assert (world.state / "hook.log").stat().st_size < 1000


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_closed_standard_stream_ends_the_hook_quietly_and_nothing_counts_as_shown(running: Any, closed: int) -> None:
    session, at = f"closed{closed}", "<&-" if closed == 0 else f"{closed}>&-"
    command = f"'{sys.executable}' -S -E '{hook_file.__file__}' --harness claude {at}"
    prompt = json.dumps(running.prompt(session=session)).encode()
    done = subprocess.run(["bash", "-c", command], input=prompt, capture_output=True, env=running.environment, timeout=60)
    assert (done.returncode, done.stderr, bool(done.stdout)) == (0, b"", closed == 2)
    if closed < 2:
        assert "Bad file descriptor" in running.hook_log
        assert running.hook(running.prompt(session=session)) is not None


def test_a_reader_that_has_gone_is_survived_and_nothing_counts_as_shown(running: Any) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    prompt = json.dumps(running.prompt(session="gone")).encode()
    command = [sys.executable, "-S", "-E", hook_file.__file__, "--harness", "claude"]
    done = subprocess.run(command, input=prompt, stdout=writer, stderr=subprocess.PIPE, env=running.environment)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")
    assert running.hook(running.prompt(session="gone")) is not None


def test_a_daemon_killed_with_a_turn_in_hand_leaves_the_turn_alone(world: Any) -> None:
    daemon = world.start()
    daemon.send_signal(signal.SIGSTOP)
    child = _hook_process(world, "--limit-ms", "8000")
    time.sleep(0.3)
    daemon.kill()
    assert child.stdout is not None
    assert (child.stdout.read(), child.wait(30)) == (b"", 0)
    assert world.hook_log.count("\n") == 1


def test_a_home_that_is_unset_is_taken_from_the_system(running: Any) -> None:
    environment = {name: value for name, value in running.environment.items() if name != "HOME"}
    command = [sys.executable, "-S", "-E", hook_file.__file__, "--harness", "claude", "--state", str(running.state)]
    prompt = json.dumps(running.prompt(session="homeless")).encode()
    done = subprocess.run(command, input=prompt, capture_output=True, env=environment, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert running.fact in done.stdout.decode()


def test_a_prompt_of_two_hundred_kilobytes_gets_its_answer(running: Any) -> None:
    log = "".join(f"2026-11-30 09:00:{n % 60:02d} INFO worker {n} handled order {n * 7}\n" for n in range(3500))
    answer = running.hook(running.prompt(f"{log}\n{running.question}", session="pasted"), "--limit-ms", "8000")
    assert running.fact in answer["hookSpecificOutput"]["additionalContext"]


def test_sigterm_ends_the_daemon_and_takes_its_traces_along(world: Any) -> None:
    child = world.start()
    child.send_signal(signal.SIGTERM)
    assert child.wait(30) == 0
    assert not (world.state / "daemon").exists()
    assert not (world.vault_state / "daemon.sock").exists()
