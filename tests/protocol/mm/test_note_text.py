"""Section 5: detail files, both ways."""

import pytest
from shilu_host.mm import MmError
from shilu_host.mm.note_text import NoteHeader, parse_note_text, read_body, serialize_note_text
from shilu_host.mm.text import count_chars

HEAD = "# a\n\n> mm-id: local\n> mm-version: 1\n> mm-kind: note\n> mm-topic: a\n> mm-file: memories/a.md\n"


def written(body: str) -> str:
    return serialize_note_text("a", "local", "memories/a.md", body)


def test_5_1_the_file_is_title_meta_blank_and_body() -> None:
    assert written("# 正文 😀\n\n") == HEAD + "\n# 正文 😀\n"


def test_5_1_an_empty_body_ends_the_file_after_the_meta_lines() -> None:
    assert written("") == written("\n\n") == HEAD


def test_5_2_title_and_meta_are_read() -> None:
    parsed = parse_note_text("\n \n# a\n\n\n> mm-id: x\n>mm-version: 2b\n> mm-topic: b\n\nbody\n")
    assert (parsed.topic, parsed.body, parsed.header) == ("b", "body", NoteHeader("x", 2))


@pytest.mark.parametrize(
    ("text", "topic", "body"),
    [
        ("plain\n> mm-id: x\n", "", "plain\n> mm-id: x"),
        ("> mm-topic: t\n\n# head\n", "t", "# head"),
        ("# t\n# second\n", "t", "# second"),
        ("# t\n\n\nbody\n", "t", "body"),
        ("# t\n> mm-id: x\nbody\n> mm-id: y\n", "t", "body\n> mm-id: y"),
        ("# t\n> quote\n", "t", "> quote"),
        ("# t\n> mm-id: x\n\n\n\n body\t\r\n\tb \n\n", "t", " body\t\r\n\tb "),
        ("#t\n", "", "#t"),
        ("", "", ""),
        ("# t\n", "t", ""),
    ],
)
def test_5_2_the_header_ends_at_a_blank_after_meta_or_at_content(text: str, topic: str, body: str) -> None:
    parsed = parse_note_text(text)
    assert (parsed.topic, parsed.body) == (topic, body)


@pytest.mark.parametrize("text", ["# Deploy notes\n\nbody\n", "# a\n> mm-topic: two words\n\nbody\n"])
def test_5_2_a_title_or_topic_that_is_none_is_invalid_to_the_function(text: str) -> None:
    with pytest.raises(MmError) as caught:
        parse_note_text(text)
    assert caught.value.code == "E_INVALID"


@pytest.mark.parametrize(
    "body", ["> mm-x: y\nrest", "> mm-topic: other", "# head\n## more", "> quote", " x\r", "\ta\r\nb"]
)
def test_5_3_a_body_that_looks_like_a_header_survives(body: str) -> None:
    parsed = parse_note_text(written(body))
    assert (parsed.topic, parsed.body) == ("a", body)


def test_5_4_only_outer_line_feeds_are_lost() -> None:
    content = "\n\n a\n\nb \n\n"
    assert (parse_note_text(written(content)).body, count_chars(content)) == (" a\n\nb ", 10)


def test_16_a_prose_title_is_content_to_a_reader() -> None:
    assert read_body("# Deploy notes\n\nWe deploy.\n") == "# Deploy notes\n\nWe deploy."
    assert read_body("# a\n> mm-topic: two words\n\nbody\n") == "body"


def test_16_crlf_and_a_byte_order_mark_are_read() -> None:
    text = "\ufeff" + written("first\n\nsecond").replace("\n", "\r\n")
    parsed = parse_note_text(text)
    assert (parsed.topic, parsed.body, parsed.header) == ("a", "first\r\n\r\nsecond", NoteHeader("local", 1))


def test_5_2_a_byte_order_mark_before_content_without_a_header_is_content() -> None:
    assert parse_note_text("\ufefftext\n").body == "\ufefftext"
