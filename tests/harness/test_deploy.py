"""The deployer in real homes: wired, a real turn with recall, wired again, rolled back to the same bytes.

Home and vault stand under a path with blanks and Chinese characters (F20).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from shilu_setup.formats.jsonspans import read as read_json

QUESTION = "数据库备份放在哪台服务器的哪个路径？"
FACT = "数据库备份在 cedar 的 /volume1/backup/pg"
NODE = "node22/node_modules/node/bin"

LAUNCH: dict[str, tuple[str, ...]] = {
    "dsh": ("dsh/node_modules/.bin/dsh", "--profile", "headless", QUESTION),
    "claude": ("claude/node_modules/.bin/claude", "-p", QUESTION, "--output-format", "json"),
    "codex": ("codex/node_modules/.bin/codex", "exec", "--skip-git-repo-check", QUESTION),
    "gemini": ("gemini/node_modules/.bin/gemini", "--skip-trust", "-p", QUESTION),
    "qwen": ("qwen/node_modules/.bin/qwen", "-p", QUESTION),
    "opencode": ("opencode/node_modules/.bin/opencode", "run", QUESTION),
}
"""How each program answers one question without a terminal."""

TOOL = {
    "dsh": "memory_search",
    "claude": "mcp__shilu__memory_search",
    "codex": "mcp__shilu",
    "gemini": "mcp_shilu_memory_search",
    "qwen": "",  # hidden behind its tool search
    "opencode": "shilu_memory_search",
}
"""The name of our search in the program's request."""

OTHER_HOOK = '{"hooks": [{"type": "command", "command": "true", "timeout": 5}]}'
CODEX = """# mine
model = "mock-model" # keep
model_provider = "mock"

[model_providers.mock]
name = "mock"
base_url = "http://127.0.0.1:@PORT@/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
request_max_retries = 0
stream_max_retries = 0
"""
OPENCODE = """{
  // the fake model
  "provider": {"mock": {"npm": "@ai-sdk/openai-compatible", "models": {"mock-model": {}},
    "options": {"baseURL": "http://127.0.0.1:@PORT@/v1", "apiKey": "dummy"}}},
  "model": "mock/mock-model",
}
"""

FRESH: dict[str, dict[str, str]] = {
    "dsh": {},
    "claude": {},
    "codex": {".codex/config.toml": CODEX},
    "gemini": {".gemini/settings.json": '{"security": {"auth": {"selectedType": "gemini-api-key"}}}'},
    "qwen": {".qwen/settings.json": '{"security": {"auth": {"selectedType": "openai"}}}'},
    "opencode": {".config/opencode/opencode.json": OPENCODE},
}
"""What a program needs before its first run; everything else is made by `--create`."""

RICH: dict[str, dict[str, str]] = {
    "dsh": {
        ".dsh/cordis.patch.yml": "# my rows\n[]\n",
        ".dsh/AGENTS.md": "# 我的规则\r\n\r\n- 用中文\r\n",
    },
    "claude": {
        ".claude/settings.json": '{\r\n\t"env": {"A": "1"},\r\n\t"hooks": {\r\n\t\t"UserPromptSubmit": ['
        + OTHER_HOOK
        + "]\r\n\t}\r\n}\r\n",
        ".claude/CLAUDE.md": "# 我的规则\r\n- 用中文",
    },
    "codex": {
        ".codex/config.toml": CODEX + '\n[mcp_servers.other] # off\ncommand = "true"\nenabled = false\n',
        ".codex/hooks.json": '{"hooks": {"Stop": [' + OTHER_HOOK + "]}}",
        ".codex/AGENTS.md": "# Mine\n",
    },
    "gemini": {
        ".gemini/settings.json": '{\n  // mine\n  "security": {"auth": {"selectedType": "gemini-api-key"}},\n'
        '  "hooks": {"BeforeAgent": [{"matcher": "*", "hooks": [{"type": "command", "command": "true"}]}]}\n}\n',
        ".gemini/GEMINI.md": "# Mine\r\n",
    },
    "qwen": {
        ".qwen/settings.json": '{\r\n    "security": {"auth": {"selectedType": "openai"}},\r\n    "hooks": {"Stop": ['
        + OTHER_HOOK
        + "]}\r\n}\r\n",
        ".qwen/QWEN.md": "",
    },
    "opencode": {
        ".config/opencode/opencode.json": OPENCODE,
        ".config/opencode/AGENTS.md": "# Mine\n\n\n",
    },
}
"""A person's own files: comments, other hooks, other servers, CRLF, tabs, no final newline."""

