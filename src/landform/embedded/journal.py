"""The SQLite file: the durable side of the store, written by one thread with group commit."""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from landform.embedded import checkpoints
from landform.embedded.checkpoints import Checkpointer
from landform.embedded.folder import FolderError

if TYPE_CHECKING:
    from pathlib import Path


class Change(NamedTuple):
    """One object written (`raw`) or removed (None) at a version."""

    version: int
    resource: str
    namespace: str
    name: str
    raw: bytes | None


class Row(NamedTuple):
    """One object as found on disk."""

    resource: str
    namespace: str
    name: str
    version: int
    raw: bytes


Settled = Callable[[int, Exception | None], None]
"""Called on the journal's thread: so many changes, in order, are on disk (None) or could not be written."""


class Journal(Protocol):
    """Where the store writes its changes, in order and in groups.

    When a group fails, everything appended with the same epoch is dropped without a word: it was decided on top of
    what was lost. The store hears of the failed group, gives up all it has pending and goes on with the next epoch.
    """

    def start(self, settled: Settled) -> None:
        """Report every group to `settled` from now on."""
        ...

    def append(self, change: Change, epoch: int) -> None:
        """Write a change; changes reach the disk in the order they are appended."""
        ...

    def close(self) -> None:
        """Finish what was appended, then stop. Idempotent."""
        ...


MIGRATIONS: tuple[tuple[str, str], ...] = (
    (
        "create objects and meta",
        """
        CREATE TABLE objects (
            id INTEGER PRIMARY KEY,
            resource TEXT NOT NULL,
            namespace TEXT NOT NULL,
            name TEXT NOT NULL,
            version INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            data BLOB NOT NULL,
            UNIQUE (resource, namespace, name)
        );
        CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL);
        INSERT INTO meta VALUES ('version', 0);
        """,
    ),
)
"""The schema, step by step; a step that was released is never changed, a new one is added."""

_UPSERT = """
INSERT INTO objects (resource, namespace, name, version, checksum, data) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (resource, namespace, name)
DO UPDATE SET version = excluded.version, checksum = excluded.checksum, data = excluded.data
"""
_DELETE = "DELETE FROM objects WHERE resource = ? AND namespace = ? AND name = ?"
_SET_VERSION = "UPDATE meta SET value = ? WHERE key = 'version'"

# A commit waits for the disk; while it does, more changes queue up and share the next one.
_LARGEST_GROUP = 1024


