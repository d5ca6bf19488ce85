"""Section 14: the store's file, its versions, and stores of other providers."""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from pathlib import Path

import pytest
from shilu_core.ledger import SCHEMA_VERSION, Ledger
from shilu_core.ledger.entry_schema import PROTOCOL_STEPS

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX file modes")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """No store yet, and no folder for it either."""
    return tmp_path / "用户" / "a b" / "store.db"


def foreign(path: Path, version: int, *rows: str, stored: str | None = None) -> bytes:
    """A store as another provider leaves it at `version`; returns its bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as connection:
        for step in PROTOCOL_STEPS[:version]:
            connection.executescript(step)
        connection.execute("INSERT INTO meta VALUES ('schema_version', ?)", (stored or str(version),))
        for row in rows:
            connection.execute(row)
    connection.close()
    return path.read_bytes()


V1_ROW = (
    "INSERT INTO entries VALUES ('not-a-uuid', 'user', 'user-global', '/old/cwd', 'old fact', 'tool', 1000, 2000, 's')"
)
V1_AUDIT = "INSERT INTO audit (ts, action, entry_id, text, outcome) VALUES (1000, 'add', 'not-a-uuid', 'old fact', 'allowed-once')"


def test_14_1_the_store_is_one_local_file_and_its_folders_are_made(connect, store):
    connect().add("text")
    assert store.is_file()
    with sqlite3.connect(store) as other:
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    other.close()


@posix
def test_14_2_the_file_and_its_log_are_private(connect, store):
    old = os.umask(0)
    try:
        connect().add("text")
    finally:
        os.umask(old)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in store.parent.iterdir()}
    assert modes == {"store.db": 0o600, "store.db-wal": 0o600, "store.db-shm": 0o600}


@posix
def test_14_2_an_older_file_is_made_private(connect, store):
    foreign(store, 4)
    os.chmod(store, 0o644)
    connect()
    assert stat.S_IMODE(store.stat().st_mode) == 0o600


def test_14_3_a_new_store_has_the_newest_version_as_text(connect, store):
    connect()
    with sqlite3.connect(store) as other:
        assert other.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchone() == (str(SCHEMA_VERSION),)
    other.close()


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5])
def test_14_4_an_older_store_without_its_tables_is_corrupt_and_no_byte_of_it_changes(connect, store, failing, version):
    store.parent.mkdir(parents=True)
    with sqlite3.connect(store) as other:
        other.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
        other.execute("INSERT INTO meta VALUES ('schema_version', ?)", (str(version),))
    other.close()
    before = store.read_bytes()
    failure = failing(connect)
    assert (failure.code, failure.details) == ("STORE_CORRUPT", {"path": str(store)})
    assert (store.read_bytes(), [path.name for path in store.parent.iterdir()]) == (before, ["store.db"])


def test_14_3_a_newer_store_is_refused_and_left_alone(connect, store, failing):
    connect().add("text")
    with sqlite3.connect(store) as other:
        other.execute("UPDATE meta SET value = '999'")
    other.close()
    before = store.read_bytes()
    failure = failing(connect)
    assert (failure.code, failure.details) == ("STORE_UNSUPPORTED_VERSION", {"path": str(store)})
    assert store.read_bytes() == before


@pytest.mark.parametrize("version", ["abc", "-1", "1.5", "", "٣"])
def test_14_3_a_version_that_is_no_number_is_corrupt(connect, store, failing, version):
    before = foreign(store, 4, f"UPDATE meta SET value = '{version}'")
    failure = failing(connect)
    assert (failure.code, failure.details) == ("STORE_CORRUPT", {"path": str(store)})
    assert store.read_bytes() == before and [path.name for path in store.parent.iterdir()] == ["store.db"]


@pytest.mark.parametrize("data", [b"not a database", b"\0" * 5000, b"SQLite format 3\0" + b"x" * 4080, b"SQLite"])
def test_14_4_what_is_no_database_is_corrupt_and_left_alone(connect, store, failing, data):
    store.parent.mkdir(parents=True)
    store.write_bytes(data)
    failure = failing(connect)
    assert (failure.code, failure.details) == ("STORE_CORRUPT", {"path": str(store)})
    assert store.read_bytes() == data and [path.name for path in store.parent.iterdir()] == ["store.db"]