FOREIGN: dict[str, tuple[str, ...]] = {
    "claude": ("claude/node_modules/.bin/claude", "mcp", "add", "-s", "user", "later", "--", "true"),
    "codex": ("codex/node_modules/.bin/codex", "mcp", "add", "later", "--", "true"),
    "gemini": ("gemini/node_modules/.bin/gemini", "mcp", "add", "-s", "user", "later", "true"),
    "qwen": ("qwen/node_modules/.bin/qwen", "mcp", "add", "-s", "user", "later", "true"),
}
"""A change that the program itself makes to its settings between apply and rollback."""

NAMES = list(LAUNCH)
EACH = [pytest.param(name, marks=pytest.mark.needs(name)) for name in NAMES]


class Place:
    """One home of one program, with the fake model and the daemon of the stage."""

    def __init__(self, stage: Any, name: str) -> None:
        self.stage = stage
        self.name = name
        self.home: Path = stage.home
        root = Path(os.environ["HARNESS_HOME"])
        bins = [root / NODE, (root / LAUNCH[name][0]).parent]
        self.root = root
        self.path = ":".join([*map(str, bins), "/usr/local/bin", "/usr/bin", "/bin"])

    def fill(self, files: dict[str, str]) -> None:
        self.stage.home.joinpath(f".{self.name}").mkdir(exist_ok=True)
        for name, text in files.items():
            target = self.home / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.replace("@PORT@", str(self.stage.port)).encode("utf-8"))

    def program(self, *argv: str) -> subprocess.CompletedProcess[str]:
        url = f"http://127.0.0.1:{self.stage.port}"
        environment = {
            "HOME": str(self.home), "PATH": self.path, "TERM": "dumb",
            "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "dummy-key",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1",
            "DEEPSEEK_API_KEY": "sk-dummy", "DEEPSEEK_BASE_URL": url, "DSH_TELEMETRY_DISABLED": "1",
            "GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": url, "MOCK_KEY": "dummy",
            "OPENAI_API_KEY": "dummy", "OPENAI_MODEL": "mock-model", "OPENAI_BASE_URL": f"{url}/v1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        }  # fmt: skip
        done = subprocess.run(
            [str(self.root / argv[0]), *argv[1:]], env=environment, cwd=self.stage.folder / "project",
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    def deploy(self, *arguments: str, code: int = 0) -> str:
        line = [self.stage.python, str(self.stage.root / "setup/deploy.py"), *arguments]
        line += ["--target", self.name, "--vault", str(self.stage.vault), "--lang", "zh"]
        environment = {**self.stage.environment, "HOME": str(self.home), "PATH": self.path}
        done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def bytes_of(self) -> dict[str, bytes]:
        """Every file that the deployer may touch, and its folders' other plain files."""
        names = {*FRESH[self.name], *RICH[self.name], *_MADE[self.name]}
        files = [self.home / name for name in sorted(names)]
        return {str(file.relative_to(self.home)): file.read_bytes() for file in files if file.is_file()}

    def said(self) -> str:
        return json.dumps([body for body in self.stage.requests() if body], ensure_ascii=False)


_MADE: dict[str, tuple[str, ...]] = {
    "dsh": (".dsh/cordis.patch.yml", ".dsh/AGENTS.md"),
    "claude": (".claude/settings.json", ".claude/CLAUDE.md"),
    "codex": (".codex/hooks.json", ".codex/config.toml", ".codex/AGENTS.md"),
    "gemini": (".gemini/settings.json", ".gemini/GEMINI.md"),
    "qwen": (".qwen/settings.json", ".qwen/QWEN.md"),
    "opencode": (".config/opencode/AGENTS.md", ".config/opencode/plugins/shilu.js"),
}


@pytest.fixture
def place(stage: Any, tmp_path: Path, request: pytest.FixtureRequest, program: str) -> Iterator[Place]:
    """The stage under a path that a shell would split and an old program would garble."""
    folder = tmp_path / "a b" / "用户"
    for name in ("home", "project"):
        (folder / name).mkdir(parents=True)
    vault = folder / "云杉 vault"
    shutil.copytree(stage.vault, vault)
    environment = {**stage.environment, "HOME": str(folder / "home")}
    made = type(stage)(folder, vault, environment, stage.log, stage.port)
    made.start_daemon()
    yield Place(made, program)
    made.end()


def trust_hooks(place: Place) -> None:
    """What a person does with /hooks in Codex, through Codex's own server."""
    from shilu_setup.codexhooks import Server

    with Server(
        place.root / LAUNCH["codex"][0], {"HOME": str(place.home), "PATH": place.path, "MOCK_KEY": "x"}
    ) as server:
        hooks = server.hooks(place.stage.folder / "project")
        value = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in hooks}
        edits = [{"keyPath": "hooks.state", "value": value, "mergeStrategy": "upsert"}]
        server.call("config/batchWrite", {"edits": edits, "reloadUserConfig": True})


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("files", [FRESH, RICH], ids=["fresh home", "rich home"])
def test_wired_asked_wired_again_and_rolled_back(place: Place, name: str, files: dict[str, dict[str, str]]) -> None:
    place.fill(files[name])
    before = place.bytes_of()
    assert [row["wired"] for row in json.loads(place.deploy("detect", "--json"))] == [False]
    assert "shilu" in place.deploy("preview", "--create")
    assert place.bytes_of() == before
    place.deploy("apply", "--create")
    if name == "codex":
        assert "FAIL  codex     hook is trusted: not trusted yet: start codex" in place.deploy("selfcheck", code=1)
        trust_hooks(place)
    place.program(*LAUNCH[name])
    wired = place.bytes_of()
    assert FACT in place.said()
    assert TOOL[name] in place.said()
    assert place.deploy("apply", "--create").startswith("nothing to do")
    assert place.bytes_of() == wired
    assert "FAIL" not in place.deploy("selfcheck")
    place.deploy("rollback")
    assert kept(name, place.bytes_of()) == kept(name, before)


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.needs(name)) for name in FOREIGN])
def test_what_the_program_itself_changed_in_between_is_kept(place: Place, name: str) -> None:
    place.fill(RICH[name])
    place.deploy("apply", "--create")
    place.program(*FOREIGN[name])
    place.deploy("rollback")
    after = {path: parsed(path, data) for path, data in settings_of(place).items()}
    shutil.rmtree(place.home / f".{name}")
    (place.home / ".claude.json").unlink(missing_ok=True)
    place.fill(RICH[name])
    place.program(*FOREIGN[name])
    alone = {path: parsed(path, data) for path, data in settings_of(place).items()}
    assert after == alone
    assert "later" in json.dumps(alone)


