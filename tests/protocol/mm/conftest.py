"""What the tests of mm share: a root in a folder with a Chinese name, and a clock that stands."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from shilu_host.mm import Memory, Options

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
Opener = Callable[..., Memory]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "记忆 root"


@pytest.fixture
def ensure(root: Path, tmp_path: Path) -> Opener:
    """Opens the root, with options where given."""

    def opened(**options: object) -> Memory:
        chosen = Options(root=str(root), **options)  # type: ignore[arg-type]
        return Memory.ensure(chosen, environment={"DSH_HOME": str(tmp_path / "dsh")}, clock=lambda: NOON)

    return opened
