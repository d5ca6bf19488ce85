"""Laws over generated memories: what is written is read, what is read is rewritten byte for byte."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from shilu_host.mm import Memory, Options
from shilu_host.mm.index_text import parse_index, serialize_index
from shilu_host.mm.note_text import parse_note_text, serialize_note_text
from shilu_host.mm.text import BLANKS, count_chars, normalize_line, slug_for_topic, trim, validate_topic
from shilu_host.mm.values import IndexEntry

FEW = settings(max_examples=40, deadline=None)
MANY = settings(max_examples=200, deadline=None)
MARKUP = ["> mm-id: x", "> mm-topic: a b", "# t", "## t", "- **summary:** s", "```", "mm:a", "| a |", "---"]
PIECES = ["\n", "\r\n", "\r", " ", "\t", "\u2028", "\ufeff", "\u3000", "记忆", "😀", "text", *MARKUP]
topics = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True)
contents = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), min_size=1, max_size=12).map("".join)
visible = contents.filter(lambda text: bool(trim(text)))
lines = st.text(max_size=20).map(normalize_line)


def without_entries(text: str) -> str:
    """`text` as it may stand in an entry's body: no line opens an entry or is a meta line."""
    return trim("\n".join(line for line in text.split("\n") if not line.startswith(("##", "-"))))


bodies = contents.map(without_entries)


@st.composite
def entries(draw: st.DrawFn) -> IndexEntry:
    topic = draw(topics)
    return IndexEntry(
        topic=topic,
        memory_id="local",
        summary=draw(lines),
        tags=tuple(draw(st.lists(st.sampled_from(["a", "b-c", "记忆", "é"]), unique=True))),
        file=f"memories/{topic}.md",
        updated=draw(lines),
        body_chars=draw(st.integers(0, 9999)),
        write_budget=draw(st.integers(0, 9999)),
        entry_body=draw(bodies),
    )


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name) / "根"


def opened(root: Path) -> Memory:
    return Memory.ensure(Options(root=str(root), index_lines=10_000, index_bytes=10_000_000), environment={})


def snapshot(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*.md")}


@MANY
@given(st.lists(entries(), unique_by=lambda entry: entry.topic, max_size=5))
def test_an_index_written_read_and_rewritten_has_the_same_bytes(given_entries: list[IndexEntry]) -> None:
    text = serialize_index("local", 200, 25_600, given_entries)
    again = serialize_index("local", 200, 25_600, parse_index(text).entries)
    assert again.encode("utf-8", "surrogatepass") == text.encode("utf-8", "surrogatepass")
    assert serialize_index("local", 200, 25_600, parse_index(again).entries) == text


@MANY
@given(topics, contents)
def test_a_body_comes_back_but_for_its_outer_line_feeds(topic: str, body: str) -> None:
    parsed = parse_note_text(serialize_note_text(topic, "local", f"memories/{topic}.md", body))
    assert (parsed.topic, parsed.body) == (topic, body.strip("\n"))


@MANY
@given(contents)
def test_reading_any_text_never_loses_what_stands_behind_the_header(text: str) -> None:
    parsed = parse_note_text("# t\n> mm-id: x\n\n" + text)
    assert parsed.body == text.strip("\n")


@FEW
@given(st.dictionaries(topics, visible, min_size=1, max_size=4))
def test_a_root_written_read_and_rewritten_has_the_same_bytes(notes: dict[str, str]) -> None:
    with folder() as root:
        memory = opened(root)
        for topic, content in notes.items():
            body = content.strip("\n")  # those outside are not read back (5.4)
            outcome = memory.write(topic, body, budget=100_000, summary=content[:30], updated="now")
            assert outcome.ok and outcome.usage.body_chars == count_chars(body)
        before = snapshot(root)
        for note in memory.load().list_notes():
            assert memory.write(note.topic, note.body, budget=100_000, updated="now").ok
        assert snapshot(root) == before


@FEW
@given(st.dictionaries(topics, visible, min_size=1, max_size=4), bodies)
def test_a_root_with_crlf_loses_nothing(notes: dict[str, str], by_hand: str) -> None:
    by_hand = "\n".join(line for line in by_hand.replace("\r", "").split("\n") if not line.startswith(("##", "-")))
    with folder() as root:
        memory = opened(root)
        for topic, content in notes.items():
            memory.write(topic, content.replace("\r", ""), budget=100_000, summary="s", tags="t", updated="now")
        index = root / "MEMORY.md"
        index.write_bytes(index.read_bytes() + f"\n{by_hand}\n".encode("utf-8", "replace"))
        plain = memory.load().list_notes()
        for path in root.rglob("*.md"):
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        with_crlf = memory.load().list_notes()
        assert [(note.topic, note.summary, note.tags, note.entry_body) for note in with_crlf] == [
            (note.topic, note.summary, note.tags, note.entry_body) for note in plain
        ]
        assert [note.body.replace("\r\n", "\n") for note in with_crlf] == [note.body for note in plain]
        memory.write("zz-new", "text", updated="now")
        kept = {note.topic: (note.entry_body, note.body) for note in memory.load().list_notes()}
        assert {note.topic: (note.entry_body, note.body) for note in with_crlf}.items() <= (
            kept.items() | {("zz-new", kept["zz-new"])}
        )


@FEW
@given(st.lists(st.tuples(st.sampled_from("wwd"), st.sampled_from(["a", "B", "c.d"]), visible), max_size=8))
def test_a_memory_behaves_like_a_dictionary(steps: list[tuple[str, str, str]]) -> None:
    model: dict[str, str] = {}
    with folder() as root:
        memory = opened(root)
        pending = 0
        for kind, topic, content in steps:
            if kind == "w":
                outcome = memory.write(topic, content, budget=100_000)
                assert outcome.ok and outcome.action == ("updated" if topic in model else "created")
                model[topic] = content
                pending += 1
            else:
                assert memory.delete(topic).removed is (topic in model)
                pending += topic in model
                model.pop(topic, None)
        assert memory.pending_writes == pending
        expected = {topic: text.strip("\n").encode("utf-16", "replace") for topic, text in model.items()}
        shown = {note.topic: note.body.encode("utf-16", "replace") for note in memory.load().list_notes()}
        assert list(shown) == sorted(expected) and set(os.listdir(root / "memories")) == {f"{t}.md" for t in model}
        assert {k: v.replace(b"\xfd\xff", b"?\0") for k, v in shown.items()} == expected


@MANY
@given(st.text(max_size=80))
def test_a_slug_is_a_topic(text: str) -> None:
    slug = slug_for_topic(text)
    assert slug is None or validate_topic(slug) == slug


@MANY
@given(st.text(alphabet=st.sampled_from("ab \t\n\r\u3000\ufeff\x1c\x85"), max_size=12))
def test_trim_takes_blanks_only_and_all_of_them(text: str) -> None:
    inside = BLANKS.replace("\u2000-\u200a", "")
    assert trim(text) == text.strip(inside)
