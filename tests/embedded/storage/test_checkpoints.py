"""The log is folded back beside the writer, when nobody writes."""

from __future__ import annotations

import queue
import time
from contextlib import closing
from typing import TYPE_CHECKING

from landform.embedded import checkpoints
from landform.embedded.journal import Change, SqliteJournal

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

_PAGE = b'{"data":"' + b"x" * 4000 + b'"}'


def _written(journal: SqliteJournal, count: int) -> None:
    """Write so many objects, each in a commit of its own."""
    settled: queue.SimpleQueue[tuple[int, Exception | None]] = queue.SimpleQueue()
    journal.start(lambda number, error: settled.put((number, error)))
    for version in range(1, count + 1):
        journal.append(Change(version, "things.test", "ns", f"thing-{version % 50}", _PAGE), 0)
        assert settled.get(timeout=30) == (1, None)


def test_a_large_log_is_emptied_once_nobody_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "QUIET_SECONDS", 0.001)
    monkeypatch.setattr(checkpoints, "LARGEST_LOG", 200_000)
    path = tmp_path / "landform.db"
    log = path.with_name("landform.db-wal")
    deadline = time.monotonic() + 20
    with closing(SqliteJournal(path)) as journal:
        _written(journal, 200)
        while log.stat().st_size > checkpoints.LARGEST_LOG:
            assert time.monotonic() < deadline, f"the log still has {log.stat().st_size} bytes"


def test_what_was_folded_back_is_there_after_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "QUIET_SECONDS", 0.001)
    monkeypatch.setattr(checkpoints, "MOST_BYTES", 10_000)
    path = tmp_path / "landform.db"
    with closing(SqliteJournal(path)) as journal:
        _written(journal, 120)
    with closing(SqliteJournal(path)) as journal:
        rows = list(journal.load())
        assert journal.version() == 120
    assert sorted(row.version for row in rows) == list(range(71, 121))
