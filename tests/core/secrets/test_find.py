"""Secrets are found with kind, line and place, masked, and never shown; what only looks like one passes."""

from __future__ import annotations

import codecs
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shilu_core import secrets

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[3] / "bench/data/guards/secrets.jsonl").read_text("utf-8").splitlines()
]
PASSWORD = "hu" + "nter7" + "!Q"
TOKEN = "gh" + "p_" + "a1B2" * 9


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['secret']}-{case['kind']}-{case['lang']}")
def test_every_shipped_case_is_judged_right(case: dict[str, object]) -> None:
    text = codecs.decode(str(case["rot13"]), "rot13")
    assert bool(secrets.find(text)) == case["secret"]


def test_a_secret_has_kind_line_and_place() -> None:
    text = f"first line\nthe root password is {PASSWORD}, ask Mira"
    (found,) = secrets.find(text)
    assert (found.kind, found.line, text[found.start : found.end]) == ("password", 2, PASSWORD)


def test_the_value_is_not_in_the_representation() -> None:
    assert PASSWORD not in repr(secrets.find(f"密码是 {PASSWORD}"))


def test_a_mask_hides_the_value_and_keeps_the_rest() -> None:
    assert secrets.mask(f"密码是 {PASSWORD}，问小米") == "密码是 [masked: password]，问小米"


def test_a_value_in_full_width_letters_is_masked_at_its_place() -> None:
    wide = "".join(chr(ord(c) + 0xFEE0) for c in PASSWORD)
    assert secrets.mask(f"口令为{wide}。") == "口令为[masked: password]。"


def test_a_token_in_pieces_is_masked_whole() -> None:
    pieces = " ".join(TOKEN[i : i + 10] for i in range(0, len(TOKEN), 10))
    assert secrets.mask(f"use {pieces}") == "use [masked: github-token]"


def test_a_token_with_hidden_characters_is_masked_whole() -> None:
    assert secrets.mask("use " + "\u200b".join(TOKEN)) == "use [masked: github-token]"


def test_two_secrets_of_one_text_are_both_masked() -> None:
    masked = secrets.mask(f"{TOKEN}\npassword: {PASSWORD}")
    assert masked == "[masked: github-token]\npassword: [masked: password]"


def test_an_exported_key_is_found() -> None:
    assert [found.kind for found in secrets.find("export PAYKEY=" + "Zx81kQ" * 5)] == ["token"]


def test_changeme_is_a_placeholder_in_an_example_and_a_secret_in_use() -> None:
    assert secrets.find("password: changeme in .env.example") == ()
    assert secrets.find("prod still has changeme as the root password")


def test_a_long_seed_phrase_is_found_and_a_short_list_of_words_is_not() -> None:
    words = [
        "vessel",
        "ladder",
        "alter",
        "error",
        "federal",
        "sibling",
        "chat",
        "ability",
        "sun",
        "glass",
        "valve",
        "picture",
    ]
    assert [found.kind for found in secrets.find(" ".join(words))] == ["seed-phrase"]
    assert secrets.find(" ".join(words[:8])) == ()


@given(st.text(max_size=300))
def test_masking_twice_is_masking_once(text: str) -> None:
    once = secrets.mask(text)
    assert secrets.mask(once) == once


@given(st.lists(st.sampled_from([f"password: {PASSWORD}", TOKEN, "\n", " ", "密码是 ", "plain words ", "a://b:c@d/"])))
def test_nothing_is_found_in_a_masked_text(parts: list[str]) -> None:
    masked = secrets.mask("".join(parts))
    assert PASSWORD not in masked
    assert TOKEN not in masked


@given(st.text(max_size=300))
def test_places_are_in_order_and_inside_the_text(text: str) -> None:
    last = 0
    for found in secrets.find(text):
        assert last <= found.start < found.end <= len(text)
        last = found.end


@pytest.mark.parametrize(
    "piece", ["password ", "密码是", "a://b:", 'password: "', "my_", "Password=", "eyJ", "x ", '{"']
)
def test_a_long_run_of_one_piece_is_read_to_the_end(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    assert all(found.end <= len(text) for found in secrets.find(text))


def test_the_import_brings_nothing_heavy() -> None:
    code = "import sys, shilu_core.secrets, shilu_core.hidden; print(sorted({'numpy', 'opencc', 'yaml'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
