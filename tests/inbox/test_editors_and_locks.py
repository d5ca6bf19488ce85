"""An editor that saves beside us, the old tool's lock, and names that are used again."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import shilu_core.platforms as platforms
from shilu_core import files
from shilu_core.errors import LockBusy
from shilu_core.hunks import difference, patch, tokens
from shilu_core.lock import vault_lock
from shilu_inbox import carrying
from shilu_inbox.verify import verify

from tests.worlds import World, make_world


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


@pytest.fixture(params=["exchange", "no exchange"])
def either_system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both kinds of file system: one that swaps two names in one step, one that can't."""
    if request.param == "no exchange":
        monkeypatch.setattr(files, "exchange", lambda *_: False)
    elif not can_exchange():
        pytest.skip("this file system can't exchange two names")
    return str(request.param)


def can_exchange() -> bool:
    return platforms._exchange_call() is not None


def env(world: World) -> Path:
    return world.vault.root / "environment.md"


def by_rename(path: Path, data: bytes) -> None:
    beside = path.with_name("editor.tmp")
    beside.write_bytes(data)
    os.replace(beside, path)


def in_place(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def saving_before_the_swap(monkeypatch: pytest.MonkeyPatch, saves: list[Callable[[], None]]) -> None:
    """An editor that saves at the last moment: after the note was read and planned on, before it is replaced."""
    swap = carrying.files.swap

    def swapped(path: Path, data: bytes, kept: Path) -> None:
        if saves and path.parent.name == "memory":
            saves.pop(0)()
        swap(path, data, kept)

    monkeypatch.setattr(carrying.files, "swap", swapped)


@pytest.mark.parametrize("save", [by_rename, in_place])
def test_a_save_between_read_and_write_is_kept_and_the_fact_applied_on_top(
    world: World, monkeypatch: pytest.MonkeyPatch, either_system: str, save: Callable[[Path, bytes], None]
) -> None:  # F32
    world.submit("the build host is cedar", target="env")
    world.review()
    before = env(world).read_bytes()
    saves = [
        lambda: save(env(world), before + b"- by hand\n"),
        lambda: save(env(world), before + b"- by hand\n- and again\n"),
    ]
    saving_before_the_swap(monkeypatch, saves)
    assert world.apply().held == ()
    assert saves == []
    assert sorted(world.facts()) == ["and again", "by hand", "the build host is cedar"]
    with world.ledger() as ledger:
        assert verify(world.vault, ledger) == ()


def test_what_an_editor_writes_through_the_old_inode_after_the_swap_is_taken_over(world: World, either_system: str) -> None:
    world.submit("the build host is cedar", target="env")
    world.review()
    with open(env(world), "r+b") as editor:
        world.apply()
        editor.seek(0, os.SEEK_END)
        editor.write(b"- by hand\n")
    assert world.facts() == ["the build host is cedar"]
    world.apply()  # later than the end of that apply
    assert sorted(world.facts()) == ["by hand", "the build host is cedar"]
    world.apply()
    assert sorted(world.facts()) == ["by hand", "the build host is cedar"]


def test_an_editor_that_saved_during_apply_may_still_write_through_its_inode(
    world: World, monkeypatch: pytest.MonkeyPatch, either_system: str
) -> None:
    world.submit("the build host is cedar", target="env")
    world.review()
    with open(env(world), "r+b") as editor:

        def save() -> None:
            editor.seek(0, os.SEEK_END)
            editor.write(b"- first save\n")
            editor.flush()

        saving_before_the_swap(monkeypatch, [save])
        world.apply()
        editor.write(b"- second save\n")
    world.apply()
    assert sorted(world.facts()) == ["first save", "second save", "the build host is cedar"]


def test_a_note_renamed_by_a_person_during_apply_is_not_brought_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.write_note("environment.md", "# Mine\n\n- by hand\n")
    world.submit("the build host is cedar", target="env")
    world.review()
    planned = carrying._planned_on

    def planned_then_renamed(*arguments: object) -> object:
        found = planned(*arguments)  # type: ignore[arg-type]
        if env(world).exists() and b"by hand" in env(world).read_bytes():
            os.rename(env(world), env(world).with_name("machines.md"))
        return found

    monkeypatch.setattr(carrying, "_planned_on", planned_then_renamed)
    world.apply()
    assert world.note("machines.md") == "# Mine\n\n- by hand\n"
    assert sorted(world.facts()) == ["by hand", "the build host is cedar"]


def test_a_clash_with_a_late_save_is_told_with_where_the_text_lies_and_what_to_do(world: World) -> None:
    world.submit("the build host is cedar", target="env")
    world.accept_all()
    fact = world.vault.parse("environment.md").facts[0]
    world.submit("birch builds everything", operation="replace", fact=fact.id, agent="claude")
    world.review()
    world.vault.pending.write_bytes(world.vault.pending.read_bytes().replace(b"- [ ] ", b"- [x] "))
    with open(env(world), "r+b") as editor:
        world.apply()
        text = editor.read().replace(b"is cedar", b"is oak")
        editor.seek(0)
        editor.write(text)
        editor.truncate()
    (held,) = world.apply().held
    assert "an editor saved over a line that was changed meanwhile" in held and "merge it by hand" in held
    assert b"is oak" in Path(held.split("is kept in ")[1].split(": merge")[0]).read_bytes()


OLD_TOOL = """
import os, sys, time
lock = sys.argv[1]
descriptor = os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
os.write(descriptor, f"pid={os.getpid()} token=0123456789abcdef0123456789abcdef".encode())
os.close(descriptor)
print("held", flush=True)
sys.stdin.read()
os.remove(lock)
"""


@pytest.fixture
def old_tool(world: World) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", OLD_TOOL, str(world.vault.folder / ".lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None and process.stdout.readline() == b"held\n"
    return process


def test_the_old_tools_lock_keeps_us_out_and_we_say_who_holds_it(
    world: World, old_tool: subprocess.Popen[bytes]
) -> None:
    lock = world.vault.folder / ".lock"
    with pytest.raises(LockBusy) as busy, vault_lock(world.vault, "test", wait=0.2):
        pass
    assert f"is being written by process {old_tool.pid}; waited 0.2 s" in str(busy.value)
    assert str(lock) in str(busy.value) and "Try again when it is done" in str(busy.value)
    waiter = threading.Thread(target=lambda: world.submit("x y z", target="env") and world.review())
    waiter.start()
    time.sleep(0.1)
    old_tool.communicate(b"")
    waiter.join(30)
    assert not waiter.is_alive() and not lock.exists()


def test_our_lock_keeps_the_old_tool_out_and_is_gone_afterwards(world: World) -> None:
    lock = world.vault.folder / ".lock"
    with vault_lock(world.vault, "shilu review"):
        assert lock.read_text().startswith(f"pid={os.getpid()} token=")
        tried = subprocess.run([sys.executable, "-c", OLD_TOOL, str(lock)], input=b"", capture_output=True, check=False)
        assert b"FileExistsError" in tried.stderr
        with pytest.raises(LockBusy, match=rf"process {os.getpid()} \(shilu review\)"), vault_lock(world.vault, "b", wait=0.1):
            pass
    assert not lock.exists()


def test_the_lock_of_a_dead_process_is_nobodys(world: World, old_tool: subprocess.Popen[bytes]) -> None:
    old_tool.kill()
    old_tool.communicate()
    assert (world.vault.folder / ".lock").exists()
    with vault_lock(world.vault, "test", wait=5.0):
        pass
    assert list(world.vault.folder.glob(".lock*")) == []


def test_our_own_lock_is_nobodys_where_its_process_was_killed_and_the_number_is_used_again(world: World) -> None:
    (world.vault.folder / ".lock").write_text(f"pid={os.getppid()} token=ab for=promoter_--apply")
    with vault_lock(world.vault, "test", wait=0.0):
        pass
    assert not (world.vault.folder / ".lock").exists()


@pytest.mark.parametrize("content", ["", "pid=99999999999999999999999 token=1", "pid=² token=1", "pid=-1", "garbage \x00"])
def test_an_unreadable_lock_is_nobodys_once_it_is_old(world: World, content: str) -> None:
    lock = world.vault.folder / ".lock"
    lock.write_text(content)
    os.utime(lock, (time.time() - 3600,) * 2)
    with vault_lock(world.vault, "test", wait=5.0):
        pass
    assert not lock.exists()


def test_a_folder_in_the_locks_place_is_told_and_not_waited_for_endlessly(world: World) -> None:
    (world.vault.folder / ".lock").mkdir()
    with pytest.raises(LockBusy, match="remove"), vault_lock(world.vault, "test", wait=0.1):
        pass


def test_a_lock_that_somebody_else_took_is_not_removed_by_us(world: World) -> None:
    lock = world.vault.folder / ".lock"
    with vault_lock(world.vault, "test"):
        lock.write_text("pid=1 token=ab")
    assert lock.read_text() == "pid=1 token=ab"


def test_the_same_file_again_after_a_rejection_is_asked_again(world: World) -> None:
    world.drop_file("notes.md", b"the office plant is called Fred\n")
    world.review()
    world.vault.pending.write_bytes(world.vault.pending.read_bytes().replace(b"- [x]", b"- [-]"))
    assert world.apply().rejected == ("the office plant is called Fred",)
    world.drop_file("notes.md", b"the office plant is called Fred\n")
    (item,) = world.review().items
    assert [flag.kind for flag in item.judgement.flags] == ["returned"] and not item.is_ticked
    world.accept_all()
    assert world.facts() == ["the office plant is called Fred"]
    assert sorted(path.name for path in world.vault.processed.iterdir()) == ["notes-2.md", "notes.md"]


def test_a_value_that_returns_under_the_same_file_name_is_written_again(world: World) -> None:
    for port in (8080, 9090, 8080):
        world.drop_file("notes.md", f"The staging gateway listens on port {port}\n".encode())
        world.accept_all()
    assert world.facts() == ["The staging gateway listens on port 8080"]


def test_a_clock_that_was_set_back_uses_no_name_twice(world: World) -> None:
    first = world.submit("shelf one is full", target="env")
    world.accept_all()
    second = world.submit("lunch starts at noon", target="env")
    assert first.name == "codex-20261130-092825-01.md" and second.name == "codex-20261130-092825-02.md"


def test_a_foreign_file_that_changes_between_review_and_apply_waits_for_another_review(world: World) -> None:
    path = world.drop_file("notes.md", b"the build host is cedar\n")
    world.review()
    world.drop_file("notes.md", b"the build host is cedar\nlunch starts at noon\n")
    done = world.apply()
    assert done.written == () and "waits for the next review" in done.held[0]
    assert path.exists() and world.facts() == []
    world.accept_all()
    assert sorted(world.facts()) == ["lunch starts at noon", "the build host is cedar"]


def test_the_ledger_deleted_between_two_applies_doubles_nothing(world: World) -> None:
    world.submit("the build host is cedar", target="env")
    world.accept_all()
    world.submit("lunch starts at noon", target="env")
    world.review()
    for file in (world.folder / "state").rglob("ledger.db*"):
        file.unlink()
    world.apply()
    world.apply()
    assert sorted(world.facts()) == ["lunch starts at noon", "the build host is cedar"]
    with world.ledger() as ledger:
        assert verify(world.vault, ledger) == ()


@pytest.mark.parametrize("name", ["notes (1).md", "会议（1）.md", "a｜b.md", "a | b.md", "x'\"y.md", "ünï.txt", "notes.md.md"])
def test_a_file_of_any_name_gives_facts_that_are_known_again(world: World, name: str) -> None:
    path = world.drop_file(name, b"the build host is cedar\n")
    world.accept_all()
    assert world.facts() == ["the build host is cedar"]
    for file in (world.folder / "state").rglob("ledger.db*"):
        file.unlink()
    world.drop_file(name, b"the build host is cedar\n")
    world.accept_all()
    assert world.facts() == ["the build host is cedar"]
    assert not path.exists()


def test_a_file_name_that_is_no_text_is_left_alone_and_named(world: World) -> None:
    odd = os.fsencode(world.vault.inbox) + b"/caf\xe9.md"
    try:
        Path(os.fsdecode(odd)).write_bytes(b"the build host is cedar\n")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    world.submit("lunch starts at noon", target="env")
    world.accept_all()
    assert world.facts() == ["lunch starts at noon"]


def test_a_late_save_of_a_note_that_was_removed_is_told_and_stops_nothing(world: World) -> None:
    world.submit("the build host is cedar", target="env")
    world.review()
    with open(env(world), "r+b") as editor:
        world.apply()
        editor.seek(0, os.SEEK_END)
        editor.write(b"- by hand\n")
    env(world).unlink()
    world.submit("lunch starts at noon", target="rules")
    world.review()
    done = world.apply()
    assert [one.text for one in done.written] == ["lunch starts at noon"]
    assert "an editor saved over a note that was moved or removed meanwhile" in done.held[0]


def test_a_full_disk_fails_with_its_name_and_the_next_apply_finishes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.submit("the build host is cedar", target="env")
    world.submit("lunch starts at noon", target="rules", agent="hermes")
    world.review()
    write, room = carrying.files.write_whole, [1]

    def on_a_full_disk(path: Path, data: bytes) -> None:
        if not room:
            raise OSError(28, "No space left on device", str(path))
        room.pop()
        write(path, data)

    monkeypatch.setattr(carrying.files, "write_whole", on_a_full_disk)
    with pytest.raises(OSError, match="No space left"):
        world.apply()
    monkeypatch.undo()
    world.apply()
    assert sorted(world.facts()) == ["lunch starts at noon", "the build host is cedar"]
    with world.ledger() as ledger:
        assert verify(world.vault, ledger) == ()


def test_a_long_note_of_which_every_other_line_changed_is_compared_in_bounded_time() -> None:
    before = "".join(f"- line {number}\n\n" for number in range(1500))
    after = "".join(f"- line {number}{'x' * (number % 2)}\n\n" for number in range(1500))
    hunks = difference(tokens(before), tokens(after))
    assert "".join(patch(tokens(before), hunks)) == after
