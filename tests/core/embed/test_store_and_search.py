"""Vectors kept, found again, exact and by sign bits; files cut, gone or foreign at any moment."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest
from shilu_core.embed.quantised import cosines, hamming, nearest_codes, quantise, sign_codes
from shilu_core.embed.search import RowVectors
from shilu_core.embed.store import VectorStore, counts, keys_of
from shilu_core.embed.vectors import Vectors, normalised

WIDTH = 96


def clustered(count: int, seed: int = 7) -> Vectors:
    """Unit vectors in clusters of about ten, with a common direction, as an uncentred model gives them."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(max(count // 10, 1), WIDTH))
    noise = random.normal(size=(count, WIDTH))
    found = centres[random.integers(0, len(centres), count)] + 0.6 * noise + 1.0
    return normalised(found.astype(np.float32))


def texts(count: int, word: str = "line") -> list[str]:
    return [f"{word} {number}" for number in range(count)]


@pytest.fixture
def store(tmp_path: Path) -> VectorStore:
    return VectorStore(tmp_path, "model:a:raw", WIDTH)


def filled(store: VectorStore, count: int) -> Vectors:
    vectors = clustered(count)
    store.add(texts(count), vectors)
    return vectors


def rows_of(store: VectorStore, count: int, exact: int = 5000) -> RowVectors:
    rows = RowVectors(store, exact=exact)
    rows.bind(keys_of(texts(count)))
    return rows


def test_eight_bits_keep_the_vector() -> None:
    vectors = clustered(50)
    rows, scales = quantise(vectors)
    assert rows.dtype == np.int8
    assert float(np.abs(rows * scales[:, None] - vectors).max()) < 0.005


def test_zero_vectors_are_kept_as_zeros() -> None:
    rows, scales = quantise(np.zeros((1, WIDTH), np.float32))
    assert not rows.any() and np.isfinite(scales).all()


def test_hamming_counts_differing_signs() -> None:
    rows = np.array([[1.0] * 70, [-1.0] * 70, [1.0] * 69 + [-1.0]], np.float32)
    codes = sign_codes(rows)
    assert codes.shape == (2, 3)
    assert hamming(codes, sign_codes(rows[:1])).tolist() == [0, 70, 1]


def test_nearest_codes_keep_all_ties_of_the_last_place() -> None:
    distances = np.array([3, 1, 2, 2, 9], np.uint16)
    assert nearest_codes(distances, 2, 96).tolist() == [1, 2, 3]
    assert nearest_codes(distances, 9, 96).tolist() == [0, 1, 2, 3, 4]


def test_cosines_of_all_rows_equal_those_of_named_places() -> None:
    rows, scales = quantise(clustered(40))
    query = clustered(1, seed=3)[0]
    assert np.allclose(cosines(rows, scales, query)[[5, 9]], cosines(rows, scales, query, np.array([5, 9])))


def test_exact_search_ranks_as_float_cosines_do(store: VectorStore) -> None:
    vectors = filled(store, 300)
    found, scores = rows_of(store, 300).search(vectors[17], 5)
    assert found[0] == 17 and scores[0] == pytest.approx(1, abs=0.01)
    assert set(found) <= set(np.argsort(-(vectors @ vectors[17]))[:8])


def test_sign_bits_find_the_same_ten_as_exact_search(store: VectorStore) -> None:
    vectors = filled(store, 6000)
    rows = rows_of(store, 6000)
    kept = [
        len(set(rows.search(vectors[number], 10)[0]) & set(np.argsort(-(vectors @ vectors[number]))[:10]))
        for number in range(0, 6000, 300)
    ]
    assert store.path.with_name("search-model_a_raw.bin").exists()
    assert sum(kept) / len(kept) > 9


def test_rows_of_one_text_share_a_vector_and_rows_without_one_are_left_out(store: VectorStore) -> None:
    vectors = filled(store, 3)
    rows = RowVectors(store)
    rows.bind(keys_of(["line 1", "other", "line 1", "line 0"]))
    found, _ = rows.search(vectors[1], 2)
    assert found.tolist() == [0, 2]
    assert len(rows) == 3
    assert np.isnan(rows.scores(vectors[1], np.array([1, 77], np.int32))).all()


def test_vectors_added_later_are_found_after_refresh(store: VectorStore) -> None:
    vectors = filled(store, 200)
    rows = rows_of(store, 201, exact=50)
    store.add(["line 200"], -vectors[:1])
    assert rows.refresh() and not rows.refresh()
    assert rows.search(-vectors[0], 1)[0].tolist() == [200]
    assert rows.search(vectors[9], 1)[0].tolist() == [9]


def test_removed_vectors_are_gone_after_refresh(store: VectorStore) -> None:
    vectors = filled(store, 200)
    rows = rows_of(store, 200, exact=50)
    assert store.forget_others(keys_of(texts(100))) == 100
    rows.refresh()
    assert len(rows) == 100
    assert rows.search(vectors[150], 1)[0][0] < 100


def test_an_empty_store_finds_nothing(store: VectorStore) -> None:
    rows = rows_of(store, 5)
    found, scores = rows.search(clustered(1)[0], 5)
    assert (len(rows), len(found), len(scores)) == (0, 0, 0)


@pytest.mark.parametrize("damage", ["cut", "gone", "foreign", "empty"])
def test_a_damaged_search_file_changes_no_answer(store: VectorStore, damage: str) -> None:
    vectors = filled(store, 400)
    before = rows_of(store, 400, exact=50)
    expected = before.search(vectors[3], 5)[0].tolist()
    path = store.path.with_name("search-model_a_raw.bin")
    if damage == "cut":
        with path.open("r+b") as stream:
            stream.truncate(70_000)
        assert before.search(vectors[3], 5)[0].tolist() == expected
    elif damage == "gone":
        path.unlink()
    else:
        path.write_bytes(b"{}" * 40_000 if damage == "foreign" else b"")
    assert rows_of(store, 400, exact=50).search(vectors[3], 5)[0].tolist() == expected


def test_models_do_not_see_each_other(tmp_path: Path) -> None:
    first = VectorStore(tmp_path, "a:1:raw", WIDTH)
    second = VectorStore(tmp_path, "b:1:raw", WIDTH)
    first.add(["x"], clustered(1))
    assert (len(first), len(second)) == (1, 0)
    assert counts(tmp_path) == {"a:1:raw": 1}
    second.forget_others(keys_of([]))
    assert len(first) == 0


def test_a_store_that_is_no_database_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / "vectors.sqlite").write_bytes(b"no database at all" * 100)
    assert len(VectorStore(tmp_path, "a:1:raw", WIDTH)) == 0


def test_a_store_of_a_later_version_is_begun_anew(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "vectors.sqlite") as connection:
        connection.execute("PRAGMA user_version=99")
    assert len(VectorStore(tmp_path, "a:1:raw", WIDTH)) == 0
