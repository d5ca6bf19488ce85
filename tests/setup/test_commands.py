"""Changes that only the program itself may make (Claude Code's servers), with a small real program in its place."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from shilu_setup import applying, undoing
from shilu_setup.errors import Foreign, SetupError
from shilu_setup.folders import Home
from shilu_setup.journal import Journal
from shilu_setup.wiring import Setting

CLAUDE = """#!{python}
import json, os, sys
path = os.path.join(os.environ["HOME"], ".claude.json")
state = json.load(open(path)) if os.path.exists(path) else {{}}
verb, name = sys.argv[2], sys.argv[5]
with open(os.path.join(os.environ["HOME"], "calls"), "a") as calls:
    print(verb, name, file=calls)
if os.path.exists(os.path.join(os.environ["HOME"], "refuse")):
    sys.exit("Error: not today")
servers = state.setdefault("mcpServers", {{}})
if verb == "add-json":
    if name in servers:
        sys.exit("MCP server already exists")
    servers[name] = json.loads(sys.argv[6])
else:
    del servers[name]
state["numStartups"] = state.get("numStartups", 0) + 1
json.dump(state, open(path, "w"), indent=2)
"""


@pytest.fixture
def claude(setting: Setting) -> Setting:
    """The setting with a `claude` on the search path that edits its own state as the real one does."""
    folder = setting.home.path / "bin"
    folder.mkdir()
    (folder / "claude").write_text(CLAUDE.format(python=sys.executable), encoding="utf-8")
    (folder / "claude").chmod(0o755)
    return replace(setting, home=Home(setting.home.path, {"PATH": str(folder)}, "linux"))


def servers(setting: Setting) -> dict[str, object]:
    return dict(json.loads((setting.home.path / ".claude.json").read_text())["mcpServers"])


def calls(setting: Setting) -> list[str]:
    path = setting.home.path / "calls"
    return path.read_text().splitlines() if path.exists() else []


def test_the_program_adds_the_server_once_and_takes_it_away(claude: Setting, wire) -> None:
    wire(claude, "claude")
    entry = servers(claude)["shilu"]
    assert isinstance(entry, dict)
    assert (entry["type"], entry["command"], entry["alwaysLoad"]) == ("stdio", "/opt/py thon/python3", True)
    assert wire(claude, "claude") is None
    undoing.roll_back(claude.home, None)
    assert servers(claude) == {"other": {"command": "x"}}
    assert calls(claude) == ["add-json shilu", "remove shilu"]


def test_an_older_entry_of_ours_is_taken_out_first(claude: Setting, wire) -> None:
    path = claude.home.path / ".claude.json"
    path.write_text('{"mcpServers": {"shilu": {"command": "old"}}}')
    wire(claude, "claude")
    assert calls(claude) == ["remove shilu", "add-json shilu"]
    assert wire(claude, "claude") is None
    undoing.roll_back(claude.home, None)
    assert servers(claude) == {"shilu": {"command": "old"}}


def test_an_older_entry_comes_back_when_the_newer_is_refused(claude: Setting, wire) -> None:
    path = claude.home.path / ".claude.json"
    path.write_text('{"mcpServers": {"shilu": {"command": "old"}}}')
    program = claude.home.path / "bin/claude"
    program.write_text(
        program.read_text(encoding="utf-8").replace(
            "servers[name] = json", "'alwaysLoad' in sys.argv[6] and sys.exit('no'); servers[name] = json"
        )
    )
    with pytest.raises(SetupError, match="failed with 1: no"):
        wire(claude, "claude")
    assert servers(claude) == {"shilu": {"command": "old"}}


def test_a_program_that_refuses_leaves_every_file_as_it_was(claude: Setting, wire, tree) -> None:
    (claude.home.path / "refuse").write_text("")
    before = tree(claude.home)
    with pytest.raises(SetupError, match="claude mcp add-json: failed with 1: Error: not today"):
        wire(claude, "claude")
    assert {name: digest for name, digest in tree(claude.home).items() if name != "calls"} == before
    assert [run.status for run in Journal(claude.home).runs()] == ["abandoned"]


def test_a_server_that_someone_changed_stops_the_rollback(claude: Setting, wire, tree) -> None:
    wire(claude, "claude")
    path = claude.home.path / ".claude.json"
    path.write_text(path.read_text().replace("stdio", "sse"))
    before = tree(claude.home, without="-")
    with pytest.raises(Foreign, match=r"mcpServers\.shilu was changed since; nothing was rolled back"):
        undoing.roll_back(claude.home, None)
    assert tree(claude.home, without="-") == before


def test_killed_between_the_command_and_the_files_a_second_run_mends_it(claude: Setting, wire, tree) -> None:
    """The child dies at the first rename behind the command, that of a settings file."""
    before = tree(claude.home)
    child = os.fork()
    if child == 0:
        seen = [False]

        def watch(event: str, arguments: tuple) -> None:
            seen[0] = seen[0] or event == "subprocess.Popen"
            if seen[0] and event == "os.rename":
                os._exit(9)

        sys.addaudithook(watch)
        try:
            wire(claude, "claude")
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert "shilu" in servers(claude)
    [mended] = applying.recover(claude.home)
    assert (mended.status, len(mended.files), len(mended.commands)) == ("applied", 0, 1)
    wire(claude, "claude")
    for _ in range(2):
        undoing.roll_back(claude.home, None)
    assert servers(claude) == {"other": {"command": "x"}}
    own = (".claude.json", "calls")
    assert {n: d for n, d in tree(claude.home).items() if n not in own} == {
        n: d for n, d in before.items() if n not in own
    }


def test_without_the_program_the_person_is_told_the_command(setting: Setting) -> None:
    from shilu_setup import plan

    planned = plan.make(setting, ["claude"], create=False)
    assert planned.commands == ()
    assert planned.after[0].startswith(
        "claude is not on the search path; for its tools run: claude mcp add-json -s user shilu '{"
    )


def test_a_home_without_the_file_of_the_program_gets_it_from_the_program(claude: Setting, wire) -> None:
    (claude.home.path / ".claude.json").unlink()
    wire(claude, "claude")
    assert list(servers(claude)) == ["shilu"]
    assert Path(claude.home.path / ".claude.json").stat().st_size > 0
