"""One conformance test over the table of harnesses."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path

import pytest
from shilu_setup import detecting, plan, undoing
from shilu_setup.formats.jsonspans import read
from shilu_setup.harnesses import HARNESSES
from shilu_setup.wiring import HOOK_LIMIT_SECONDS, Setting

NAMES = list(HARNESSES)


@pytest.mark.parametrize("name", NAMES)
def test_wiring_twice_is_wiring_once_and_rolling_back_gives_the_same_bytes(
    name: str, setting: Setting, wire, tree
) -> None:
    before = tree(setting.home)
    assert wire(setting, name) is not None
    once = tree(setting.home)
    assert once != before
    assert wire(setting, name) is None
    assert tree(setting.home) == once
    undoing.roll_back(setting.home, None)
    assert tree(setting.home) == before
    assert not setting.home.data.exists()


@pytest.mark.parametrize("name", NAMES)
def test_a_fresh_home_is_wired_with_create_and_left_as_it_was(
    name: str, setting: Setting, tmp_path: Path, wire
) -> None:
    fresh = Setting(type(setting.home)(tmp_path / "fresh home", {}, "linux"), setting.parts)
    fresh.home.path.mkdir()
    assert wire(fresh, name, create=True) is not None
    assert wire(fresh, name, create=True) is None
    undoing.roll_back(fresh.home, None)
    left = [path for path in fresh.home.path.rglob("*") if ".local/state" not in str(path)]
    assert {path.name for path in left} <= {".local"}


@pytest.mark.parametrize("name", NAMES)
def test_what_was_wired_is_detected_with_the_run_that_did_it(name: str, setting: Setting, wire) -> None:
    run = wire(setting, name)
    [found] = detecting.detect(setting, [name])
    states = {file.state for file in found.files if file.path.name != ".claude.json"}
    assert run is not None and states == {"wired"}
    assert {file.by for file in found.files if file.path.name != ".claude.json"} == {run.id}


@pytest.mark.parametrize("name", NAMES)
def test_every_other_entry_stands_as_before(name: str, setting: Setting, wire) -> None:
    before = {path: _values(path) for path in _settings_files(setting, name)}
    wire(setting, name)
    for path, values in before.items():
        assert _without_ours(_values(path)) == _without_ours(values)


@pytest.mark.parametrize("name", NAMES)
def test_the_instruction_section_is_in_the_language_asked_for(name: str, setting: Setting) -> None:
    for wired in HARNESSES[name].wiring(setting).files:
        if wired.format == "markdown":
            assert "共享记忆（实录）" in wired.edits[0].value
            assert "memory_submit" in wired.edits[0].value


@pytest.mark.parametrize("name", NAMES)
def test_the_hook_has_a_limit_in_the_unit_of_its_harness(name: str, setting: Setting, wire) -> None:
    """F17: 10 seconds for each, in seconds or milliseconds; harnesses without command hooks have none."""
    place = HARNESSES[name].hook(setting.home)
    wire(setting, name)
    if place is None:
        assert name in ("dsh", "opencode", "cursor", "mcp")
        return
    [entry] = _ours(read(place.path.read_text(encoding="utf-8")).value["hooks"][place.event], setting)
    assert entry["timeout"] * place.unit == HOOK_LIMIT_SECONDS == 10
    assert entry["timeout"] == (10_000 if name in ("gemini", "qwen") else 10)


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "qwen"])
def test_blanks_and_chinese_in_paths_reach_the_hook_whole(name: str, setting: Setting, wire) -> None:
    """F20: what the shell, or the exec form, hands to Python are the very paths."""
    place = HARNESSES[name].hook(setting.home)
    wire(setting, name)
    assert place is not None
    [entry] = _ours(read(place.path.read_text(encoding="utf-8")).value["hooks"][place.event], setting)
    argv = [entry["command"], *entry["args"]] if "args" in entry else shlex.split(entry["command"])
    client = f"{setting.home.path}/.local/share/shilu/hook.py"
    assert argv == ["/opt/py thon/python3", "-S", "-E", client, "pre-step", "--harness", name]


def test_the_codex_table_reads_as_toml_with_the_server_in_it(setting: Setting, wire) -> None:
    wire(setting, "codex")
    table = tomllib.loads((setting.home.path / ".codex/config.toml").read_text(encoding="utf-8"))
    assert table["mcp_servers"]["shilu"]["args"] == ["-S", "-E", str(setting.parts.mcp)]
    assert table["mcp_servers"]["other"] == {"command": "x"}


def test_a_newer_release_updates_its_entries_and_rolls_back_to_the_older(setting: Setting, wire, tree) -> None:
    wire(setting, *NAMES)
    older = tree(setting.home)
    setting.parts.hook.write_text("print('newer')\n", encoding="utf-8")
    newer = Setting(setting.home, type(setting.parts)(Path("/opt/new/python"), *_rest(setting)), "en")
    run = wire(newer, *NAMES)
    assert run is not None and len(run.files) == 16
    assert wire(newer, *NAMES) is None
    undoing.roll_back(setting.home, run.id)
    assert tree(setting.home) == older


def test_windows_command_lines_are_quoted_the_windows_way(setting: Setting) -> None:
    home = type(setting.home)(setting.home.path, {}, "win32")
    wiring = HARNESSES["codex"].wiring(Setting(home, setting.parts))
    [hooks] = [wired for wired in wiring.files if wired.path.name == "hooks.json"]
    assert hooks.edits[0].value["hooks"][0]["command"].startswith('"/opt/py thon/python3" -S -E "')


def test_a_rival_plug_in_that_owns_the_tool_names_is_named(setting: Setting) -> None:
    profile = setting.home.path / ".dsh/profiles/web/package.json"
    profile.parent.mkdir(parents=True)
    profile.write_text('{"dsh": {"profile": {"bundles": ["dsh-unified-agent-memory"]}}}')
    [found] = detecting.detect(setting, ["dsh"])
    assert found.stopped
    assert "dsh-unified-agent-memory in" in found.findings[-1]


def test_codex_trust_counts_at_the_place_of_our_hook_only(setting: Setting, wire) -> None:
    """A trusted hook of somebody else in the same file says nothing about ours."""
    folder = setting.home.path / ".codex"
    (folder / "hooks.json").write_text('{"hooks": {"UserPromptSubmit": [{"hooks": [{"command": "theirs"}]}]}}')
    wire(setting, "codex")
    config = folder / "config.toml"
    before = config.read_text(encoding="utf-8")
    for place, findings in (("0:0", 1), ("1:0", 0)):
        key = json.dumps(f"{folder}/hooks.json:user_prompt_submit:{place}", ensure_ascii=False)
        config.write_text(f'{before}\n[hooks.state.{key}]\ntrusted_hash = "sha256:1"\n', encoding="utf-8")
        assert len(HARNESSES["codex"].findings(setting)) == findings


def test_opencode_configuration_with_comments_is_edited_under_its_own_name(setting: Setting, wire) -> None:
    folder = setting.home.path / ".config/opencode"
    (folder / "opencode.json").rename(folder / "opencode.jsonc")
    wire(setting, "opencode")
    assert "shilu" in (folder / "opencode.jsonc").read_text(encoding="utf-8")
    assert not (folder / "opencode.json").exists()


@pytest.mark.parametrize(
    ("name", "variable", "folder"),
    [("claude", "CLAUDE_CONFIG_DIR", ".claude"), ("codex", "CODEX_HOME", ".codex"), ("dsh", "DSH_HOME", ".dsh")],
)
def test_a_folder_named_by_the_environment_is_followed_inside_the_home_only(
    setting: Setting, tmp_path: Path, name: str, variable: str, folder: str
) -> None:
    inside, outside = setting.home.path / "dot files", tmp_path / "elsewhere"
    (setting.home.path / folder).rename(inside)
    followed = Setting(type(setting.home)(setting.home.path, {variable: str(inside)}, "linux"), setting.parts)
    assert {file.path.parent for file in detecting.detect(followed, [name])[0].files} >= {inside}
    (setting.home.path / folder).mkdir()
    stray = Setting(type(setting.home)(setting.home.path, {variable: str(outside)}, "linux"), setting.parts)
    [found] = detecting.detect(stray, [name])
    assert f"{variable}={outside} lies outside the home" in found.findings[0]
    assert all(outside not in file.path.parents for file in found.files)


def test_all_targets_together_share_one_hook_client(setting: Setting) -> None:
    planned = plan.make(setting, NAMES, create=False)
    assert [file.path.name for file in planned.files].count("hook.py") == 1


def _rest(setting: Setting) -> tuple[Path, Path, Path, Path]:
    return setting.parts.hook, setting.parts.mcp, setting.parts.dsh, setting.parts.opencode


def _settings_files(setting: Setting, name: str) -> list[Path]:
    files = HARNESSES[name].wiring(setting).files
    return [wired.path for wired in files if wired.format in ("json", "toml")]


def _values(path: Path) -> dict:
    text = path.read_text(encoding="utf-8")
    return tomllib.loads(text) if path.suffix == ".toml" else read(text).value


def _without_ours(value: object) -> object:
    if isinstance(value, dict):
        kept = {key: _without_ours(inner) for key, inner in value.items() if key != "shilu"}
        return {key: inner for key, inner in kept.items() if inner not in ({}, [])}
    if isinstance(value, list):
        return [_without_ours(inner) for inner in value if "shilu/hook.py" not in json.dumps(inner)]
    return value


def _ours(entries: list, setting: Setting) -> list:
    hooks = [hook for entry in entries for hook in entry["hooks"]]
    return [hook for hook in hooks if "shilu/hook.py" in json.dumps(hook, ensure_ascii=False)]
