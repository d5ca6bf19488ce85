"""Entries in a JSON file, put and taken by their key, with every other byte left alone.

An own editor because this part runs on a bare Python: the libraries that keep JSON's formatting are
packages to
install, and none of them can say which bytes an insertion added, which is what taking it out exactly needs.
"""

from __future__ import annotations

import json
from typing import Any

from shilu_setup.errors import Foreign, Malformed, Occupied
from shilu_setup.formats import jsonsplice
from shilu_setup.formats.edits import Edit, Trace, Written, canonical, same
from shilu_setup.formats.jsonspans import Item, Node, read


def put(text: str, edit: Edit) -> Written:
    """The text with the entry in it. Raises `Malformed` or `Occupied`; an empty file counts as `{}`."""
    if not text.strip():
        return _put_into_nothing(text, edit)
    root = _root(text)
    container, rest = _descend(root, edit.path)
    entry = _entry(container, rest, edit)
    if entry is not None:
        return _replace(text, entry, edit.value)
    array = container.member(rest[0]) if edit.element and len(rest) == 1 else None
    if array is not None:
        return _checked(jsonsplice.insert(text, array.node, None, edit.value, 0), text, edit)
    value, key = _nested(rest, edit)
    # With the array itself missing, one more of the containers is ours than there are names left.
    created = len(rest) if edit.element else len(rest) - 1
    return _checked(jsonsplice.insert(text, container, key, value, created), text, edit)


def take(text: str, edit: Edit, trace: Trace) -> str:
    """The text without the entry (or with what it had replaced). Raises `Foreign` where the value is not
    ours."""
    if not text.strip():
        return text
    chain = _chain(_root(text), edit)
    if chain is None:
        return text
    container, item = chain[-1]
    if not same(item.node.value, edit.value):
        raise Foreign(
            f"{edit.place} was changed since",
            ours=_pretty(edit.value),
            theirs=text[item.start : item.node.end],
        )
    if trace.before is not None:
        return text[: item.node.start] + trace.before + text[item.node.end :]
    # Containers that we made go, too, when nothing else has moved in.
    risen = 0
    while risen < trace.created and len(container.items) == 1 and not jsonsplice.has_comment(text, container, item):
        risen += 1
        container, item = chain[-1 - risen]
    if risen < trace.created:
        return jsonsplice.remove(text, container, item, Trace())
    if trace.whole and len(chain[0][0].items) == 1 and risen == len(chain) - 1:
        return trace.inner or ""
    return jsonsplice.remove(text, container, item, trace)


def find(text: str, edit: Edit) -> str:
    """`absent`, `ours` or `other`."""
    if not text.strip():
        return "absent"
    try:
        container, rest = _descend(_root(text), edit.path)
    except Occupied:
        return "other"
    entry = _entry(container, rest, edit)
    if entry is None:
        return "absent"
    return "ours" if same(entry.node.value, edit.value) else "other"


def _put_into_nothing(text: str, edit: Edit) -> Written:
    """A file that is empty, or blank: it becomes an object, and comes back as it was."""
    value: Any = [edit.value] if edit.element else edit.value
    for key in reversed(edit.path):
        value = {key: value}
    created = len(edit.path) if edit.element else len(edit.path) - 1
    return Written(_pretty(value) + "\n", Trace(inner=text, created=created, whole=True))


def _root(text: str) -> Node:
    root = read(text)
    if root.kind != "object":
        raise Malformed("the file holds no JSON object at its top")
    return root


def _descend(root: Node, path: tuple[str, ...]) -> tuple[Node, tuple[str, ...]]:
    """The innermost container of the path that exists, and the names that remain below it."""
    node = root
    for depth, name in enumerate(path):
        if node.kind != "object":
            raise Occupied(f"{'.'.join(path[:depth])} holds no object; move it away and run again")
        member = node.member(name)
        if member is None or depth == len(path) - 1:
            return node, path[depth:]
        node = member.node
    return node, ()


def _entry(container: Node, rest: tuple[str, ...], edit: Edit) -> Item | None:
    """The entry as it stands: the member itself, or the array's element that carries our mark."""
    if container.kind != "object":
        raise Occupied(f"{'.'.join(edit.path[:-1])} holds no object; move it away and run again")
    if len(rest) > 1:
        return None
    member = container.member(rest[0])
    if member is None or not edit.element:
        return member
    if member.node.kind != "array":
        raise Occupied(f"{edit.place[:-3]} holds no list; move it away and run again")
    return _element(member.node, edit)


def _element(array: Node, edit: Edit) -> Item | None:
    """Our element: the equal one first, then the one with our mark in it."""
    equal = [item for item in array.items if same(item.node.value, edit.value)]
    marked = [item for item in array.items if edit.mark and edit.mark in canonical(item.node.value)]
    found = equal or marked
    return found[-1] if found else None


def _nested(rest: tuple[str, ...], edit: Edit) -> tuple[Any, str]:
    """The value to insert under the first missing name, and that name."""
    value: Any = [edit.value] if edit.element else edit.value
    for name in reversed(rest[1:]):
        value = {name: value}
    return value, rest[0]


def _chain(root: Node, edit: Edit) -> list[tuple[Node, Item]] | None:
    """Every (container, item) from the root to the entry; None where it is gone."""
    chain: list[tuple[Node, Item]] = []
    node = root
    for name in edit.path:
        member = node.member(name) if node.kind == "object" else None
        if member is None:
            return None
        chain.append((node, member))
        node = member.node
    if edit.element:
        item = _element(node, edit) if node.kind == "array" else None
        if item is None:
            return None
        chain.append((node, item))
    return chain


def _replace(text: str, entry: Item, value: Any) -> Written:
    if same(entry.node.value, value):
        return Written(text, None)
    source = text[entry.node.start : entry.node.end]
    shown = jsonsplice.render(text, value, entry.start, spread="\n" in source)
    return Written(text[: entry.node.start] + shown + text[entry.node.end :], Trace(before=source))


def _checked(written: Written, before: str, edit: Edit) -> Written:
    """The insertion, proved: the entry reads back, and taking it gives the same text."""
    assert written.trace is not None
    if find(written.text, edit) != "ours" or take(written.text, edit, written.trace) != before:
        raise Malformed(f"{edit.place} cannot be added without touching other text; add it by hand")
    return written


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
