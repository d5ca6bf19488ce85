"""Laws of the formats: put then take gives the same bytes, and edits of others in between survive alone."""

from __future__ import annotations

import io
import json
import re
import tomllib

import pytest
import tomlkit
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from shilu_setup.errors import Malformed, Occupied
from shilu_setup.formats import FORMATS, Edit
from shilu_setup.formats.jsonspans import read

HOOK = {"hooks": [{"type": "command", "command": "/a b/python", "args": ["-S", "/数据/shilu/hook.py"], "timeout": 10}]}
ELEMENT = Edit(("hooks", "UserPromptSubmit"), HOOK, element=True, mark="/数据/shilu/hook.py")
MEMBER = Edit(("mcpServers", "shilu"), {"command": "py", "args": ["a b", "记"]})
TABLE = Edit(("mcp_servers", "shilu"), {"command": "py", "args": ["-S", "/a b/记.py"], "required": True})
ROWS = Edit((), '- insert:\n    - id: shilu\n      name: "/a b/记.mjs"\n      config:\n        pythonPath: "py"')
SECTION = Edit((), "# Shared memory\n\n- one\n- 二")

KEYS = st.sampled_from(["model", "hooks", "mcpServers", "UserPromptSubmit", "Stop", "env", "权限", 'a"b', "http://x"])
SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=6) | st.sampled_from([1.5, 1e30])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
TRIVIA = st.sampled_from(["", "", " ", "\n", "\n    ", "\t", " /* 注 */ ", " // note\n", "\n  // own line\n  "])


@st.composite
def json_texts(draw: st.DrawFn, **always: object) -> str:
    """An object as a person might have typed it: blanks, comments, trailing commas, line ends, a BOM."""
    value = {**draw(st.dictionaries(KEYS, VALUES, max_size=4)), **always}
    trailing = draw(st.booleans())

    def typed(node: object) -> str:
        if not isinstance(node, dict | list):
            return json.dumps(node, ensure_ascii=draw(st.booleans()))
        pairs = isinstance(node, dict)
        if isinstance(node, dict):
            parts = [f"{json.dumps(k)}{draw(TRIVIA)}:{draw(TRIVIA)}{typed(v)}" for k, v in node.items()]
        else:
            parts = [typed(part) for part in node]
        inside = ",".join(draw(TRIVIA) + part + draw(TRIVIA) for part in parts) or draw(TRIVIA)
        comma = "," + draw(TRIVIA) if parts and trailing else ""
        return ("{" if pairs else "[") + inside + comma + ("}" if pairs else "]")

    text = draw(st.sampled_from(["", "\ufeff"])) + draw(TRIVIA) + typed(value) + draw(TRIVIA)
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def put(name: str, text: str, edit: Edit):
    """The written text; examples where our place holds something else are left out."""
    try:
        written = FORMATS[name].put(text, edit)
    except Occupied:
        assume(False)
    assume(written.trace is not None)
    return written


@given(json_texts(), st.sampled_from([ELEMENT, MEMBER]))
@settings(max_examples=120, deadline=None)
def test_json_put_then_take_gives_the_same_bytes(text: str, edit: Edit) -> None:
    written = put("json", text, edit)
    assert FORMATS["json"].find(written.text, edit) == "ours"
    assert FORMATS["json"].put(written.text, edit).trace is None
    assert FORMATS["json"].take(written.text, edit, written.trace) == text


@given(json_texts(), st.sampled_from([ELEMENT, MEMBER]), VALUES)
@settings(max_examples=120, deadline=None)
def test_json_keeps_what_another_program_changed_in_between(text: str, edit: Edit, other: object) -> None:
    """The other program sets a key at the end, and one in the middle, by the same means a person would."""
    foreign = Edit(("zz-foreign",), other)
    assume("zz-foreign" not in text)
    alone = put("json", text, foreign).text
    both = put("json", put("json", text, edit).text, foreign).text
    trace = put("json", text, edit).trace
    taken = FORMATS["json"].take(both, edit, trace)
    assert read(taken).value == read(alone).value
    assert "".join(taken.split()) == "".join(alone.split())


@given(json_texts(model="x"), st.sampled_from([ELEMENT, MEMBER]), VALUES)
@settings(max_examples=80, deadline=None)
def test_json_values_changed_in_place_survive_byte_for_byte(text: str, edit: Edit, other: object) -> None:
    changed = Edit(("model",), other)
    assume(other != "x" and "hooks" not in json.dumps(other))
    written = put("json", text, edit)
    alone = put("json", text, changed).text
    both = put("json", written.text, changed).text
    assert FORMATS["json"].take(both, edit, written.trace) == alone


