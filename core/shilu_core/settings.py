"""Settings from plug-in < file < environment < flag, read once at the top and handed down."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shilu_core.errors import UsageError


@dataclass(frozen=True)
class Key:
    """One setting: its name in files and plug-in settings, its environment names (first wins), its bounds."""

    name: str
    default: str | int | bool
    environment: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()


KEYS: tuple[Key, ...] = (
    Key("vaultPath", "", ("SHILU_VAULT", "UNIFIED_MEMORY_VAULT")),
    Key("pythonPath", "", ("UNIFIED_MEMORY_PYTHON",)),
    Key("corePath", "", ("UNIFIED_MEMORY_COREPATH",)),
    Key("agent", "", ("SHILU_AGENT",)),
    Key("language", "", ("SHILU_LANG",), choices=("zh", "en")),  # of texts for people; default: the vault's
    Key("recall", "auto", ("UNIFIED_MEMORY_RECALL",), choices=("auto", "always", "off")),
    Key("recallLimit", 5, low=1, high=20),
    Key("recallMaxChars", 1600, low=200, high=20000),
    Key("recallMinQueryChars", 6, low=0, high=200),
    Key("recallTimeoutMs", 1500, low=100, high=60000),
    Key("recallInstructions", True),
    Key("embedder", "", ("SHILU_EMBEDDER",)),
    Key("lockSeconds", 30, ("SHILU_LOCK_SECONDS",), low=0, high=3600),
)
_BY_NAME = {key.name: key for key in KEYS}
_ALIASES = {"vault": "vaultPath"}


@dataclass(frozen=True)
class Settings:
    """All settings; `clamped` tells which values were out of range, and `origin` where each came from."""

    values: Mapping[str, str | int | bool]
    tables: Mapping[str, Any] = field(default_factory=dict)  # TOML tables such as [promote], as they stand
    clamped: tuple[str, ...] = ()
    origin: Mapping[str, str] = field(default_factory=dict)

    def text(self, name: str) -> str:
        return str(self.values[name])

    def number(self, name: str) -> int:
        return int(self.values[name])

    def is_on(self, name: str) -> bool:
        return bool(self.values[name])

    @property
    def vault(self) -> str:
        return self.text("vaultPath")


def load(
    file: Path | None,
    environment: Mapping[str, str],
    flags: Mapping[str, str] | None = None,
    plugin: Mapping[str, Any] | None = None,
) -> Settings:
    """Reads all layers; raises UsageError for a file that is no TOML, naming file and line."""
    document = _read(file)
    given: dict[str, tuple[Any, str]] = {}
    tables = {name: value for name, value in document.items() if isinstance(value, (dict, list))}
    layers: list[tuple[str, Mapping[str, Any]]] = [
        ("plug-in settings", plugin or {}),
        (str(file), {name: value for name, value in document.items() if name not in tables}),
        ("environment", _from_environment(environment)),
        ("flag", flags or {}),
    ]
    for origin, layer in layers:
        for name, value in layer.items():
            key = _ALIASES.get(name, name)
            if key in _BY_NAME and value not in (None, ""):
                given[key] = (value, origin)
    return _settle(given, tables)


def _settle(given: Mapping[str, tuple[Any, str]], tables: Mapping[str, Any]) -> Settings:
    values: dict[str, str | int | bool] = {}
    clamped: list[str] = []
    for key in KEYS:
        raw, origin = given.get(key.name, (key.default, "default"))
        value, remark = _checked(key, raw)
        values[key.name] = value
        if remark:
            clamped.append(f"{key.name} {raw!r} from {origin}: {remark}")
    return Settings(values, tables, tuple(clamped), {name: origin for name, (_, origin) in given.items()})


def _checked(key: Key, raw: Any) -> tuple[str | int | bool, str]:
    if isinstance(key.default, bool):
        text = str(raw).strip().casefold()
        known = {
            "true": True,
            "1": True,
            "on": True,
            "yes": True,
            "false": False,
            "0": False,
            "off": False,
            "no": False,
        }
        return (known[text], "") if text in known else (key.default, f"no yes or no; {key.default} is used")
    if isinstance(key.default, int):
        return _number(key, raw)
    if not isinstance(raw, str):
        return key.default, f"no text; {key.default or 'nothing'} is used"
    text = raw.strip()
    if key.choices and text not in (*key.choices, key.default):
        return key.default, f"not one of {', '.join(key.choices)}; {key.default} is used"
    return text, ""


def _number(key: Key, raw: Any) -> tuple[int, str]:
    try:
        number = int(float(str(raw).strip()))
    except (ValueError, OverflowError):
        return int(key.default), f"no number; {key.default} is used"
    bounded = min(max(number, key.low), key.high)
    return bounded, "" if bounded == number else f"outside {key.low} to {key.high}; {bounded} is used"


def _from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for key in KEYS:
        value = next((environment[name] for name in key.environment if environment.get(name)), None)
        if value is not None:
            found[key.name] = value
    return found


def _read(file: Path | None) -> dict[str, Any]:
    if file is None or not file.is_file():
        return {}
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"the configuration file {file} is no valid TOML: {error}; mend or move it") from error
