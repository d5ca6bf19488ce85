"""Every test runs with a home of its own: the person's real one is out of reach."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run, so that what stands is green everywhere; `--hypothesis-profile=search` looks for others.
settings.register_profile("same", derandomize=True)
settings.register_profile("search", derandomize=False)
settings.load_profile("same")


@pytest.fixture(autouse=True)
def _home_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path_factory.mktemp("home")
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name in (
        "SHILU_VAULT",
        "UNIFIED_MEMORY_VAULT",
        "SHILU_CONFIG",
        "SHILU_STATE_DIR",
        "SHILU_CACHE_DIR",
        "SHILU_NOW",
    ):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def project() -> Path:
    return Path(__file__).resolve().parents[1]


SLOW_FILES = frozenset(
    {
        "test_exactly_once.py",
        "test_races.py",
        "test_conformance.py",
        "test_rolling_back.py",
        "test_laws.py",
        "test_old_commands.py",
        "test_crash.py",
        "test_stress.py",
        "test_together.py",
        "test_command_line.py",
        "test_clockwork.py",
    }
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the files that take long as slow, so that the run against the wheel can leave them out."""
    for item in items:
        if item.path.name in SLOW_FILES:
            item.add_marker(pytest.mark.slow)