@given(json_texts(), st.sampled_from([ELEMENT, MEMBER]))
@settings(max_examples=80, deadline=None)
def test_json_rewritten_whole_by_its_program_still_loses_only_ours(text: str, edit: Edit) -> None:
    written = put("json", text, edit)
    rewritten = json.dumps(read(written.text).value, indent=4)
    taken = FORMATS["json"].take(rewritten, edit, written.trace)
    assert json.loads(taken) == read(text).value


TOML_TEXTS = st.lists(
    st.sampled_from(
        [
            "model = 'x' # mine\n",
            "a.b = 1\n",
            "[tui]\nkeys = ['a',\n  'b'] # two\n",
            "[mcp_servers.other]\ncommand = 'x'\n",
            "[mcp_servers.'点 dotted'.env]\nA = '1'\n",
            "[[rules]]\nname = '''\n[mcp_servers.shilu]\n'''\n",
            "# a comment at the end",
            "mcp_servers = { z = { command = 'q' } }\n",
            "\n\n",
        ]
    ),
    max_size=5,
    unique=True,
).map("".join)


def valid_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


@given(TOML_TEXTS, st.booleans())
@settings(max_examples=80, deadline=None)
def test_toml_put_then_take_gives_the_same_bytes(text: str, windows: bool) -> None:
    text = text.replace("\n", "\r\n") if windows else text
    assume(valid_toml(text))
    written = put("toml", text, TABLE)
    assert tomllib.loads(written.text)["mcp_servers"]["shilu"] == TABLE.value
    assert FORMATS["toml"].put(written.text, TABLE).trace is None
    assert FORMATS["toml"].take(written.text, TABLE, written.trace) == text


@given(TOML_TEXTS, st.booleans())
@settings(max_examples=80, deadline=None)
def test_toml_keeps_what_another_program_changed_in_between(text: str, quietly: bool) -> None:
    assume(valid_toml(text))
    written = put("toml", text, TABLE)

    def foreign(before: str) -> str:
        document = tomlkit.parse(before)
        document["zz"] = {"trusted_hash": "sha256:1"} if quietly else 7
        return document.as_string()

    taken = FORMATS["toml"].take(foreign(written.text), TABLE, written.trace)
    assert tomllib.loads(taken) == tomllib.loads(foreign(text))
    assert re.sub(r"\s+", "", taken) == re.sub(r"\s+", "", foreign(text))


TOML_KEYS = st.sampled_from(["a", "b.c", "键", "mcp_servers", "shilu", "x y"])
TOML_VALUES = st.recursive(
    st.booleans() | st.integers(-9, 9) | st.text(max_size=4) | st.sampled_from([1.5, "\n[mcp_servers.shilu]\n"]),
    lambda inner: st.lists(st.integers(0, 3), max_size=2) | st.dictionaries(TOML_KEYS, inner, min_size=1, max_size=3),
    max_leaves=6,
)


@given(
    st.dictionaries(TOML_KEYS, TOML_VALUES, max_size=4), st.dictionaries(st.sampled_from(["b.c", "zz"]), TOML_VALUES)
)
@settings(max_examples=120, deadline=None)
def test_toml_of_any_kind_loses_only_ours_after_edits_of_others(before: dict, others: dict) -> None:
    text = tomlkit.dumps(before)
    written = put("toml", text, TABLE)
    assert FORMATS["toml"].take(written.text, TABLE, written.trace) == text

    def foreign(document: str) -> str:
        edited = tomlkit.parse(document)
        for key, value in others.items():
            edited[key] = value
        return edited.as_string()

    try:
        both, alone = foreign(written.text), foreign(text)
        assume(tomllib.loads(both)["mcp_servers"]["shilu"] == TABLE.value)
    except (tomllib.TOMLDecodeError, KeyError, tomlkit.exceptions.TOMLKitError):
        assume(False)  # the other program garbled its own file
    taken = FORMATS["toml"].take(both, TABLE, written.trace)
    assert shaken(tomllib.loads(taken)) == shaken(tomllib.loads(alone))


def shaken(value: object) -> object:
    """Without empty tables: whether a table that held only ours is gone or empty is no matter."""
    if not isinstance(value, dict):
        return value
    kept = {key: shaken(inner) for key, inner in value.items()}
    return {key: inner for key, inner in kept.items() if inner != {}}


