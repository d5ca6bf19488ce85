"""What is refused: one clear line, the exit code of the design, and nothing changed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from shilu_setup import plan
from shilu_setup.guard import only_one
from shilu_setup.wiring import Setting


@pytest.fixture
def deploy(checkout: Path):
    """The real command line, in a process of its own."""

    def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, str(checkout / "setup" / "deploy.py"), *arguments, "--home", str(home)]
        return subprocess.run(line, capture_output=True, text=True, encoding="utf-8", check=False)

    return run


@pytest.fixture
def refused(setting: Setting, deploy, tree):
    """Asserts that an apply is refused with that code and one line, and changes nothing."""

    def check(code: int, said: str, *arguments: str) -> None:
        before = tree(setting.home, without="-")
        done = deploy(setting.home.path, "apply", *arguments)
        assert said in done.stderr
        assert done.returncode == code
        assert len(done.stderr.strip().splitlines()) == 1
        assert done.stdout == ""
        assert tree(setting.home, without="-") == before

    return check


def test_a_target_outside_the_allow_list(setting: Setting, refused) -> None:
    refused(2, "nor a file on the allow list", "--target", "/etc/passwd")
    refused(2, "nor a file on the allow list", "--target", str(setting.home.path / ".claude.json"))
    refused(2, "nor a file on the allow list", "--target", "emacs")


def test_a_link_that_leads_out_of_the_home(setting: Setting, refused, tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text("{}")
    path = setting.home.path / ".cursor/mcp.json"
    path.unlink()
    path.symlink_to(outside)
    refused(2, f"(a link to {outside}): lies outside the home", "--target", "cursor")
    assert outside.read_text() == "{}"


def test_a_link_inside_the_home_stays_a_link(setting: Setting, wire) -> None:
    path, real = setting.home.path / ".cursor/mcp.json", setting.home.path / "dotfiles.json"
    path.rename(real)
    path.symlink_to(real)
    wire(setting, "cursor")
    assert path.is_symlink()
    assert "shilu" in real.read_text(encoding="utf-8")


def test_links_in_a_circle(setting: Setting, refused) -> None:
    path = setting.home.path / ".cursor/mcp.json"
    path.unlink()
    path.symlink_to(path)
    refused(1, "its links lead in a circle", "--target", "cursor")


def test_a_read_only_file(setting: Setting, refused) -> None:
    path = setting.home.path / ".qwen/settings.json"
    os.chmod(path, 0o400)
    refused(1, "is read-only; make it writable (chmod u+w) and run again", "--target", "qwen")


def test_a_file_that_is_missing_without_create(setting: Setting, refused) -> None:
    (setting.home.path / ".qwen/QWEN.md").unlink()
    refused(1, "QWEN.md: does not exist; add --create to have it made", "--target", "qwen")


def test_a_file_that_is_torn_names_line_and_column(setting: Setting, refused) -> None:
    (setting.home.path / ".qwen/settings.json").write_text('{"a": 1')
    refused(1, "settings.json: not readable as JSON at line 1, column 8", "--target", "qwen")


def test_a_file_that_is_not_utf8(setting: Setting, refused) -> None:
    (setting.home.path / ".qwen/QWEN.md").write_bytes("规则".encode("gb18030"))
    refused(1, "QWEN.md: not UTF-8 at byte 0; it is left alone", "--target", "qwen")


def test_a_place_that_holds_something_else(setting: Setting, refused) -> None:
    (setting.home.path / ".qwen/settings.json").write_text('{"hooks": "none"}')
    refused(1, "hooks holds no object; move it away and run again", "--target", "qwen")


def test_another_process_that_holds_the_lock(setting: Setting, deploy) -> None:
    with only_one(setting.home):
        done = deploy(setting.home.path, "apply", "--target", "cursor")
    assert done.returncode == 1
    assert f"another deployer (process {os.getpid()}) holds" in done.stderr
    assert "shilu" not in (setting.home.path / ".cursor/mcp.json").read_text(encoding="utf-8")


def test_a_home_that_is_not_there(deploy, tmp_path: Path) -> None:
    done = deploy(tmp_path / "no", "detect")
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no such home folder" in done.stderr


def full_disk(tmp_path: Path) -> Path | None:
    """A mounted file system of 256 KB; None where this machine does not let us mount one."""
    folder = tmp_path / "small disk"
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)], capture_output=True, check=False
    )
    return folder if done.returncode == 0 else None


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a small tmpfs")
def test_a_full_disk(setting: Setting, deploy, tree, tmp_path: Path) -> None:
    folder = full_disk(tmp_path)
    if folder is None:
        pytest.skip("this user may not mount a small file system")
    try:
        small = Setting(type(setting.home)(folder, {}, "linux"), setting.parts)
        (folder / ".cursor").mkdir()
        (folder / ".cursor/mcp.json").write_text("{}")
        (folder / "ballast").write_bytes(b"x" * (256 - 8) * 1024)
        _fill(folder)
        before = tree(small.home, without="-")
        done = deploy(folder, "apply", "--target", "cursor")
        assert done.returncode == 1, done.stdout
        assert "the disk is full; nothing was changed" in done.stderr or "cannot be opened" in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
        after = tree(small.home, without="-")
        assert {name: after[name] for name in before} == before
        assert [name for name in after if "/setup/" not in name] == list(before)
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_text_in_a_document_is_never_run(setting: Setting, wire, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    path = setting.home.path / ".qwen/QWEN.md"
    path.write_text(f"$(touch {mark}) `touch {mark}`\n!js require('fs').writeFileSync('{mark}', '')\n")
    wire(setting, "qwen")
    assert not mark.exists()


def test_canonical_notes_archives_and_credentials_are_on_no_list(setting: Setting) -> None:
    planned = plan.make(setting, ["dsh", "claude", "codex", "gemini", "qwen", "opencode", "cursor", "mcp"], create=True)
    names = {file.path.name for file in planned.files}
    assert names == {
        "hook.py", "settings.json", "CLAUDE.md", "hooks.json", "config.toml", "AGENTS.md", "GEMINI.md",
        "QWEN.md",
        "opencode.json", "shilu.js", "mcp.json", "cordis.patch.yml", "package.json", "index.mjs",
    }  # fmt: skip


def _fill(folder: Path) -> None:
    """Every last block of it."""
    with pytest.raises(OSError), (folder / "more").open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 512)
