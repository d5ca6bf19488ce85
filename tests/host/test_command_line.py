"""The command line: exit codes, messages that say what to do, and odd input as real processes get it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from shilu_host.cli import main
from shilu_host.promoter_cli import main as promoter

from tests.worlds import World, make_world

Run = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    world = make_world(tmp_path)
    for name, value in places(world).items():
        monkeypatch.setenv(name, value)
    return world


def places(world: World) -> dict[str, str]:
    return {
        "SHILU_VAULT": str(world.vault.folder),
        "SHILU_STATE_DIR": str(world.folder / "state"),
        "SHILU_CACHE_DIR": str(world.folder / "cache"),
        "SHILU_CONFIG": str(world.folder / "config.toml"),
        "SHILU_NOW": "2026-11-30T09:28:25+00:00",
    }


@pytest.fixture
def run(world: World) -> Run:
    """A real process; words may be bytes, which need not be text."""

    def ran(*words: str | bytes, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "shilu_host", *words]
        return subprocess.run(
            command, input=given, capture_output=True, env={**os.environ, **places(world)}, check=False
        )

    return ran


def inbox(world: World) -> list[str]:
    return [path.read_bytes().decode() for path in sorted(world.vault.inbox.glob("*-*.md"))]


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["submit", ""], 1, "nothing to submit: give at least one fact that is not empty"),
        (["submit", "x" * 4001], 1, "a fact has 4,001 characters, more than 4,000; shorten it"),
        (["submit", *(f"fact {n}" for n in range(201))], 1, "the submission has 201 facts, more than 200; split it"),
        (["submit", "\n".join(f"- fact {n}" for n in range(201))], 1, "201 facts, more than 200; split it"),
        (["submit", *("x" * 3999 for _ in range(17))], 1, "bytes, more than 65,536; split it"),
        (["submit", "a fact", "--agent", "a b"], 1, "agent name 'a b' won't do: use 1 to 64 letters"),
        (["submit", "a fact", "--agent", "../x"], 1, "agent name '../x' won't do"),
        (["submit", "a fact", "--agent", "x" * 65], 1, "won't do: use 1 to 64 letters"),
        (["submit", "a fact", "--op", "replace"], 2, "replace needs the fact: --fact ID (see `shilu search`)"),
        (["submit", "the key is sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"], 1, "Submit where it is kept instead"),
        (["retract", "nosuch"], 2, "no single fact is 'nosuch': give its id or its whole text; `shilu search WORDS --format compact` shows both"),
        (["decide", "abcdefghij", "accept"], 2, "`shilu review` lists the ids"),
        (["undo", "nosuch"], 2, "`shilu log` lists them"),
        (["nosuch"], 2, "no command 'nosuch'; `shilu --help` lists them"),
        (["show", "../../etc/passwd"], 2, "no note and no fact is called '../../etc/passwd'; documents are index"),
        (["ledger", "import", "/nosuch/file"], 1, "No such file or directory at /nosuch/file. Mend that"),
        (["submit", "a fact", "--vault", "/nosuch"], 1, "make one with: shilu init /nosuch"),
    ],
)
def test_a_refusal_has_its_exit_code_and_says_what_to_do(
    world: World, capsys: pytest.CaptureFixture[str], words: list[str], code: int, told: str
) -> None:
    assert main(words) == code
    assert told in capsys.readouterr().err
    assert inbox(world) == []


@pytest.mark.parametrize(
    "words", [["decide", "abcdefghij", "nonsense"], ["submit", "--nosuch"], ["undo"], ["log", "--limit", "x"]]
)
def test_a_call_that_argparse_refuses_exits_2(world: World, words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2


def test_bounds_themselves_are_taken(world: World) -> None:
    assert main(["submit", "x" * 4000]) == 0
    assert main(["submit", *(f"fact {n}" for n in range(200))]) == 0
    assert main(["submit", "a fact", "--agent", "研究员-2.a_b"]) == 0
    assert main(["submit", "a fact", "--agent", "x" * 64]) == 0
    assert len(inbox(world)) == 4


@pytest.mark.parametrize(
    ("given", "held"),
    [
        (b"one\r\ntwo\r\n", "- one\n- two\n"),
        (b"\xef\xbb\xbf- one\n- two\n", "- one\n- two\n"),
        ("\ufeff一\n二\n".encode("utf-16-le"), "- 一\n- 二\n"),
        ("\ufeff一\n".encode("utf-16-be"), "- 一\n"),
        (b"C:\\Users\\x\\y is the profile\n", "- C:\\Users\\x\\y is the profile\n"),
        (b"one\x00two\n", "- one\x00two\n"),
        (
            b"---\ntarget: rules\ntags: [a, b]\n---\n- one\n",
            "---\nagent: me\ntags:\n- a\n- b\ntarget: rules\n---\n- one\n",
        ),
        (b"- servers:\n  - cedar\n  - birch\n", "- servers: cedar\n- servers: birch\n"),
    ],
)
def test_standard_input_in_any_encoding_of_text_is_taken(run: Run, world: World, given: bytes, held: str) -> None:
    done = run("submit", given=given)
    assert done.returncode == 0, done.stderr
    assert inbox(world) == [held]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (b"", b"nothing to submit"),
        (b"\n\n \n", b"nothing to submit"),
        (b"caf\xe9\n", b"standard input is no UTF-8 text (byte 3); save it as UTF-8"),
        (b'{"a": "\xed\xb2\x8a"}\n', b"is no UTF-8 text (byte 7)"),
        (b"x" * (64 * 1024 + 1), b"standard input has 65,537 bytes, more than 65,536; split it"),
    ],
)
def test_standard_input_that_is_no_submission_is_refused_with_the_reason(
    run: Run, world: World, given: bytes, told: bytes
) -> None:  # F21
    done = run("submit", given=given)
    assert (done.returncode, told in done.stderr) == (1, True), done.stderr
    assert b"Traceback" not in done.stderr and inbox(world) == []


@pytest.mark.skipif(os.name == "nt", reason="arguments are text there")
def test_arguments_that_are_no_text_are_escaped_and_stop_nothing(run: Run, world: World) -> None:  # F21
    assert run("submit", b"bad \xed\xb2\x8a byte").returncode == 0
    assert run("review").returncode == 0
    assert run("search", b"bad \xff").returncode in (0, 1)
    (item,) = world.review().items
    assert run("decide", item.id, "edit", b"worse \xff byte").returncode == 0
    assert run("apply").returncode == 0
    assert world.facts() == ["worse \\udcff byte"]


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("- a bullet", "a bullet"),
        ("-x is a flag of tar", "-x is a flag of tar"),
        ("[x] is how a list is ticked", "[x] is how a list is ticked"),
        ("# is the comment sign", "# is the comment sign"),
        ("git log main ^dev", "git log main ^dev"),
        ("one\ntwo three", "one two three"),
        ("run:\n```sh\nmake lint\n```", "run: make lint"),
        ("a ⏎ b is a sign", "a ⏎ b is a sign"),
        ("x｜内容: y", "x｜内容: y"),
        ("stamped (written 2026-01-02 | source: inbox/a.md)", "stamped"),
        ("印章（写入 2026-01-02｜来源：a.md）", "印章"),
    ],
)
def test_a_fact_of_any_form_goes_through_to_the_note(world: World, word: str, text: str) -> None:
    assert main(["submit", "--target", "rules", "--", word]) == 0
    world.accept_all()
    assert world.facts() == [text]
    world.accept_all()
    assert world.facts() == [text]


def test_apply_exits_1_where_something_is_held_and_0_where_nothing_waits(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert promoter(["--apply"]) == 0
    assert main(["submit", "the build host is cedar", "--target", "env"]) == 0
    assert promoter(["--review"]) == 0
    path = world.vault.pending
    path.write_text(path.read_text().replace("memory/environment.md", "nosuch"))
    assert promoter(["--apply"]) == 1
    assert (
        "held: the build host is cedar: there is no note 'nosuch'; make it, or name one of" in capsys.readouterr().err
    )


def test_a_dry_run_writes_nothing(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    main(["submit", "the build host is cedar", "--target", "env"])
    promoter(["--review"])
    before = {path: path.read_bytes() for path in world.vault.folder.rglob("*") if path.is_file()}
    assert promoter(["--apply", "--dry-run"]) == 0
    assert "would write 1 fact(s)" in capsys.readouterr().out
    assert {path: path.read_bytes() for path in before} == before


def test_a_bug_exits_3_and_names_the_file_to_send_which_holds_no_secret(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import shilu_host.commands.status as status

    secret = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"

    def broken(*_: object) -> int:
        raise RuntimeError(f"unexpected {secret}")

    monkeypatch.setattr(status, "run", broken)
    assert main(["status"]) == 3
    told = capsys.readouterr().err
    log = world.folder / "state" / "shilu.log"
    assert "a bug stopped `status` (RuntimeError); please send" in told and str(log) in told
    assert "RuntimeError: unexpected" in log.read_text() and secret not in log.read_text() + told


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")
@pytest.mark.parametrize(("limit", "told"), [(20_000, "can't be opened"), (40_000, "can't be written")])
def test_a_disk_that_takes_no_more_is_told_as_that_and_not_as_a_bug(world: World, limit: int, told: str) -> None:
    import resource

    for number in range(40):
        world.drop_file(f"notes-{number}.md", f"- cabinet {number} holds the {number * 7}th part\n".encode())
    assert main(["review"]) == 0
    world.vault.pending.write_bytes(world.vault.pending.read_bytes().replace(b"- [ ]", b"- [x]"))

    def full() -> None:  # the most bytes that a file may have
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, "-m", "shilu_host", "apply"]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **places(world)}, check=False, preexec_fn=full
    )
    assert (done.returncode, told in done.stderr) == (1, True), done.stderr
    assert "a bug stopped" not in done.stderr and "space, permissions" in done.stderr
    assert main(["apply"]) == 0


def test_an_interrupt_exits_130(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    import shilu_host.commands.status as status

    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(status, "run", interrupted)
    assert main(["status"]) == 130


def test_a_busy_vault_is_told_with_its_holder_after_the_configured_wait(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SHILU_LOCK_SECONDS", "0")
    (world.vault.folder / ".lock").write_text(f"pid={os.getpid()} token=ab")
    assert promoter(["--apply"]) == 1
    assert (
        f"is being written by process {os.getpid()}; waited 0 s. Try again when it is done" in capsys.readouterr().err
    )


def test_a_copied_vault_is_told_of_once(world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import shutil

    main(["status"])
    shutil.copytree(world.vault.folder, tmp_path / "copy")
    main(["status", "--vault", str(tmp_path / "copy")])
    assert "is a copy of the vault" in capsys.readouterr().err
    main(["status", "--vault", str(tmp_path / "copy")])
    assert "is a copy of the vault" not in capsys.readouterr().err


def test_the_ledger_goes_out_and_in_again(world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["submit", "a line\u2028separator inside", "--target", "rules"])
    world.accept_all()
    file = tmp_path / "out.jsonl"
    assert main(["ledger", "export", str(file)]) == 0
    for path in (world.folder / "state").rglob("ledger.db*"):
        path.unlink()
    assert main(["ledger", "import", str(file)]) == 0
    assert main(["verify"]) == 0
    assert main(["ledger", "import", str(file)]) == 1
    assert "holds history already; move it away first" in capsys.readouterr().err
    file.write_bytes(b"\xff\xfe nonsense")
    assert main(["ledger", "import", str(file)]) == 1
    assert "this is no ledger export" in capsys.readouterr().err


def test_a_corrupt_ledger_is_named_and_left_alone(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.review()
    (ledger,) = (world.folder / "state").rglob("ledger.db")
    for path in ledger.parent.glob("ledger.db-*"):
        path.unlink()
    ledger.write_bytes(b"no database at all" * 100)
    assert main(["status"]) == 1
    assert f"the ledger {ledger} can't be read" in capsys.readouterr().err
    assert ledger.read_bytes() == b"no database at all" * 100


def test_the_whole_way_works_below_a_home_with_blanks_and_chinese(tmp_path: Path) -> None:  # F20
    home = tmp_path / "a b" / "用户"
    home.mkdir(parents=True)
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("SHILU_", "UNIFIED_", "XDG_"))}

    def shilu(*words: str) -> str:
        command = [sys.executable, "-m", "shilu_host", *words]
        done = subprocess.run(
            command, capture_output=True, env={**bare, "HOME": str(home), "USERPROFILE": str(home)}, check=True
        )
        return done.stdout.decode()

    vault = home / "我的 vault"
    assert str(vault) in shilu("init", str(vault), "--lang", "zh")
    shilu("submit", "构建机的地址是 10.0.0.5", "--target", "env")
    shilu("review")
    assert "已写入 1 条" in shilu("apply")
    assert "构建机的地址是 10.0.0.5" in shilu("search", "构建机")
    batch = shilu("log").split()[1]
    assert "已撤销（写入）" in shilu("undo", batch)
    assert "一致：1 篇笔记" in shilu("verify")
    assert list(home.rglob("ledger.db")) != []