YAML_TEXTS = st.sampled_from(
    [
        "",
        "[]\n",
        "[ ]",
        "# mine\n[] # none yet\n",
        "---\n- insert:\n    - id: x\n      name: !!js 1 + 1\n      text: |\n        a\n\n        b\n",
        "  - id: a # deep\n  - id: b",
        "- {id: a}\n\n\n# the end\n",
        "\ufeff- a\n",
        "# only a comment\n",
        "- |+\n  kept\n\n",
    ]
)


@given(YAML_TEXTS, st.booleans())
@settings(deadline=None)
def test_yaml_put_then_take_gives_the_same_bytes(text: str, windows: bool) -> None:
    text = text.replace("\n", "\r\n") if windows else text
    written = put("yaml", text, ROWS)
    assert FORMATS["yaml"].find(written.text, ROWS) == "ours"
    assert FORMATS["yaml"].take(written.text, ROWS, written.trace) == text


@given(YAML_TEXTS)
@settings(deadline=None)
def test_yaml_keeps_rows_that_a_person_added_in_between(text: str) -> None:
    written = put("yaml", text, ROWS)
    indent = "  " if text.startswith("  -") else ""
    row = f"{indent}- id: theirs\n"
    both = written.text + row
    taken = FORMATS["yaml"].take(both, ROWS, written.trace)
    assert "shilu" not in taken
    assert taken.endswith(row)
    kept = text if text.strip("\ufeff") and "[" not in text.splitlines()[-1] else ""
    assert kept.strip() in taken


ROW_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=6) | st.just("two\nlines\n"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "键", "a b"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.lists(ROW_VALUES, max_size=4), st.lists(ROW_VALUES, min_size=1, max_size=2), st.sampled_from([2, 4]))
@settings(max_examples=80, deadline=None)
def test_yaml_of_any_rows_loses_only_ours_after_rows_of_others(rows: list, others: list, width: int) -> None:
    def typed(values: list) -> str:
        stream = io.StringIO()
        yaml = YAML()
        yaml.indent(mapping=width, sequence=width, offset=width - 2)
        yaml.dump(values, stream)
        return stream.getvalue()

    text, added = typed(rows), typed(others)
    written = put("yaml", text, ROWS)
    assert FORMATS["yaml"].take(written.text, ROWS, written.trace) == text
    assume(rows)  # rows behind an empty `[]` are no YAML without ours
    taken = FORMATS["yaml"].take(written.text + added, ROWS, written.trace)
    assert taken == text + added
    read = YAML(typ="safe").load  # not the values themselves: U+0085 comes back as a space without us, too
    assert read(taken) == read(text) + read(added)


MARKDOWN = st.lists(st.sampled_from(["# 规则", "", "- item", "<!-- note -->", "```", "text  "]), max_size=6)


@given(MARKDOWN, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\ufeff"]), st.booleans())
@settings(deadline=None)
def test_markdown_put_then_take_gives_the_same_bytes(lines: list[str], newline: str, mark: str, ended: bool) -> None:
    text = mark + newline.join(lines) + (newline if ended and lines else "")
    written = put("markdown", text, SECTION)
    assert FORMATS["markdown"].put(written.text, SECTION).trace is None
    assert FORMATS["markdown"].take(written.text, SECTION, written.trace) == text


@given(MARKDOWN, st.sampled_from(["\n", "\r\n"]))
@settings(deadline=None)
def test_markdown_keeps_what_a_person_wrote_around_our_section(lines: list[str], newline: str) -> None:
    text = newline.join([*lines, "end"]) + newline
    written = put("markdown", text, SECTION)
    both = "first" + newline + written.text + "last" + newline
    taken = FORMATS["markdown"].take(both, SECTION, written.trace)
    assert taken == "first" + newline + text + "last" + newline


@given(json_texts(), st.integers(0, 400))
@settings(max_examples=80, deadline=None)
def test_json_that_is_torn_is_refused_or_read_never_garbled(text: str, cut: int) -> None:
    torn = text[:cut]
    try:
        written = FORMATS["json"].put(torn, MEMBER)
    except (Malformed, Occupied):
        return
    assert written.trace is None or FORMATS["json"].take(written.text, MEMBER, written.trace) == torn


def test_a_deep_file_is_refused_with_line_and_column() -> None:
    with pytest.raises(Malformed, match=r"line 1, column \d+: nested deeper than 200 levels"):
        read('{"a":' + "[" * 100_000)
