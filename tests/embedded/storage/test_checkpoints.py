"""The log is folded back beside the writer, and never grows without limit."""

from __future__ import annotations

import queue
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


def test_a_log_under_steady_writes_stays_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "AFTER_BYTES", 20_000)
    monkeypatch.setattr(checkpoints, "LARGEST_LOG", 200_000)
    path = tmp_path / "landform.db"
    with closing(SqliteJournal(path)) as journal:
        _written(journal, 600)
        log = path.with_name("landform.db-wal").stat().st_size
    unbounded = 600 * 3 * 4096
    assert log < unbounded / 4


def test_what_was_folded_back_is_there_after_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "AFTER_BYTES", 10_000)
    path = tmp_path / "landform.db"
    with closing(SqliteJournal(path)) as journal:
        _written(journal, 120)
    with closing(SqliteJournal(path)) as journal:
        rows = list(journal.load())
        assert journal.version() == 120
    assert sorted(row.version for row in rows) == list(range(71, 121))
