"""Rolling back: the same bytes, or exactly what others changed; refused where our value is no longer ours."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import tomlkit
from shilu_setup import applying, undoing
from shilu_setup.errors import Foreign, SetupError
from shilu_setup.formats.jsonspans import read
from shilu_setup.journal import Journal
from shilu_setup.wiring import Setting

ALL = ("dsh", "claude", "codex", "gemini", "qwen", "opencode", "cursor")


def test_a_file_that_its_program_rewrote_keeps_the_rewrite_without_our_entries(setting: Setting, wire) -> None:
    path = setting.home.path / ".gemini/settings.json"
    before = read(path.read_text(encoding="utf-8")).value
    wire(setting, "gemini")
    rewritten = {**read(path.read_text(encoding="utf-8")).value, "theme": "dark"}
    path.write_text(json.dumps(rewritten, indent=2) + "\n", encoding="utf-8")
    undoing.roll_back(setting.home, None)
    assert path.read_text(encoding="utf-8") == json.dumps({**before, "theme": "dark"}, indent=2) + "\n"


def test_a_table_that_codex_added_behind_ours_stays_as_codex_wrote_it(setting: Setting, wire) -> None:
    path = setting.home.path / ".codex/config.toml"
    before = path.read_text(encoding="utf-8")
    wire(setting, "codex")
    document = tomlkit.parse(path.read_text(encoding="utf-8"))
    document["hooks"] = {"state": {"a b:0:0": {"trusted_hash": "sha256:1"}}}
    path.write_text(tomlkit.dumps(document), encoding="utf-8")
    undoing.roll_back(setting.home, None)
    after = path.read_text(encoding="utf-8")
    assert tomlkit.parse(after).unwrap() == {
        **tomlkit.parse(before).unwrap(),
        "hooks": document["hooks"].unwrap(),
    }
    assert after.startswith(before)
    assert "shilu" not in after


@pytest.mark.parametrize(
    ("file", "ours", "theirs"),
    [
        (".claude/settings.json", '"timeout": 10', '"timeout": 3'),
        (".codex/config.toml", '"approve"', '"prompt"'),
        (".dsh/cordis.patch.yml", "pythonPath", "python_path"),
        (".qwen/QWEN.md", "不提交秘密", "可以提交秘密"),
    ],
)
def test_a_value_of_ours_that_someone_changed_is_refused_with_the_difference(
    setting: Setting, wire, tree, file: str, ours: str, theirs: str
) -> None:
    wire(setting, *ALL)
    path = setting.home.path / file
    path.write_bytes(path.read_bytes().replace(ours.encode(), theirs.encode()))
    before = tree(setting.home, without="-")
    with pytest.raises(Foreign) as refused:
        undoing.roll_back(setting.home, None)
    assert file in str(refused.value)
    assert "nothing was rolled back" in str(refused.value)
    assert any(line.startswith("-") and ours in line for line in str(refused.value).splitlines())
    assert any(line.startswith("+") and theirs in line for line in str(refused.value).splitlines())
    assert tree(setting.home, without="-") == before


def test_an_entry_that_someone_took_out_already_is_no_obstacle(setting: Setting, wire, tree) -> None:
    before = tree(setting.home)
    wire(setting, "cursor")
    (setting.home.path / ".cursor/mcp.json").write_bytes(b'{"mcpServers": {"a": {"command": "b"}}}')
    undoing.roll_back(setting.home, None)
    assert tree(setting.home) == before


def test_a_file_that_we_made_and_someone_added_to_stays_with_the_addition(setting: Setting, wire) -> None:
    path = setting.home.path / ".codex/hooks.json"
    path.unlink()
    wire(setting, "codex", create=True)
    value = read(path.read_text(encoding="utf-8")).value
    value["hooks"]["Stop"] = []
    path.write_text(json.dumps(value), encoding="utf-8")
    undoing.roll_back(setting.home, None)
    assert json.loads(path.read_text(encoding="utf-8")) == {"hooks": {"Stop": []}}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_runs_are_taken_back_in_any_order_and_the_client_stays_while_one_needs_it(
    setting: Setting, wire, tree, order: tuple[int, int, int]
) -> None:
    before = tree(setting.home)
    runs = [wire(setting, name) for name in ("claude", "codex", "gemini")]
    for count, index in enumerate(order, start=1):
        assert (setting.home.data / "hook.py").exists()
        undoing.roll_back(setting.home, runs[index].id)
        assert (setting.home.data / "hook.py").exists() is (count < 3)
    assert tree(setting.home) == before


def test_a_run_that_does_not_stand_is_refused_by_name(setting: Setting, wire) -> None:
    run = wire(setting, "cursor")
    undoing.roll_back(setting.home, run.id)
    with pytest.raises(SetupError, match=r"does not stand \(rolled-back\)"):
        undoing.roll_back(setting.home, run.id)
    with pytest.raises(SetupError, match=r"20200101: there is no such run; those that stand: none"):
        undoing.roll_back(setting.home, "20200101")


def test_a_damaged_backup_is_not_restored(setting: Setting, wire) -> None:
    wire(setting, "cursor")
    [backup] = (setting.home.state / "setup/backups").rglob("*mcp.json")
    backup.write_bytes(b"{}")
    with pytest.raises(SetupError, match="the backup is damaged; nothing was rolled back"):
        undoing.roll_back(setting.home, None)


def test_backups_and_journal_are_for_the_owner_only(setting: Setting, wire) -> None:
    wire(setting, *ALL)
    files = [path for path in (setting.home.state / "setup").rglob("*") if path.is_file()]
    assert {oct(path.stat().st_mode & 0o777) for path in files if path.name != "lock"} == {"0o600"}
    assert len(files) == 15


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_of_an_edited_file_stays(setting: Setting, wire) -> None:
    path = setting.home.path / ".qwen/settings.json"
    os.chown(path, 1234, 1234)
    wire(setting, "qwen")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 1234)


def test_permission_bits_of_an_edited_file_stay(setting: Setting, wire) -> None:
    path = setting.home.path / ".qwen/settings.json"
    os.chmod(path, 0o640)
    wire(setting, "qwen")
    assert path.stat().st_mode & 0o777 == 0o640
    undoing.roll_back(setting.home, None)
    assert path.stat().st_mode & 0o777 == 0o640


def in_child_killed_at(step: int, action) -> bool:
    """Runs the action in a child process that dies at its n-th file operation; True where it lived."""
    import sys

    child = os.fork()
    if child == 0:
        left = [step]

        def count(event: str, arguments: tuple) -> None:
            writes = event == "open" and len(arguments) > 2 and isinstance(arguments[2], int) and arguments[2] & 3
            if writes or event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod"):
                left[0] -= 1
                if left[0] == 0:
                    os._exit(9)

        sys.addaudithook(count)
        try:
            action()
            os._exit(0)
        finally:
            os._exit(1)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, 9)
    return status == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_every_file_step_of_an_apply_a_second_one_mends_it(
    setting: Setting, wire, tree, tmp_path: Path
) -> None:
    targets = ("codex",)
    before = tree(setting.home)
    wire(setting, *targets)
    after = tree(setting.home)
    undoing.roll_back(setting.home, None)
    for step in range(1, 200):
        lived = in_child_killed_at(step, lambda: wire(setting, *targets))
        found = {name: digest for name, digest in tree(setting.home).items() if ".shilu-" not in name}
        assert all(digest in (before.get(name), after.get(name)) for name, digest in found.items())
        assert set(before) <= set(found)
        applying.recover(setting.home)
        assert _journal_is_true(setting)
        wire(setting, *targets)
        assert tree(setting.home) == after
        _roll_back_all(setting)
        assert tree(setting.home) == before
        if lived:
            break
    assert lived and step > 30


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_every_file_step_of_a_rollback_a_second_one_ends_it(setting: Setting, wire, tree) -> None:
    targets = ("codex",)
    before = tree(setting.home)
    for step in range(1, 200):
        run = wire(setting, *targets)
        lived = in_child_killed_at(step, lambda run=run: undoing.roll_back(setting.home, run.id))
        if not lived:
            undoing.roll_back(setting.home, run.id)
        for left in setting.home.path.rglob("*.shilu-*.tmp"):
            assert ".local/state" in str(left), left
        assert tree(setting.home) == before
        if lived:
            break
    assert lived and step > 15


def _roll_back_all(setting: Setting) -> None:
    while any(run.standing for run in Journal(setting.home).runs()):
        undoing.roll_back(setting.home, None)


def _journal_is_true(setting: Setting) -> bool:
    """Whether every file of a standing run holds what the journal says."""
    from shilu_setup.targets import digest

    standing = [run for run in Journal(setting.home).runs() if run.standing]
    return all(digest(Path(file.path).read_bytes()) == file.after for run in standing for file in run.files)


def test_uninstalling_leaves_nothing_behind(setting: Setting, wire, tree) -> None:
    from shilu_setup import uninstalling

    before = tree(setting.home, without="-")
    folders = sorted(path for path in setting.home.path.rglob("*") if path.is_dir())
    for name in ("claude", "codex", "mcp", "opencode"):
        wire(setting, name)
    assert len(uninstalling.uninstall(setting.home)) == 4
    uninstalling.sweep(setting.home)
    assert tree(setting.home, without="-") == before
    assert sorted(path for path in setting.home.path.rglob("*") if path.is_dir()) == folders


def test_uninstalling_leaves_the_ledger_and_the_vault_alone(setting: Setting, wire) -> None:
    from shilu_setup import uninstalling

    wire(setting, "cursor")
    ledger = setting.home.state / "0123" / "ledger.sqlite"
    ledger.parent.mkdir()
    ledger.write_bytes(b"x")
    uninstalling.uninstall(setting.home)
    uninstalling.sweep(setting.home)
    assert [path for path in setting.home.state.rglob("*") if path.is_file()] == [ledger]
