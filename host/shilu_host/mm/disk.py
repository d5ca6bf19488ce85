"""Reading and writing a root's files; every OSError becomes E_IO with the path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shilu_core import files

from shilu_host.mm.errors import MmError, failed
from shilu_host.mm.index_text import parse_index
from shilu_host.mm.paths import DETAIL_FOLDER, Root
from shilu_host.mm.text import to_bytes, trim
from shilu_host.mm.values import IndexEntry


@contextmanager
def reported(action: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise failed(action, error) from error


def read_text(path: Path) -> str:
    """The text of a file without newline translation; bytes that are no UTF-8 become U+FFFD."""
    with reported(f"read {path}"):
        return path.read_bytes().decode("utf-8", "replace")


def read_index(root: Root) -> str:
    """The text of MEMORY.md, `""` where there is none."""
    return read_text(root.index) if root.index.exists() else ""


def index_entries(root: Root, text: str, memory_id: str) -> tuple[IndexEntry, ...]:
    """The entries in the index text; raises E_PARSE that names the file."""
    if not trim(text):
        return ()
    try:
        return parse_index(text, memory_id).entries
    except MmError as error:
        raise MmError(error.code, f"{root.index}: {error}") from error


def write_text(path: Path, text: str) -> None:
    """Puts `text` in the place of the file, whole or not at all."""
    with reported(f"write {path}"):
        files.replace_whole(path, to_bytes(text))


def remove(path: Path) -> None:
    with reported(f"delete {path}"):
        files.remove(path)


def make(root: Root, index: str) -> None:
    """Makes the root's folders, and the index where there is none."""
    with reported(f"create {root.folder}"):
        files.make_folder(root.details)
        if not root.index.exists():
            with suppress(FileExistsError):  # another process was faster; its index is kept
                files.create_exclusive(root.index, to_bytes(index))


def orphans(root: Root, entries: Iterable[IndexEntry]) -> tuple[str, ...]:
    """Names of detail files that no entry names."""
    named = {entry.file for entry in entries}
    with reported(f"list {root.details}"):
        names = sorted(path.name for path in root.details.iterdir()) if root.details.is_dir() else []
    return tuple(name for name in names if name.endswith(".md") and f"{DETAIL_FOLDER}/{name}" not in named)
