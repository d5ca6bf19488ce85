"""A vault: a folder of Markdown notes, recognised by what stands in it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from shilu_core.errors import ShiluError, VaultMissing
from shilu_core.layout import LAYOUTS, Layout
from shilu_core.notes import Note, parse

# Left by sync programs and editors beside a note; never a note itself (faults F40).
SYNC_COPY = re.compile(
    r"\.sync-conflict-\d|\(conflicted copy|conflicted copy\b|冲突副本|冲突的副本|^\.~lock\.|^~\$|\.tmp$|\.swp$|~$|^\.#|\.orig$|\.bak$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Vault:
    """A recognised vault; `folder` is absolute with links resolved, so that two paths to it are one vault."""

    folder: Path
    layout: Layout

    @property
    def root(self) -> Path:
        """The folder that holds the canonical notes."""
        return self.folder / self.layout.root

    @property
    def inbox(self) -> Path:
        return self.root / self.layout.inbox

    @property
    def processed(self) -> Path:
        return self.root / self.layout.processed

    @property
    def pending(self) -> Path:
        return self.root / self.layout.pending

    @property
    def conflicts(self) -> Path:
        return self.root / self.layout.conflicts

    @property
    def rulings(self) -> Path:
        return self.root / self.layout.rulings

    @property
    def own(self) -> Path:
        """The folder of our own small files (id, lock, files kept while a plan is carried out)."""
        return self.folder / ".shilu"

    def note_path(self, note: str) -> Path:
        """Path of the note with this id; refuses ids that lead out of the vault."""
        path = self.root / note
        parts = Path(note).parts
        if not note or Path(note).is_absolute() or ".." in parts or "\0" in note:
            raise ShiluError(f"note {note!r} leads out of the vault; name a note below {self.layout.root}/")
        return path

    def document(self, name: str) -> str | None:
        """Note id for a document id (`env`), a file name or a path below the notes root; None if unknown."""
        if name in self.layout.documents:
            return self.layout.documents[name]
        name = name.replace("\\", "/").removeprefix("./")
        candidates = [name, f"{name}.md", name.removeprefix(self.layout.root + "/")]
        return next((note for note in candidates if note and self._is_inside_note(note)), None)

    def _is_inside_note(self, note: str) -> bool:
        try:
            path = self.note_path(note)
        except ShiluError:
            return False
        plain = Path(note).as_posix() == note and not self._is_apart(note)
        return plain and path.suffix.lower() == ".md" and path.is_file() and path.resolve().is_relative_to(self.folder)

    def real_note(self, note: str) -> str:
        """The id of the file itself, where `note` is a link to another note; the id as it is for a note yet to be made.

        Raises ShiluError where a link leads out of the vault or nowhere, or where something else stands there.
        """
        path = self.note_path(note)
        target = path.resolve()
        if not target.is_relative_to(self.folder):
            raise ShiluError(f"{path} is a link that leads out of the vault; put a note in its place")
        if os.path.lexists(path) and not path.is_file():
            raise ShiluError(f"{path} is no file; put a note in its place")
        return target.relative_to(self.root.resolve()).as_posix() if target.is_relative_to(self.root.resolve()) else note

    def note_ids(self) -> Iterator[str]:
        """Ids of all canonical notes, sorted; links out of the vault and second ways to a file are left out."""
        found: dict[tuple[int, int], str] = {}
        for _, note, status in sorted(self._walk(self.root, "", frozenset(), False)):
            found.setdefault(status, note)  # the file itself before links to it
        yield from sorted(found.values())

    def _walk(
        self, folder: Path, prefix: str, above: frozenset[tuple[int, int]], linked: bool
    ) -> Iterator[tuple[bool, str, tuple[int, int]]]:
        try:
            status = os.stat(folder)
            entries = list(os.scandir(folder))
        except OSError:
            return
        here = (status.st_dev, status.st_ino)
        if here in above:  # a loop of links
            return
        for entry in entries:
            note = prefix + entry.name
            if self._is_foreign(note, entry):
                continue
            try:
                through = linked or entry.is_symlink()
                if entry.is_dir():
                    yield from self._walk(Path(entry.path), note + "/", above | {here}, through)
                elif entry.name.lower().endswith(".md") and entry.is_file():
                    found = entry.stat()
                    yield through, note, (found.st_dev, found.st_ino)
            except OSError:
                continue

    def _is_foreign(self, note: str, entry: os.DirEntry[str]) -> bool:
        if self._is_apart(note):
            return True
        return entry.is_symlink() and not Path(entry.path).resolve().is_relative_to(self.folder)

    def _is_apart(self, note: str) -> bool:
        """Whether a path below the root belongs to the inbox, the lists, the archive, a program, or is no text."""
        layout, parts = self.layout, note.split("/")
        if any(part.startswith(".") or SYNC_COPY.search(part) for part in parts) or note == "README.md":
            return True
        if any("\ud800" <= character <= "\udfff" for character in note):  # a name that is no UTF-8 fits no stamp
            return True
        if parts[0] in (layout.inbox, layout.forgotten, layout.sessions):
            return True
        return note != layout.unclassified and note.startswith(os.path.dirname(layout.pending) + "/")

    def read(self, note: str) -> bytes:
        """Bytes of a note, `b""` where there is none yet."""
        try:
            return self.note_path(note).read_bytes()
        except FileNotFoundError:
            return b""

    def parse(self, note: str) -> Note:
        return parse(note, self.read(note))


def recognise(folder: Path | str) -> Vault:
    """The vault in `folder`; raises VaultMissing where no layout's parts stand there."""
    path = Path(folder).expanduser().resolve()
    for layout in LAYOUTS:
        root = path / layout.root
        if root.is_dir() and any((root / part).exists() for part in layout.recognised_by):
            return Vault(path, layout)
    raise VaultMissing(
        f"no vault in {path}: neither {' nor '.join(layout.root + '/' for layout in LAYOUTS)} with its parts stands "
        f"there; make one with: shilu init {path}"
    )

