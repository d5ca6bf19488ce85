"""Vectors of texts in SQLite: the truth, from which the search files are made anew at any time.

One row a text and model: key, int8 numbers, scale. The key is a digest of the embedded text, so a line that
moves or a
rebuilt index costs no new embedding, and a model's rows are never compared with another's.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shilu_core.embed.quantised import Bytes, Scales, quantise
from shilu_core.embed.vectors import Vectors
from shilu_core.files import make_folder
from shilu_core.platforms import file_identity

Keys = NDArray[np.int64]

FILE_NAME = "vectors.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS model (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, dimensions INTEGER
NOT NULL);
CREATE TABLE IF NOT EXISTS vector (
  number INTEGER PRIMARY KEY AUTOINCREMENT, model INTEGER NOT NULL, key INTEGER NOT NULL,
  scale REAL NOT NULL, numbers BLOB NOT NULL, UNIQUE (model, key));
"""
_VERSION = 1
_MOST_VALUES = 500  # of one statement; SQLite takes at least 999


def key_of(text: str) -> int:
    """Eight bytes of a digest of `text` as a signed number (a clash among a million texts: 3 in 10^8)."""
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def keys_of(texts: Iterable[str]) -> Keys:
    return np.fromiter((key_of(text) for text in texts), dtype=np.int64)


class VectorStore:
    """The vectors of one model in a file of several; a file that is damaged or foreign is begun anew.

    It is derived (embedding again gives it back), so it trades the last commit for speed on a power cut.
    """

    def __init__(self, folder: Path, model_id: str, dimensions: int) -> None:
        self.path = folder / FILE_NAME
        self.model_id, self.dimensions = model_id, dimensions
        make_folder(folder, private=True)
        try:
            self._connection = self._open()
        except sqlite3.DatabaseError as error:
            if is_passing(error):
                raise
            discard(self.path)
            self._connection = self._open()
        self._identity = file_identity(self.path)

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=10, check_same_thread=False)
        try:
            # no WAL: its shared memory is mapped, and cutting a mapped file kills all who read it
            connection.execute("PRAGMA journal_mode=DELETE")
            connection.execute("PRAGMA synchronous=NORMAL")
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, _VERSION):
                raise sqlite3.DatabaseError(f"vectors of version {version}")
            connection.executescript(_SCHEMA)
            connection.execute(f"PRAGMA user_version={_VERSION}")
            connection.execute(
                "INSERT OR IGNORE INTO model (id, dimensions) VALUES (?, ?)", (self.model_id, self.dimensions)
            )
            connection.commit()
            self._model = int(self._one(connection, "SELECT number FROM model WHERE id = ?", self.model_id))
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    @staticmethod
    def _one(connection: sqlite3.Connection, query: str, *values: object) -> int:
        found = connection.execute(query, values).fetchone()
        return int(found[0]) if found and found[0] is not None else 0

    def close(self) -> None:
        self._connection.close()

    @property
    def replaced(self) -> bool:
        """Whether another file stands at our path by now, or none."""
        return file_identity(self.path) != self._identity

    def __len__(self) -> int:
        return self._one(self._connection, "SELECT count(*) FROM vector WHERE model = ?", self._model)

    def last(self) -> int:
        """Number of the newest vector, 0 without any; numbers only rise."""
        return self._one(self._connection, "SELECT max(number) FROM vector WHERE model = ?", self._model)

    def keys(self) -> Keys:
        """Keys of this model's vectors, oldest vector first."""
        cursor = self._connection.execute("SELECT key FROM vector WHERE model = ? ORDER BY number", (self._model,))
        return np.fromiter((row[0] for row in cursor), dtype=np.int64)

    def add(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Keeps `vectors` (n, d), one for each of `texts`; those that are there stay; committed on return."""
        rows, scales = quantise(vectors)
        values = [
            (self._model, key_of(text), float(scale), row.tobytes())
            for text, row, scale in zip(texts, rows, scales, strict=True)
        ]
        with self._connection:
            self._connection.executemany(
                "INSERT OR IGNORE INTO vector (model, key, scale, numbers) VALUES (?, ?, ?, ?)", values
            )

    def known(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """Unit vectors (d,) of those of `texts` that have one."""
        names = {key_of(text): text for text in texts}
        found: dict[str, Vectors] = {}
        for start in range(0, len(names), _MOST_VALUES):
            part = list(names)[start : start + _MOST_VALUES]
            cursor = self._connection.execute(
                f"SELECT key, scale, numbers FROM vector WHERE model = ? AND key IN ({','.join('?' * len(part))})",
                (self._model, *part),
            )
            for key, scale, blob in cursor:
                if len(blob) == self.dimensions:
                    found[names[key]] = np.frombuffer(blob, dtype=np.int8).astype(np.float32) * np.float32(scale)
        return found

    def read(self, after: int = 0) -> tuple[Keys, Bytes, Scales]:
        """The vectors whose number is above `after`, oldest first: keys (n,), int8 rows (n, d), scales
        (n,)."""
        cursor = self._connection.execute(
            "SELECT key, scale, numbers FROM vector WHERE model = ? AND number > ? ORDER BY number",
            (self._model, after),
        )
        keys, scales, numbers = [], [], bytearray()
        for key, scale, blob in cursor:
            keys.append(key)
            scales.append(scale)
            numbers += blob if len(blob) == self.dimensions else bytes(self.dimensions)
        rows = np.frombuffer(bytes(numbers), dtype=np.int8).reshape(len(keys), self.dimensions)
        return np.array(keys, dtype=np.int64), rows, np.array(scales, dtype=np.float32)

    def forget_others(self, keys: Keys) -> int:
        """Removes vectors of all other models, and of texts that are not among `keys`; returns how many."""
        unused = np.setdiff1d(self.keys(), keys)
        with self._connection:
            gone = self._connection.execute("DELETE FROM vector WHERE model != ?", (self._model,)).rowcount
            self._connection.executemany(
                "DELETE FROM vector WHERE model = ? AND key = ?", [(self._model, int(key)) for key in unused]
            )
        return gone + len(unused)


def counts(folder: Path) -> dict[str, int]:
    """Vectors by model id, for `shilu status`; empty where there is no store."""
    path = folder / FILE_NAME
    if not path.exists():
        return {}
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=1)) as connection:
            return dict(
                connection.execute(
                    "SELECT model.id, count(*) FROM vector JOIN model ON vector.model = model.number GROUP BY model.id"
                )
            )
    except sqlite3.Error:
        return {}


def is_passing(error: sqlite3.Error) -> bool:
    """Busy, or no permission: no reason to throw vectors away."""
    return isinstance(error, sqlite3.OperationalError) and "malformed" not in str(error)


def discard(path: Path) -> None:
    """Removes a store that cannot be read."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
