"""Small content on its way into the cache: usable at once, on disk in the end."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from landform.components import digests
from landform.components.caches import BlobCache
from landform.components.savings import Saving
from landform.testing import time

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

CONTENTS = {digests.of(text): text for text in (b"one", b"two", b"three")}


async def test_content_is_usable_at_once_and_on_disk_in_the_end(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path)
    saving = Saving(cache)
    for digest, content in CONTENTS.items():
        await saving.keep(digest, content)
    assert [saving.kept(digest) for digest in CONTENTS] == list(CONTENTS.values())
    await saving.settle()
    assert [saving.kept(digest) for digest in CONTENTS] == [None] * 3
    for digest, content in CONTENTS.items():
        path = await asyncio.to_thread(cache.get, digest)
        assert path is not None
        assert path.read_bytes() == content


async def test_what_comes_while_others_are_written_is_written_too(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path)
    saving = Saving(cache)
    for digest, content in CONTENTS.items():
        await saving.keep(digest, content)
        await asyncio.sleep(0)
    await saving.settle()
    assert not any(cache.lacks(digest) for digest in CONTENTS)


async def test_a_disk_that_cannot_be_written_is_told_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "cache").write_text("a file, not a folder")
    saving = Saving(BlobCache(tmp_path / "cache"))
    with caplog.at_level(logging.WARNING):
        await saving.keep(digests.of(b"one"), b"one")
        await saving.settle()
    assert "cannot be written" in caplog.text
    assert saving.kept(digests.of(b"one")) is None


def test_nothing_is_written_while_more_keeps_coming(tmp_path: Path) -> None:
    async def scenario() -> None:
        cache = BlobCache(tmp_path)
        saving = Saving(cache)
        for digest, content in CONTENTS.items():
            await saving.keep(digest, content)
            await asyncio.sleep(0.04)
        assert all(cache.lacks(digest) for digest in CONTENTS)
        await asyncio.sleep(0.1)
        assert not any(cache.lacks(digest) for digest in CONTENTS)

    time.run(scenario())
