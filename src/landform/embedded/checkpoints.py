"""Folding SQLite's write-ahead log back into the database, beside the writer and when nobody writes.

By default SQLite does that within a commit, which then takes up to 90 ms; and even in another thread it keeps the disk
from the writer for as long. Whoever waits for that commit, and every watcher, waits with it.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

QUIET_SECONDS = 1.0
"""How long nothing must have been written before the log is folded back."""

MOST_BYTES = 128 << 20
"""After so much the log is folded back even if writes go on."""

LARGEST_LOG = 256 << 20
"""A log that has grown beyond this under steady writes is emptied, for which the writer waits a moment."""


class Checkpointer:
    """A thread that folds the log back now and then. Nothing depends on it but the size of the log."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._log = database.with_name(f"{database.name}-wal")
        self._written = 0
        self._due = threading.Event()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="journal checkpoints", daemon=True)
        self._thread.start()

    def noticed(self, written: int) -> None:
        """So many more bytes were committed. Called by the writer's thread only."""
        self._written += written
        self._due.set()

    def close(self) -> None:
        """Stop, and leave the rest to the writer's own closing."""
        self._closed.set()
        self._due.set()
        self._thread.join()

    def _run(self) -> None:
        with contextlib.closing(sqlite3.connect(self._database, isolation_level=None)) as connection:
            folded = 0
            while True:
                self._due.wait()
                self._due.clear()
                before = self._written
                if self._closed.wait(QUIET_SECONDS):
                    return
                if self._written != before and before - folded < MOST_BYTES:
                    self._due.set()  # somebody still writes
                    continue
                folded = self._written
                self._fold(connection)

    def _fold(self, connection: sqlite3.Connection) -> None:
        # A full disk or a busy writer: the next round tries again, and the writer reports what users need.
        with contextlib.suppress(sqlite3.Error, OSError):
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            if self._log.stat().st_size > LARGEST_LOG:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
