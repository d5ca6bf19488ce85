"""The settings in force while the daemon runs: the file is read again once it changed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from shilu_core.errors import UsageError
from shilu_core.settings import Settings, load

Items = tuple[tuple[str, Any], ...]


class LiveSettings:
    """Settings of one daemon, for each combination of what its clients send along; any thread."""

    def __init__(self, file: Path, environment: Mapping[str, str], flags: Mapping[str, str]) -> None:
        self._file, self._environment, self._flags = file, environment, flags
        self.problem = ""  # why the file can't be read, "" if it can

    def settings(self, environment: Mapping[str, str], flags: Mapping[str, str], plugin: Mapping[str, Any]) -> Settings:
        """All layers. A file that is no TOML is left out, and `problem` says so: what it forbids isn't known."""
        return self._load({**self._environment, **environment}, {**self._flags, **flags}, plugin)

    def vault_of_the_file(self) -> str:
        """What the file alone names as the vault."""
        return self._load({}, {}, {}).vault

    def _load(self, environment: Mapping[str, str], flags: Mapping[str, str], plugin: Mapping[str, Any]) -> Settings:
        layers = _items(environment), _items(flags), _items(plugin)
        try:
            found = _settings(self._file, _stamp(self._file), *layers)
        except (UsageError, OSError) as error:
            self.problem = str(error)
            return _settings(None, (0, 0), *layers)
        self.problem = ""
        return found


def _stamp(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)


def _items(values: Mapping[str, Any]) -> Items:
    return tuple(sorted((name, value) for name, value in values.items() if isinstance(value, (str, int, float, bool))))


@lru_cache(maxsize=64)
def _settings(file: Path | None, stamp: tuple[int, int], environment: Items, flags: Items, plugin: Items) -> Settings:
    return load(file, dict(environment), dict(flags), dict(plugin))
