"""The SQLite journal: what is settled survives, what cannot be trusted is refused and left as it is."""

from __future__ import annotations

import queue
import sqlite3
import stat
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from landform.embedded import journal as journals
from landform.embedded.folder import FolderError
from landform.embedded.journal import Change, Row, SqliteJournal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class Outcomes:
    """What a journal reported, group by group."""

    def __init__(self) -> None:
        self._groups: queue.SimpleQueue[tuple[int, Exception | None]] = queue.SimpleQueue()

    def __call__(self, count: int, error: Exception | None) -> None:
        self._groups.put((count, error))

    def next(self) -> tuple[int, Exception | None]:
        return self._groups.get(timeout=30)

    def until(self, total: int) -> list[int]:
        """The sizes of the groups that make up so many changes."""
        sizes: list[int] = []
        while sum(sizes) < total:
            count, error = self.next()
            assert error is None
            sizes.append(count)
        return sizes


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "landform.db"


@pytest.fixture
def journal(path: Path) -> Iterator[SqliteJournal]:
    with closing(SqliteJournal(path)) as opened:
        yield opened


@pytest.fixture
def outcomes(journal: SqliteJournal) -> Outcomes:
    heard = Outcomes()
    journal.start(heard)
    return heard


def put(version: int, name: str = "x", raw: bytes | None = b"{}") -> Change:
    return Change(version, "things.test", "ns", name, raw)


def written(path: Path, count: int = 3) -> Path:
    """A database with some rows, closed in order."""
    with closing(SqliteJournal(path)) as journal:
        journal.start(lambda count, error: None)
        for version in range(1, count + 1):
            journal.append(put(version, f"x{version:06}", b'{"text":"%s"}' % (b"t" * 500)), 0)
    return path


def contents(path: Path) -> tuple[int, list[Row]]:
    with closing(SqliteJournal(path)) as journal:
        return journal.version(), sorted(journal.load())


def test_what_was_settled_is_there_after_reopening(path: Path) -> None:
    outcomes = Outcomes()
    with closing(SqliteJournal(path)) as journal:
        journal.start(outcomes)
        for change in (put(1, "a"), put(2, "b", b"{1}"), put(3, "a", b"{2}"), put(4, "b", None), put(5, "gone", None)):
            journal.append(change, 0)
        outcomes.until(5)
    assert contents(path) == (5, [Row("things.test", "ns", "a", 3, b"{2}")])


def test_closing_finishes_what_was_appended_and_may_be_repeated(path: Path) -> None:
    outcomes = Outcomes()
    journal = SqliteJournal(path)
    journal.start(outcomes)
    for version in range(1, 2001):
        journal.append(put(version, f"x{version}"), 0)
    journal.close()
    journal.close()
    assert sum(outcomes.until(2000)) == 2000
    version, rows = contents(path)
    assert (version, len(rows)) == (2000, 2000)


def test_a_journal_that_was_never_started_can_be_closed(path: Path) -> None:
    journal = SqliteJournal(path)
    journal.close()
    journal.close()


def test_changes_that_wait_share_a_transaction(path: Path) -> None:
    outcomes = Outcomes()
    with closing(SqliteJournal(path)) as journal:
        for version in range(1, 3001):
            journal.append(put(version, f"x{version}"), 0)
        journal.start(outcomes)
        assert outcomes.until(3000) == [1024, 1024, 952]


def test_a_group_is_written_whole_or_not_at_all(path: Path) -> None:
    outcomes = Outcomes()
    with closing(SqliteJournal(path)) as journal:
        journal.append(put(1, "good"), 0)
        journal.append(put(2, "bad", 3.5), 0)  # type: ignore[arg-type]  # no bytes: the checksum cannot be made
        journal.start(outcomes)
        count, error = outcomes.next()
        assert count == 2
        assert isinstance(error, TypeError)
        journal.append(put(3, "decided on what was lost"), 0)
        journal.append(put(4, "next"), 1)
        assert outcomes.next() == (1, None)
    assert contents(path) == (4, [Row("things.test", "ns", "next", 4, b"{}")])


