"""The cache of content on disk: bounded, shared by processes, and never trusted blindly."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from landform.components import caches, digests
from landform.components.caches import BlobCache
from landform.components.errors import Corrupt

if TYPE_CHECKING:
    from pathlib import Path


def _put(cache: BlobCache, content: bytes) -> str:
    digest = digests.of(content)
    cache.put(digest, content)
    return digest


def _age(path: Path, seconds: float) -> None:
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


def test_content_is_found_by_its_digest(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path)
    digest = _put(cache, b"x")
    path = BlobCache(tmp_path).get(digest)
    assert path is not None
    assert path.read_bytes() == b"x"
    assert cache.get(digests.of(b"y")) is None


def test_nobody_else_on_the_machine_can_look_into_the_folder(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path / "of" / "mine")
    _put(cache, b"x")
    assert stat.S_IMODE(cache.folder.stat().st_mode) == 0o700


def test_wrong_content_is_not_accepted(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path)
    with pytest.raises(Corrupt):
        cache.put(digests.of(b"x"), b"y")
    assert cache.get(digests.of(b"x")) is None
    assert list((tmp_path / "incoming").iterdir()) == []


def test_a_damaged_file_is_thrown_away(tmp_path: Path) -> None:
    digest = _put(BlobCache(tmp_path), b"content")
    path = BlobCache(tmp_path).get(digest)
    assert path is not None
    path.write_bytes(b"CONTENT")
    assert BlobCache(tmp_path).get(digest) is None
    assert not path.exists()


@pytest.mark.parametrize("digest", ["../../etc/passwd", "sha256:../x", "md5:" + "0" * 32, ""])
def test_only_digests_are_names(tmp_path: Path, digest: str) -> None:
    with pytest.raises(Corrupt):
        BlobCache(tmp_path).get(digest)


def test_what_was_not_used_for_longest_makes_room(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path, limit=2500)
    kept, old, older = (_put(cache, letter * 1000) for letter in (b"a", b"b", b"c"))
    for digest, seconds in ((kept, 1000), (old, 2000), (older, 3000)):
        path = cache.get(digest)
        assert path is not None
        _age(path, seconds)
    cache.sweep()
    assert [cache.get(digest) is not None for digest in (kept, old, older)] == [True, True, False]


def test_what_was_just_used_stays(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path, limit=10)
    digest = _put(cache, b"x" * 100)
    cache.sweep()
    assert cache.get(digest) is not None


def test_what_never_came_in_completely_is_swept(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path)
    for age in (10, 7200):
        path = cache.incoming(digests.of(b"x"))
        path._file.close()
        _age(path._part, age)
    cache.sweep()
    assert len(list((tmp_path / "incoming").iterdir())) == 1


def test_a_killed_process_leaves_nothing_that_anybody_would_take_for_content(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib\nfrom landform.components import digests\n"
        "from landform.components.caches import BlobCache\n"
        "incoming = BlobCache(pathlib.Path(sys.argv[1])).incoming(digests.of(b'whole content'))\n"
        "incoming.write(b'whole'); incoming._file.flush(); print('written', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"written\n"
        process.send_signal(signal.SIGKILL)
    cache = BlobCache(tmp_path)
    assert cache.get(digests.of(b"whole content")) is None
    assert _put(cache, b"whole content")


def test_many_processes_may_put_the_same_content(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib\nfrom landform.components import digests\n"
        "from landform.components.caches import BlobCache\n"
        "cache = BlobCache(pathlib.Path(sys.argv[1]), limit=50_000)\n"
        "for number in range(200):\n"
        "    content = str(number % 50).encode() * 500\n"
        "    cache.put(digests.of(content), content); cache.sweep()\n"
        "    assert cache.get(digests.of(content)) is not None\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    processes = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait(50) for process in processes] == [0, 0, 0]


def test_what_another_process_brings_is_seen_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = BlobCache(tmp_path), BlobCache(tmp_path)
    digest = digests.of(b"theirs")
    assert ours.lacks(digest)
    theirs.put(digest, b"theirs")
    assert not theirs.lacks(digest)
    monkeypatch.setattr(caches, "_LISTED_SECONDS", -1.0)
    assert not ours.lacks(digest)


def test_a_folder_with_many_files_is_not_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "_MOST_LISTED", 1)
    cache = BlobCache(tmp_path)
    contents = [b"one", b"two", b"three"]
    for content in contents:
        cache.put(digests.of(content), content)
    fresh = BlobCache(tmp_path)
    assert not any(fresh.lacks(digests.of(content)) for content in contents)
    assert fresh.lacks(digests.of(b"four"))


def test_a_file_that_is_gone_since_it_was_listed_is_not_there(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path)
    path = cache.put(digests.of(b"one"), b"one")
    path.unlink()
    assert cache.get(digests.of(b"one")) is None
