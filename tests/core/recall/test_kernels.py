"""What is computed cleverly for speed equals what is computed plainly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shilu_core import entities, words
from shilu_core.embed.quantised import cosines, hamming, nearest_codes
from shilu_core.embed.sidecar import mean_of
from shilu_core.index import traits
from shilu_core.index.field import Match
from shilu_core.recall.fusion import distinct
from shilu_core.recall.streams import lexical
from shilu_core.stopwords import FUNCTION_CHARACTERS

RANDOM = np.random.default_rng(20260101)


@pytest.mark.parametrize("columns", [1, 3, 4, 6, 7])
def test_hamming_over_several_chunks_equals_a_count_bit_by_bit(columns: int) -> None:
    codes = RANDOM.integers(0, 2**63, (columns, 33_000), dtype=np.uint64)
    query = RANDOM.integers(0, 2**63, (columns, 1), dtype=np.uint64)
    plain = np.unpackbits((codes ^ query).view(np.uint8).reshape(columns, -1, 8), axis=2).sum(axis=(0, 2))
    assert hamming(codes, query).tolist() == plain.tolist()


@pytest.mark.parametrize("count", [1, 700, 20_000, 69_999])
@pytest.mark.parametrize("shape", ["even", "all equal", "sorted", "two far groups"])
def test_the_nearest_of_many_are_those_of_a_full_sort(count: int, shape: str) -> None:
    distances = RANDOM.binomial(384, 0.5, 70_000).astype(np.uint16)
    if shape == "all equal":
        distances[:] = 7
    elif shape == "sorted":
        distances.sort()
    elif shape == "two far groups":
        distances[::64] = 3
    limit = np.sort(distances)[count - 1]
    assert nearest_codes(distances, count, 384).tolist() == np.flatnonzero(distances <= limit).tolist()


@pytest.mark.parametrize("count", [0, 1, 255, 256, 700])
def test_cosines_in_pieces_equal_those_at_once(count: int) -> None:
    rows = RANDOM.integers(-127, 128, (count, 96)).astype(np.int8)
    scales, query = RANDOM.random(count, np.float32), RANDOM.standard_normal(96).astype(np.float32)
    whole = np.einsum("ij,j->i", rows.astype(np.float32), query) * scales
    places = RANDOM.permutation(count)[: count // 2]
    assert cosines(rows, scales, query).tolist() == whole.tolist()
    assert cosines(rows, scales, query, places).tolist() == whole[places].tolist()
    mean = (rows.astype(np.float64) * scales[:, None]).sum(axis=0) / max(count, 1)
    assert mean_of(rows, scales) == pytest.approx(mean, abs=1e-3)


@pytest.mark.parametrize("together", [0, 10**9])
def test_postings_added_at_once_or_one_by_one_give_the_same_bytes(
    together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexical, "TOGETHER", together)
    plain = np.zeros(5000, np.float32)
    matches = []
    for size in (1, 0, 900, 4000):
        rows = np.sort(RANDOM.choice(5000, size, replace=False)).astype(np.int32)
        matches.append(Match(rows, RANDOM.random(size, np.float32), float(RANDOM.random() * 9)))
        plain[rows] += np.float32(matches[-1].idf) * matches[-1].weights
    assert lexical.summed(matches, 5000).tobytes() == plain.tobytes()


@given(st.lists(st.lists(st.integers(0, 50), max_size=20), max_size=4))
def test_distinct_rows_are_those_of_a_set(parts: list[list[int]]) -> None:
    assert distinct([np.array(part, np.int32) for part in parts]).tolist() == sorted({row for p in parts for row in p})


MARKS = st.text("aZb9.-_/:#@ 阿老小端口命令“”「」『』[]`~\\portCOMMANDコマ٣K", max_size=30)


@settings(max_examples=300)
@given(MARKS | st.sampled_from(["Port 80", "x:80", "a:٣٣", "COMMANDS", "ｐort", "见 https://a.b/c “云雀” 阿橙 parseHTTP v1.2"]))
def test_what_is_asked_before_a_form_is_tried_never_hides_a_match(text: str) -> None:
    for kind, needed, pattern in entities._PATTERNS:
        assert needed.search(text) or not pattern.search(text), kind
    for needed, pattern in ((traits._HINTS_PORT, traits._PORT), (traits._HINTS_COMMAND, traits._COMMAND)):
        assert needed.search(text) or not pattern.search(text), pattern.pattern


@settings(max_examples=100)
@given(st.text("的了吗在有端口迁移ポート", max_size=9))
def test_characters_and_pairs_are_all_but_those_of_function_characters(run: str) -> None:
    plain = [*run, *(run[i : i + 2] for i in range(len(run) - 1))]
    assert words._pairs(run) == [token for token in plain if not set(token) <= FUNCTION_CHARACTERS]
