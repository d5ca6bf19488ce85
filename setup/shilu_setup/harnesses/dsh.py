"""DSH: our bundle as a row of `cordis.patch.yml`, section in `AGENTS.md`.

The bundle runs inside the program, bounds itself (DSH has no limit for hooks), and brings the tools, so
there is no
MCP server to add. It declares no peers, since DSH skips bundles whose peer ranges exclude the running
release.
"""

from __future__ import annotations

import json
from pathlib import Path

from shilu_setup.errors import SetupError
from shilu_setup.folders import Home
from shilu_setup.formats import Edit
from shilu_setup.harnesses import parts
from shilu_setup.programs import Presence, look
from shilu_setup.targets import read
from shilu_setup.wiring import FileWiring, Finding, HookPlace, Setting, Wiring

LEAST_NODE = 22
RIVAL = "dsh-unified-agent-memory"
_SHIPPED = (".mjs", ".js", ".json", ".yml", ".md")


def find(home: Home) -> Presence:
    return look(home, "dsh", _folder(home))


def wiring(setting: Setting) -> Wiring:
    folder = _folder(setting.home)
    bundle = _bundle(setting)
    rows = FileWiring(folder / "cordis.patch.yml", "yaml", (Edit((), _row(setting)),))
    return Wiring((*bundle, rows, parts.section(setting, folder / "AGENTS.md")))


def findings(setting: Setting) -> tuple[Finding, ...]:
    return (
        *parts.strayed(setting.home, "DSH_HOME"),
        *parts.old_node(setting.home, "DSH", LEAST_NODE),
        *_rivals(setting.home),
    )


def hook(home: Home) -> HookPlace | None:
    return None


def _folder(home: Home) -> Path:
    return home.folder("DSH_HOME", ".dsh")


def _bundle(setting: Setting) -> tuple[FileWiring, ...]:
    """Every file of the bundle, copied to our data folder, so that an upgrade of the program never breaks
    DSH's boot."""
    source = setting.parts.dsh
    if not source.is_dir():
        raise SetupError(f"{source}: the DSH bundle is missing; install the program again")
    files = sorted(path for path in source.rglob("*") if path.suffix in _SHIPPED and path.is_file())
    target = setting.home.data / "dsh"
    return tuple(parts.copied(path, target / path.relative_to(source)) for path in files)


def _row(setting: Setting) -> str:
    """The row as YAML; its strings are JSON strings, which YAML reads alike in every script."""
    entry = setting.home.data / "dsh" / _entry(setting.parts.dsh)
    config = {"pythonPath": str(setting.parts.python)}
    if setting.parts.vault:
        config["vaultPath"] = setting.parts.vault
    lines = [
        "- insert:",
        "    - id: shilu",
        f"      name: {json.dumps(str(entry), ensure_ascii=False)}",
        "      config:",
    ]
    lines += [f"        {key}: {json.dumps(value, ensure_ascii=False)}" for key, value in config.items()]
    return "\n".join(lines)


def _entry(bundle: Path) -> str:
    """The bundle's module, as its `package.json` names it."""
    try:
        package = json.loads((bundle / "package.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise SetupError(f"{bundle}: its package.json cannot be read; install the program again") from None
    exports = package.get("exports")
    main = exports.get(".") if isinstance(exports, dict) else None
    return str(main or package.get("main") or "index.mjs").removeprefix("./")


def _rivals(home: Home) -> tuple[Finding, ...]:
    """Another memory plug-in that owns our tool names: DSH keeps the first and drops the second's tools."""
    folder = _folder(home)
    places = [
        folder / "cordis.patch.yml",
        *sorted(folder.glob("profiles/*/package.json")),
        *sorted(folder.glob("profiles/*/*.yml")),
    ]
    found = [place for place in places if RIVAL.encode() in (read(place).data or b"")]
    return tuple(
        Finding(
            f"{RIVAL} in {place} owns the tools memory_search, memory_show, ...; take it out first",
            stops=True,
        )
        for place in found
    )