def settings_of(place: Place) -> dict[str, bytes]:
    """The settings files, and of Claude's own state the servers."""
    files = place.bytes_of()
    if (place.home / ".claude.json").exists():
        servers = json.loads((place.home / ".claude.json").read_bytes()).get("mcpServers", {})
        files[".claude.json"] = json.dumps(servers).encode()
    return files


def parsed(path: str, data: bytes) -> Any:
    text = data.decode("utf-8")
    if path.endswith(".json"):
        return read_json(text).value
    return tomllib.loads(text) if path.endswith(".toml") else text


def kept(name: str, files: dict[str, bytes]) -> Any:
    """The bytes. Of three files the values, without what program or person wrote there, which is kept: Codex's
    record of trust, the version that Qwen and the schema that OpenCode add to their settings at a start."""
    own = {
        "codex": (".codex/config.toml", {"hooks", "projects"}),
        "qwen": (".qwen/settings.json", {"$version"}),
        "opencode": (".config/opencode/opencode.json", {"$schema"}),
    }
    if name not in own:
        return files
    path, keys = own[name]
    value = parsed(path, files[path])
    return {**files, path: {key: inner for key, inner in value.items() if key not in keys}}


SLEEPER = """import time
open({mark!r}, "a").close()
time.sleep(60)
open({mark!r} + ".late", "a").close()
print("LATE")
"""


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.needs(n)) for n in ("claude", "codex", "gemini", "qwen")]
)
def test_a_sleeping_hook_is_cut_at_the_limit_that_was_written(place: Place, name: str) -> None:
    """F17: our very entry, with a client that sleeps for a minute in place of ours."""
    place.fill(RICH[name])
    place.deploy("apply", "--create")
    mark = place.stage.folder / "slept"
    (place.home / ".local/share/shilu/hook.py").write_text(SLEEPER.format(mark=str(mark)), encoding="utf-8")
    if name == "codex":
        trust_hooks(place)
    place.program(*LAUNCH[name])
    assert mark.exists()
    assert not Path(f"{mark}.late").exists()
    assert "LATE" not in place.said()
    assert QUESTION in place.said()