def test_14_4_a_truncated_store_is_corrupt_and_left_alone(connect, store, failing):
    with Ledger.open(store):
        pass
    whole = store.read_bytes()
    store.write_bytes(whole[: len(whole) // 2])
    assert failing(connect).code == "STORE_CORRUPT"
    assert store.read_bytes() == whole[: len(whole) // 2]


def test_14_4_a_folder_or_an_impossible_place_is_corrupt(connect, store, failing):
    store.mkdir(parents=True)
    assert failing(connect).code == "STORE_CORRUPT"
    (store.parent / "file").write_text("x")
    assert failing(lambda: connect(dbPath=str(store.parent / "file" / "s.db"))).code == "STORE_CORRUPT"


def test_14_4_a_database_of_another_program_is_corrupt(connect, store, failing):
    store.parent.mkdir(parents=True)
    with sqlite3.connect(store) as other:
        other.execute("CREATE TABLE notes (text)")
    other.close()
    before = store.read_bytes()
    assert failing(connect).code == "STORE_CORRUPT" and store.read_bytes() == before


def test_14_4_a_failing_schema_is_corrupt_and_left_alone(connect, store, failing):
    before = foreign(store, 4, "ALTER TABLE entries DROP COLUMN tags")
    assert failing(connect).code == "STORE_CORRUPT"
    assert _tables(store, "entries") == {
        "id",
        "track",
        "scope",
        "workspace_key",
        "text",
        "source",
        "created_at",
        "updated_at",
        "session_id",
        "agent_key",
        "last_recalled",
        "recall_count",
        "version",
    }
    assert before[:16] == store.read_bytes()[:16]


def test_14_4_a_broken_tags_column_is_corrupt_on_read(connect, store, failing):
    speaker = connect()
    speaker.add("text")
    for broken in ("no json", '{"a": 1}', "[1]"):
        with sqlite3.connect(store) as other:
            other.execute("UPDATE entries SET tags = ?", (broken,))
        other.close()
        failure = failing(speaker.entries)
        assert (failure.code, failure.details) == ("STORE_CORRUPT", {"path": str(store)})


def test_14_4_an_empty_file_is_a_new_store(connect, store):
    store.parent.mkdir(parents=True)
    store.touch()
    assert connect().add("text")["entry"]["text"] == "text"


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_14_3_14_5_an_older_store_of_another_provider_is_migrated_without_loss(connect, store, version):
    rows = [
        V1_ROW.replace(
            "VALUES",
            "(id, track, scope, workspace_key, text, source, created_at, updated_at, session_id) VALUES",
        )
    ]
    foreign(store, version, *rows, V1_AUDIT)
    speaker = connect()
    assert speaker.entries() == [
        {
            "id": "not-a-uuid",
            "track": "user",
            "scope": "user-global",
            "workspaceKey": "",
            "agentKey": "",
            "text": "old fact",
            "source": "tool",
            "tags": [],
            "version": 1,
            "createdAt": 1000,
            "updatedAt": 2000,
            "lastRecalled": None,
            "recallCount": 0,
            "sessionId": "s",
        }
    ]
    assert [(row["seq"], row["action"], row["entryId"]) for row in speaker.audit()] == [(1, "add", "not-a-uuid")]
    assert speaker.replace("old", "new")["entry"]["id"] == "not-a-uuid"
    assert speaker.greeting["storeSchemaVersion"] == SCHEMA_VERSION == int(_version(store))


@pytest.mark.parametrize("change", ["DELETE FROM meta", "UPDATE meta SET value = '0'"])
def test_14_5_a_store_that_names_no_version_has_the_first_tables(connect, store, change):
    foreign(store, 1, V1_ROW, change)
    assert connect().texts() == ["old fact"]


def test_14_5_a_proposal_of_version_2_stays(connect, store):
    foreign(
        store,
        2,
        "INSERT INTO proposals VALUES ('p1', 'compaction-summary', 'agent', 'workspace', '/w', 'text', 'compaction', 's', 'pending', 5, NULL)",
    )
    assert [(p["id"], p["agentKey"]) for p in connect().client.call("proposals/list", {})] == [("p1", "")]


def test_14_6_a_migration_that_is_killed_leaves_the_store_as_it_was(store):
    """A child dies before each statement of the migration in turn; the version and the rows stay until it is
    whole.
    """
    died = 0
    for statement in range(1, 400):
        store.unlink(missing_ok=True)
        foreign(store, 1, V1_ROW)
        if _dies_at(store, statement):
            died += 1
            assert _version(store) == "1" and _rows(store) == [("not-a-uuid", "old fact")], statement
        else:
            break
    assert _version(store) == str(SCHEMA_VERSION) and died > 20


def test_14_7_two_connections_see_each_others_writes(connect, store):
    one, two = connect(), connect()
    one.add("from one")
    two.replace("from one", "from two")
    assert one.texts() == two.texts() == ["from two"]


@pytest.mark.parametrize("path", ["", "relative/store.db", 5, ["x"], "/tmp/a\0b", "/tmp/\ud83d"])
def test_14_1_a_store_is_named_by_an_absolute_path(connect, failing, path):
    assert failing(lambda: connect(dbPath=path)).code == "INVALID_INPUT"


def _tables(path, table):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as other:
        names = {row[1] for row in other.execute(f"PRAGMA table_info({table})")}
    other.close()
    return names


def _version(path):
    with sqlite3.connect(path) as other:
        version = other.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchone()[0]
    other.close()
    return version


def _rows(path):
    with sqlite3.connect(path) as other:
        rows = other.execute("SELECT id, text FROM entries").fetchall()
    other.close()
    return rows


def _dies_at(path, number):
    """Opens the store in a child that kills itself before its `number`-th statement; whether it did."""
    child = os.fork()
    if child == 0:
        _suicide(number)
        Ledger.open(path)
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0


def _suicide(number):
    import signal

    seen = 0
    plain = sqlite3.connect

    def connect(*args, **kwargs):
        connection = plain(*args, **kwargs)

        def count(_statement):
            nonlocal seen
            seen += 1
            if seen == number:
                os.kill(os.getpid(), signal.SIGKILL)

        connection.set_trace_callback(count)
        return connection

    sqlite3.connect = connect