def test_only_the_owner_can_read_the_files(path: Path, journal: SqliteJournal, outcomes: Outcomes) -> None:
    journal.append(put(1), 0)
    outcomes.until(1)
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == {"landform.db": 0o600, "landform.db-shm": 0o600, "landform.db-wal": 0o600}


def test_every_commit_waits_for_the_disk(journal: SqliteJournal) -> None:
    connection = journal._connection
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_an_empty_file_gets_every_migration_in_order(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    more = (*journals.MIGRATIONS, ("second", "CREATE TABLE second (a)"), ("third", "INSERT INTO second VALUES (1)"))
    monkeypatch.setattr(journals, "MIGRATIONS", more)
    SqliteJournal(path).close()
    with closing(sqlite3.connect(path)) as found:
        assert found.execute("PRAGMA user_version").fetchone() == (len(more),)
        assert found.execute("SELECT a FROM second").fetchall() == [(1,)]


def test_an_older_file_gets_only_the_migrations_it_lacks(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(written(path))
    monkeypatch.setattr(journals, "MIGRATIONS", (*journals.MIGRATIONS, ("second", "CREATE TABLE second (a)")))
    assert contents(path) == before
    with closing(sqlite3.connect(path)) as found:
        assert found.execute("PRAGMA user_version").fetchone() == (2,)


def test_a_migration_that_fails_leaves_the_file_at_the_step_before(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(written(path))
    released = journals.MIGRATIONS
    broken = ("second", "CREATE TABLE second (a); INSERT INTO nowhere VALUES (1)")
    monkeypatch.setattr(journals, "MIGRATIONS", (*released, broken))
    with pytest.raises(FolderError, match=r"landform.db cannot be used: no such table: nowhere"):
        SqliteJournal(path)
    monkeypatch.setattr(journals, "MIGRATIONS", released)
    assert contents(path) == before


def test_a_newer_schema_is_refused_and_left_alone(path: Path) -> None:
    with closing(sqlite3.connect(written(path))) as found:
        found.execute("PRAGMA user_version = 2")
    before = path.read_bytes()
    with pytest.raises(FolderError) as refused:
        SqliteJournal(path)
    assert str(refused.value) == (
        f"{path} was written by a newer Landform (schema 2, this one knows 1); use that version, nothing was changed"
    )
    assert path.read_bytes() == before


def test_an_object_that_does_not_match_its_checksum_is_named(path: Path) -> None:
    with closing(sqlite3.connect(written(path))) as found, found:
        found.execute("UPDATE objects SET data = ? WHERE name = 'x000002'", (b'{"text":"changed"}',))
    with pytest.raises(FolderError) as refused:
        contents(path)
    assert str(refused.value) == (
        f"{path} is damaged (things.test ns/x000002 does not match its checksum); it was left as it is:"
        " move it away and restore a copy made with `landform backup`"
    )


def damage_header(raw: bytearray) -> None:
    raw[:16] = b"not a database!!"


def damage_middle(raw: bytearray) -> None:
    middle = len(raw) // 2
    raw[middle : middle + 8192] = b"\xa5" * 8192


def damage_all(raw: bytearray) -> None:
    raw[:] = b"garbage " * 4096


def cut_off(raw: bytearray) -> None:
    del raw[len(raw) // 2 :]


def cut_to_a_rest(raw: bytearray) -> None:
    del raw[100:]


DAMAGES = [damage_header, damage_middle, damage_all, cut_off, cut_to_a_rest]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: str(damage.__name__))
def test_a_damaged_file_is_refused_and_left_as_it_is(path: Path, damage: Callable[[bytearray], None]) -> None:
    raw = bytearray(written(path, 2000).read_bytes())
    damage(raw)
    path.write_bytes(raw)
    with pytest.raises(FolderError, match=r"is damaged .*; it was left as it is: move it away and restore a copy"):
        contents(path)
    assert path.read_bytes() == raw


def crashed(path: Path) -> Path:
    """A copy of a database as a crash leaves it: much of it in the file, the last of it only in the log beside it."""
    copy = path.with_name("crashed.db")
    written(path, 2000)
    with closing(SqliteJournal(path)) as journal:
        outcomes = Outcomes()
        journal.start(outcomes)
        journal.append(put(2001, "last"), 0)
        outcomes.until(1)
        for suffix in ("", "-wal"):
            copy.with_name(copy.name + suffix).write_bytes(path.with_name(path.name + suffix).read_bytes())
    return copy


def test_what_a_crash_left_in_the_log_is_there_after_reopening(path: Path) -> None:
    version, rows = contents(crashed(path))
    assert (version, len(rows)) == (2001, 2001)


def refuse_newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as keeper, closing(sqlite3.connect(path)) as writer:
        keeper.execute("SELECT count(*) FROM objects").fetchone()
        writer.execute("PRAGMA user_version = 2")
        files = {file: file.read_bytes() for file in (path, path.with_name(path.name + "-wal"))}
    for file, raw in files.items():  # as a crash of the newer one would leave it
        file.write_bytes(raw)


def damage_file(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    damage_middle(raw)
    path.write_bytes(raw)


@pytest.mark.parametrize(
    ("spoil", "told"), [(damage_file, "is damaged"), (refuse_newer, "newer Landform")], ids=["damaged", "newer"]
)
def test_a_refused_file_keeps_the_log_that_a_crash_left(path: Path, spoil: Callable[[Path], None], told: str) -> None:
    database = crashed(path)
    spoil(database)
    log = database.with_name(database.name + "-wal")
    before = database.read_bytes(), log.read_bytes()
    with pytest.raises(FolderError, match=told):
        contents(database)
    assert (database.read_bytes(), log.read_bytes()) == before


def test_a_damaged_index_is_found_before_anything_is_written(path: Path) -> None:
    with closing(sqlite3.connect(written(path, 2000))) as found:
        query = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_objects_1'"
        (page,) = found.execute(query).fetchone()
        (size,) = found.execute("PRAGMA page_size").fetchone()
    raw = bytearray(path.read_bytes())
    raw[(page - 1) * size : page * size] = b"\xa5" * size
    path.write_bytes(raw)
    with pytest.raises(FolderError, match="is damaged"):
        contents(path)
    assert path.read_bytes() == raw


def test_a_copy_made_while_writing_is_one_consistent_moment(
    path: Path, tmp_path: Path, journal: SqliteJournal, outcomes: Outcomes
) -> None:
    copies = []
    for number in range(5):
        for version in range(number * 400 + 1, number * 400 + 401):
            # Two objects that always change in turn: a moment has them at most one version apart.
            journal.append(put(version, "ab"[version % 2], str(version).encode()), 0)
        copies.append(tmp_path / f"copy-{number}")
        journals.backup(path, copies[-1])
    outcomes.until(2000)
    for copy in copies:
        version, rows = contents(copy)
        found = [int(row.raw) for row in rows]
        assert all(row.version == int(row.raw) for row in rows)
        assert max(found, default=0) == version
        assert not found or max(found) - min(found) <= 1


def test_a_copy_is_private_and_complete(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    journals.backup(written(path), copy)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert contents(copy) == contents(path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["copy.db", "landform.db"]


def test_a_copy_overwrites_nothing(path: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine")
    with pytest.raises(FolderError) as refused:
        journals.backup(written(path), taken)
    assert str(refused.value) == f"{taken} exists already; choose another name, nothing was overwritten"
    assert taken.read_text() == "mine"


def test_a_copy_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match=r"there is no Landform data at .*; name its folder with --data"):
        journals.backup(tmp_path / "none" / "landform.db", tmp_path / "copy")


def test_a_copy_into_a_missing_folder_blames_the_right_place(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "missing" / "copy"
    with pytest.raises(FolderError) as refused:
        journals.backup(written(path), copy)
    assert str(refused.value) == f"the backup to {copy} failed: No such file or directory"


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: str(damage.__name__))
def test_a_damaged_file_is_not_copied(path: Path, tmp_path: Path, damage: Callable[[bytearray], None]) -> None:
    raw = bytearray(written(path, 2000).read_bytes())
    damage(raw)
    path.write_bytes(raw)
    with pytest.raises(FolderError, match=r"landform.db is damaged"):
        journals.backup(path, tmp_path / "copy")
    assert [file.name for file in tmp_path.iterdir() if "copy" in file.name] == []
    assert path.read_bytes() == raw
