"""Section 8: search."""

import pytest
from shilu_host.mm import MmError
from shilu_host.mm.fts import fts5_available
from shilu_host.mm.search import choose_search_engine, tokenize
from shilu_host.mm.snippet import make_snippet
from shilu_host.mm.text import utf16_length
from shilu_host.mm.wire import to_wire

needs_fts5 = pytest.mark.skipif(not fts5_available(), reason="this SQLite has no FTS5")


@pytest.fixture
def memory(ensure):
    memory = ensure()
    memory.write("deploy", "we deploy to cn-north-1 by a script", summary="Deployment notes")
    memory.write("auth", "the login uses OAuth 2.0, and a script rotates keys", tags="security")
    memory.write("region", "部署区域在北京，备份区域在上海")
    return memory.load()


def topics(result) -> list[str]:
    return [match.topic for match in result.matches]


def test_8_1_a_blank_query_is_invalid(memory) -> None:
    for query in ("", " \u3000", None):
        with pytest.raises(MmError, match="query") as caught:
            memory.search(query)
        assert caught.value.code == "E_INVALID"


def test_8_1_the_result_has_its_keys_and_no_note_without_a_fallback(memory) -> None:
    result = to_wire(memory.search("deploy", mode="scan"))
    assert list(result) == ["query", "engine", "total", "truncated", "matches"]
    assert list(result["matches"][0]) == ["topic", "uri", "updated", "score", "snippet"]


@pytest.mark.parametrize(
    ("mode", "available", "engine"),
    [
        ("scan", False, "scan"),
        ("scan", True, "scan"),
        ("fts5", True, "fts5"),
        ("fts5", False, "scan"),
        ("auto", True, "fts5"),
        ("auto", False, "scan"),
    ],
)
def test_8_2_the_engine_follows_mode_and_availability(mode: str, available: bool, engine: str) -> None:
    assert choose_search_engine(mode, available) == engine


def test_8_2_a_fallback_is_told_only_where_fts5_was_asked_for(memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shilu_host.mm.memory.fts5_available", lambda: False)
    assert (memory.search("deploy").note, memory.search("deploy").engine) == (None, "scan")
    assert "FTS5" in (memory.search("deploy", mode="fts5").note or "")


@needs_fts5
def test_8_2_auto_is_fts5_for_words_and_never_upgrades_scan(memory, ensure) -> None:
    assert (memory.engine, memory.search("deploy").engine) == ("fts5", "fts5")
    assert ensure(search_mode="scan").search("deploy").engine == "scan"
    assert memory.search("deploy", mode="scan").engine == "scan"


def test_8_3_tokens_are_words_and_han_characters_with_their_pairs() -> None:
    assert tokenize("Deploy-REGION_2 部署区 x域") == [
        "deploy",
        "region",
        "2",
        "x",
        "部",
        "部署",
        "署",
        "署区",
        "区",
        "域",
    ]
    assert tokenize("カタカナ 한글 \U00020000 éà") == []


def test_8_3_the_score_counts_tokens_with_the_topic_twice(memory) -> None:
    result = memory.search("deploy script deploy", mode="scan")
    assert [(match.topic, match.score) for match in result.matches] == [("deploy", 4), ("auth", 1)]


def test_8_3_equal_scores_are_in_topic_order_and_any_word_will_do(memory) -> None:
    assert topics(memory.search("script nothing", mode="scan")) == ["auth", "deploy"]


def test_8_3_a_query_without_tokens_finds_nothing(memory) -> None:
    result = memory.search("カナ!", mode="scan")
    assert (result.total, result.truncated, result.matches) == (0, False, ())


@needs_fts5
def test_8_4_fts5_joins_quoted_words_by_or(memory) -> None:
    assert topics(memory.search('login "deploy"', mode="fts5")) in (["auth", "deploy"], ["deploy", "auth"])
    assert memory.search("or", mode="fts5").total == 0
    assert memory.search('" * NOT (', mode="fts5").total == 0
    assert memory.search("\0", mode="fts5").total == 0


@needs_fts5
def test_8_4_fts5_counts_all_and_gives_the_limit(ensure) -> None:
    memory = ensure()
    for number in range(12):
        memory.write(f"t{number}", f"common word {number}")
    result = memory.load().search("common", mode="fts5", limit=5)
    assert (result.total, result.truncated, len(result.matches)) == (12, True, 5)
    assert all(match.score >= 0 for match in result.matches)
    assert len(memory.search("common", mode="fts5").matches) == 10


@needs_fts5
def test_8_4_fts5_takes_lone_surrogates(ensure) -> None:
    memory = ensure()
    memory.write("a", "text")
    assert memory.load().search("text \ud800", mode="fts5").total == 1


@needs_fts5
def test_8_5_auto_scans_where_the_query_is_han_and_finds_what_fts5_misses(memory) -> None:
    assert memory.search("区域", mode="fts5").total == 0
    result = memory.search("区域", mode="auto")
    assert (result.engine, topics(result)) == ("scan", ["region"])
    assert memory.search("deploy 区域").engine == "scan"


@pytest.mark.parametrize("limit", [1, 8, 12, 40])
@pytest.mark.parametrize(
    "text", ["word " * 40 + "term end", "😀" * 50 + "term", "İ" * 30 + "TERM" + "x" * 30, "记" * 90]
)
def test_8_6_a_snippet_is_bounded_and_shows_the_term(text: str, limit: int) -> None:
    snippet = make_snippet(text, "term", limit)
    assert utf16_length(snippet) <= max(8, limit)
    snippet.encode("utf-16")
    if "term" in text.lower() and limit >= 12:
        assert "term" in snippet.lower()


def test_8_6_a_short_text_is_given_whole() -> None:
    assert make_snippet("部署区域", "区域", 12) == "部署区域"


def test_8_7_a_limit_of_zero_gives_no_rows(memory) -> None:
    for mode in ("scan", "auto"):
        result = memory.search("script", mode=mode, limit=0)
        assert (result.total, result.truncated, result.matches) == (2, True, ())


def test_8_2_the_table_is_made_again_after_a_dispose(memory) -> None:
    memory.search("deploy")
    memory.dispose()
    assert memory.search("deploy").total == 1
