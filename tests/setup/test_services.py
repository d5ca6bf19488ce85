"""Services: what is written for each system, proved by that system's own reader where it is here."""

from __future__ import annotations

import plistlib
import shlex
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from shilu_setup import installing, uninstalling
from shilu_setup.errors import SetupError
from shilu_setup.folders import Home
from shilu_setup.services import KINDS, cron, usable
from shilu_setup.services.units import Unit

VAULT = '/数据/my 100% "vault" $HOME'
PYTHON = Path("/opt/py thon/python3")
ARGV = [str(PYTHON), "-m", "shilu_host", "daemon", "run", "--vault", VAULT]


@pytest.fixture
def unit(home: Home) -> Unit:
    return Unit(home, PYTHON, VAULT)


def program(home: Home, name: str, script: str) -> Home:
    """The home with a program of that name on its search path: a small one of our own, run for real."""
    folder = home.path / "bin"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (folder / name).chmod(0o755)
    return Home(home.path, {"PATH": f"{folder}:/usr/bin:/bin"}, home.platform)


@pytest.mark.parametrize("name", list(KINDS))
def test_every_kind_writes_only_inside_the_home_and_says_what_it_runs(name: str, unit: Unit) -> None:
    kind = KINDS[name]
    for file in kind.files(unit):
        assert file.ours and file.path.is_relative_to(unit.home.path)
    commands = [*kind.starting(unit), *kind.ending(unit), kind.asking(unit)]
    assert {command.argv[0] for command in commands} == {kind.needs}


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_systemd_reads_the_unit_without_a_word(unit: Unit, tmp_path: Path) -> None:
    real = Unit(unit.home, Path("/bin/true"), VAULT)
    [file] = KINDS["systemd"].files(real)
    path = tmp_path / "shilu.service"
    path.write_text(file.edits[0].value, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "shilu.service" not in done.stderr, done.stderr


def test_systemd_words_are_quoted_and_its_special_characters_doubled(unit: Unit) -> None:
    [file] = KINDS["systemd"].files(unit)
    assert file.path.name == f"{unit.name}.service"
    line = next(line for line in file.edits[0].value.splitlines() if line.startswith("ExecStart="))
    assert line.endswith('"--vault" "/数据/my 100%% \\"vault\\" $$HOME"')
    assert line.startswith('ExecStart="/opt/py thon/python3" "-m"')


def test_the_launch_agent_is_a_property_list_with_the_very_arguments(unit: Unit) -> None:
    [file] = KINDS["launchd"].files(unit)
    entries = plistlib.loads(file.edits[0].value.encode("utf-8"))
    assert entries["ProgramArguments"] == ARGV
    assert entries["RunAtLoad"] is True
    assert file.path.parent == unit.home.path / "Library/LaunchAgents"


def test_the_windows_task_is_ascii_xml_with_the_very_arguments(unit: Unit) -> None:
    windows = Unit(unit.home, Path("C:/py thon/python.exe"), "C:\\用户\\my vault")
    [file] = KINDS["windows"].files(windows)
    assert file.edits[0].value.isascii()
    task = ElementTree.fromstring(file.edits[0].value)
    space = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
    assert [element.text for element in task.iter(f"{space}Command")] == ["C:/py thon/pythonw.exe"]
    [arguments] = [element.text for element in task.iter(f"{space}Arguments")]
    assert arguments == '-m shilu_host daemon run --vault "C:\\用户\\my vault"'


def test_the_cron_lines_reach_the_shell_as_the_very_arguments(unit: Unit) -> None:
    boot, daily = cron.lines(unit)
    assert boot.startswith("@reboot ")
    assert daily.startswith("0 9 * * * ")
    # cron turns \% into %, the shell drops the comment.
    shell = boot.removeprefix("@reboot ").replace("\\%", "%")
    assert shlex.split(shell, comments=True) == ARGV


CRONTAB = """
if [ "$1" = - ]; then cat >"$HOME/table"
elif [ -f "$HOME/table" ]; then cat "$HOME/table"
else echo "no crontab for me" >&2; exit 1
fi"""


def test_cron_lines_come_once_and_go_leaving_the_others_byte_for_byte(home: Home) -> None:
    home = program(home, "crontab", CRONTAB)
    unit, table = Unit(home, PYTHON, VAULT), home.path / "table"
    mine = "# mine\n*/5 * * * * backup # shilu-like\n0 9 * * * x"
    table.write_text(mine, encoding="utf-8")
    assert installing.install(unit, KINDS["cron"]) == "the crontab has our two lines"
    once = table.read_bytes()
    installing.install(unit, KINDS["cron"])
    assert table.read_bytes() == once
    assert installing.installed(unit, KINDS["cron"])
    assert installing.remove(unit, KINDS["cron"]) == "the crontab has no line of ours"
    assert table.read_text(encoding="utf-8") == mine + "\n"


def test_a_user_without_a_crontab_gets_one_of_two_lines(home: Home) -> None:
    home = program(home, "crontab", CRONTAB)
    installing.install(Unit(home, PYTHON), KINDS["cron"])
    assert (home.path / "table").read_text().splitlines() == cron.lines(Unit(home, PYTHON))


def test_systemd_install_and_remove_leave_nothing_behind(home: Home, tree) -> None:
    home = program(home, "systemctl", 'echo "$@" >>"$HOME/../calls"')
    unit, before = Unit(home, PYTHON, VAULT), tree(home)
    said = installing.install(unit, KINDS["systemd"])
    assert said == f"installed with systemd: {home.path}/.config/systemd/user/{unit.name}.service"
    assert installing.installed(unit, KINDS["systemd"]) and installing.running(unit, KINDS["systemd"])
    assert installing.remove(unit, KINDS["systemd"]) == "removed from systemd"
    assert tree(home) == before
    calls = (home.path / "../calls").read_text().splitlines()
    assert calls == [
        "--user daemon-reload",
        f"--user enable --now {unit.name}.service",
        f"--user is-active --quiet {unit.name}.service",
        f"--user disable --now {unit.name}.service",
    ]


def test_uninstalling_asks_for_the_service_to_be_removed_first(home: Home) -> None:
    home = program(home, "systemctl", "exit 0")
    installing.install(Unit(home, PYTHON), KINDS["systemd"])
    with pytest.raises(SetupError, match=r"shilu\.service\); run first: shilu service remove"):
        uninstalling.uninstall(home)
    installing.remove(Unit(home, PYTHON), KINDS["systemd"])
    assert uninstalling.uninstall(home) == []


def test_a_system_that_refuses_leaves_no_file_and_names_the_way_out(home: Home, tree) -> None:
    home = program(home, "systemctl", 'echo "Failed to connect to bus: No medium found" >&2; exit 1')
    before = tree(home)
    with pytest.raises(SetupError) as refused:
        installing.install(Unit(home, PYTHON), KINDS["systemd"])
    assert str(refused.value) == (
        "systemctl --user daemon-reload: failed: Failed to connect to bus: No medium found; "
        "nothing was installed; without it use: service install --kind cron"
    )
    assert tree(home) == before


def test_the_kind_is_what_this_system_has(home: Home) -> None:
    both = program(program(home, "systemctl", "exit 0"), "crontab", "exit 0")
    assert [kind.name for kind in usable(Home(home.path, {"PATH": str(home.path / "bin")}, "linux"))] == [
        "systemd",
        "cron",
    ]
    assert [kind.name for kind in usable(Home(both.path, {"PATH": str(home.path / "bin")}, "darwin"))] == ["cron"]
    assert usable(Home(home.path, {"PATH": "/none"}, "linux")) == []
