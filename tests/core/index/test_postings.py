"""BM25 over postings: rank-bm25's BM25Okapi is the oracle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi
from shilu_core.index.assemble import Piece, assemble
from shilu_core.index.field import Field
from shilu_core.index.postings import PostingsBuilder, frequencies, inverse_frequency, term_key

CORPUS = st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8), min_size=2, max_size=20)


def scores(field: Field, query: list[str], count: int) -> np.ndarray:
    out = np.zeros(count, np.float64)
    matches, _ = field.chosen({term_key(token): 1.0 for token in query}, count, 10**9)
    for match in matches:
        out[match.rows] += match.weights.astype(np.float64)  # without idf: the oracle has another one
    return out


def oracle(corpus: list[list[str]], query: list[str]) -> np.ndarray:
    bm25 = BM25Okapi(corpus, k1=0.9, b=0.4)
    bm25.idf = dict.fromkeys(bm25.idf, 1.0)
    return np.asarray(bm25.get_scores(sorted(set(query))))


@settings(max_examples=60, deadline=None)
@given(
    corpus=CORPUS,
    query=st.lists(st.sampled_from("abcdefghz"), min_size=1, max_size=4),
    split=st.integers(0, 19),
)
def test_scores_equal_okapi_with_the_same_parameters(corpus: list[list[str]], query: list[str], split: int) -> None:
    builder = PostingsBuilder()
    for line in corpus:
        builder.add(frequencies(line))
    built = Field(builder.build(builder.mean_length))
    growing = Field()
    for row, line in enumerate(corpus):
        growing.add(row, frequencies(line))
    expected = oracle(corpus, query)
    assert scores(built, query, len(corpus)) == pytest.approx(expected, rel=1e-5)
    assert scores(growing, query, len(corpus)) == pytest.approx(expected, rel=1e-5)


def test_idf_is_the_one_of_lucene_and_never_negative() -> None:
    assert inverse_frequency(10, 1) == pytest.approx(math.log(1 + 9.5 / 1.5))
    assert inverse_frequency(10, 10) > 0


@settings(max_examples=40, deadline=None)
@given(corpus=CORPUS, cut=st.integers(1, 19), dead=st.sets(st.integers(0, 19)))
def test_pieces_put_together_equal_one_build_without_the_dead_rows(
    corpus: list[list[str]], cut: int, dead: set[int]
) -> None:
    mask = np.array([row in dead for row in range(len(corpus))])
    pieces = []
    for start, part in ((0, corpus[:cut]), (min(cut, len(corpus)), corpus[cut:])):
        builder = PostingsBuilder()
        for line in part:
            builder.add(frequencies(line))
        pieces.append(Piece(builder.build(3.0), start))
    whole = assemble(pieces, len(corpus), mask, 3.0)
    expected = PostingsBuilder()
    for line, gone in zip(corpus, mask, strict=True):
        if gone:
            expected.skip()
        else:
            expected.add(frequencies(line))
    once = expected.build(3.0)
    for name in ("keys", "starts", "rows", "weights", "lengths"):
        assert getattr(whole, name).tolist() == getattr(once, name).tolist(), name