class SqliteJournal:
    """The journal on disk.

    Guarantees: a change reported as settled survives kill -9 and power loss (WAL with synchronous=FULL), and a group
    is written whole or not at all.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = _open(path)
        self._queue: queue.SimpleQueue[tuple[Change, int] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._checkpointer: Checkpointer | None = None
        self._failed_epoch = -1
        self._whole = True
        self._closed = False

    def start(self, settled: Settled) -> None:
        self._checkpointer = Checkpointer(self._path)
        self._thread = threading.Thread(target=self._run, args=(settled,), name="journal", daemon=True)
        self._thread.start()

    def version(self) -> int:
        """The last version that was written. Only before the first `append`."""
        row = self._connection.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
        return int(row[0])

    def load(self) -> Iterator[Row]:
        """Everything that is there, after which it is known to be whole. Only before the first `append`."""
        found, self._whole = 0, False
        with _reading(self._path):
            rows = self._connection.execute("SELECT resource, namespace, name, version, checksum, data FROM objects")
            for resource, namespace, name, version, checksum, raw in rows:
                if zlib.crc32(raw) != checksum:
                    raise FolderError(
                        _damaged(self._path, f"{resource} {namespace}/{name} does not match its checksum")
                    )
                found += 1
                yield Row(resource, namespace, name, version, raw)
            # Writes go by the index, which reading the table does not touch: counting walks through its pages.
            (indexed,) = self._connection.execute("SELECT count(*) FROM objects").fetchone()
            if indexed != found:
                raise FolderError(_damaged(self._path, f"its index has {indexed} objects, its table {found}"))
        self._whole = True

    def append(self, change: Change, epoch: int) -> None:
        self._queue.put((change, epoch))

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
        if self._checkpointer is not None:
            self._checkpointer.close()
        if self._whole:
            self._connection.close()
        else:
            _close_untouched(self._connection, self._path)

    def _run(self, settled: Settled) -> None:
        while (group := self._next_group()) is not None:
            changes = [change for change, epoch in group if epoch > self._failed_epoch]
            if changes:
                error = self._write(changes)
                if error is not None:
                    self._failed_epoch = max(epoch for _, epoch in group)
                settled(len(changes), error)
                if error is None and self._checkpointer is not None:
                    self._checkpointer.noticed(sum(len(change.raw or b"") for change in changes))

    def _next_group(self) -> list[tuple[Change, int]] | None:
        """All that is waiting, at least one; None when closed."""
        first = self._queue.get()
        if first is None:
            return None
        group = [first]
        while len(group) < _LARGEST_GROUP:
            try:
                entry = self._queue.get_nowait()
            except queue.Empty:
                break
            if entry is None:
                self._queue.put(None)
                break
            group.append(entry)
        return group

    def _write(self, changes: Sequence[Change]) -> Exception | None:
        """Write changes in one transaction; the error if they could not be written."""
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            for change in changes:
                key = (change.resource, change.namespace, change.name)
                if change.raw is None:
                    connection.execute(_DELETE, key)
                else:
                    connection.execute(_UPSERT, (*key, change.version, zlib.crc32(change.raw), change.raw))
            connection.execute(_SET_VERSION, (changes[-1].version,))
            connection.execute("COMMIT")
        except Exception as error:  # whatever it is: the thread must live on, and the writers must hear of it
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            return error
        return None


class MemoryJournal:
    """A journal that keeps nothing: for tests and the simulator. Groups settle on the next turn of the event loop."""

    def __init__(self) -> None:
        self._settled: Settled | None = None
        self._waiting = 0

    def start(self, settled: Settled) -> None:
        self._settled = settled

    def append(self, change: Change, epoch: int) -> None:
        self._waiting += 1
        if self._waiting == 1:
            asyncio.get_running_loop().call_soon(self._settle)

    def _settle(self) -> None:
        count, self._waiting = self._waiting, 0
        if count and self._settled is not None:
            self._settled(count, None)

    def close(self) -> None:
        self._settle()
        self._settled = None


def backup(source: Path, destination: Path) -> None:
    """Copy the database while it is in use: one consistent moment, never half a write."""
    if not source.exists():
        raise FolderError(f"there is no Landform data at {source.parent}; name its folder with --data")
    if destination.exists():
        raise FolderError(f"{destination} exists already; choose another name, nothing was overwritten")
    partial = destination.with_name(destination.name + ".partial")
    try:
        partial.unlink(missing_ok=True)
        _create_private(partial)
        _copy(source, partial)
        _check_copy(source, partial)
        partial.rename(destination)
    except OSError as error:
        raise FolderError(f"the backup to {destination} failed: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def _copy(source: Path, partial: Path) -> None:
    """All of the source as it is at one moment; into an empty file, which keeps its mode."""
    with _reading(source), contextlib.closing(_read_only(source)) as reader:
        reader.execute("SELECT count(*) FROM sqlite_schema").fetchone()  # a fault from here on is about the copy
        try:
            reader.execute("VACUUM INTO ?", (str(partial),))
        except sqlite3.OperationalError as error:
            raise FolderError(f"the backup to {partial.parent} failed: {error}") from error


def _check_copy(source: Path, partial: Path) -> None:
    with contextlib.closing(sqlite3.connect(partial)) as copy:
        verdict = str(copy.execute("PRAGMA integrity_check").fetchone()[0])
    if verdict != "ok":
        raise FolderError(_damaged(source, verdict))
    descriptor = os.open(partial, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def _open(path: Path) -> sqlite3.Connection:
    """The database with our settings and the newest schema."""
    try:
        _create_private(path)
    except OSError as error:
        raise FolderError(f"{path} cannot be opened for writing: {error.strerror or error}") from error
    with _reading(path):
        connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA wal_autocheckpoint = 0")  # see Checkpointer
            connection.execute(f"PRAGMA journal_size_limit = {checkpoints.LARGEST_LOG}")
            _migrate(connection, path)
        except BaseException:
            _close_untouched(connection, path)
            raise
    return connection


def _close_untouched(connection: sqlite3.Connection, path: Path) -> None:
    """Close a database that is refused without changing it.

    The last one to close folds the write-ahead log, left by a crash, into the file; a reader cannot, so it goes last.
    """
    with contextlib.suppress(sqlite3.Error), contextlib.closing(_read_only(path)) as last:
        last.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        connection.close()
    connection.close()


def _create_private(path: Path) -> None:
    """Let only the owner read the file, which holds Secrets; SQLite gives its side files the same mode."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the schema up to date; each step is one transaction together with its number."""
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found > len(MIGRATIONS):
        raise FolderError(
            f"{path} was written by a newer Landform (schema {found}, this one knows {len(MIGRATIONS)});"
            " use that version, nothing was changed"
        )
    for number, (_, statements) in enumerate(MIGRATIONS[found:], start=found + 1):
        connection.executescript(f"BEGIN; {statements}; PRAGMA user_version = {number}; COMMIT;")


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn SQLite's words into one sentence for the user."""
    try:
        yield
    except sqlite3.Error as error:
        text = str(error)
        if "not a database" in text or "malformed" in text or "checksum" in text or "corrupt" in text:
            raise FolderError(_damaged(path, text)) from error
        if "full" in text:
            raise FolderError(f"there is no space left on the disk of {path}; free some and start again") from error
        if "readonly" in text or "unable to open" in text:
            raise FolderError(
                f"{path} cannot be opened for writing ({text}); check the permissions of its folder"
            ) from error
        raise FolderError(f"{path} cannot be used: {text}") from error


def _damaged(path: Path, detail: str) -> str:
    return (
        f"{path} is damaged ({detail}); it was left as it is:"
        " move it away and restore a copy made with `landform backup`"
    )
