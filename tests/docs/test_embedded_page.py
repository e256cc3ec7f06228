"""The page about the embedded home says what the home does: its limits, its files, its kinds."""

from __future__ import annotations

import inspect
import re
import stat
from typing import TYPE_CHECKING

import pytest
from tests.docs import pages
from tests.embedded.clients.homes import running

from landform.embedded import history
from landform.embedded.access import token_requests
from landform.embedded.home import KUBERNETES_VERSION
from landform.embedded.housekeeping import expiry
from landform.embedded.registry import LARGEST_OBJECT
from landform.embedded.schemas.bodies import DEEPEST
from landform.testing import homes

if TYPE_CHECKING:
    from pathlib import Path

PAGE = "docs/embedded.md"
HISTORY = {name: parameter.default for name, parameter in inspect.signature(history.History).parameters.items()}


@pytest.mark.parametrize(
    "words",
    [
        f"| {LARGEST_OBJECT >> 20} MiB |",
        f"| {DEEPEST} levels |",
        f"| {HISTORY['most_events']:,} changes or {HISTORY['most_bytes'] >> 20} MiB",
        f"| {HISTORY['buffer']:,} changes |",
        f"kept for {expiry.KEPT.seconds // 3600} hour",
        f"Kubernetes {KUBERNETES_VERSION[1:].rpartition('.')[0]}",
    ],
)
def test_the_limits_are_those_of_the_code(words: str) -> None:
    assert words in pages.read(PAGE)


def test_tokens_live_as_long_as_the_page_says() -> None:
    assert (token_requests.DEFAULT_SECONDS, token_requests.SHORTEST_SECONDS) == (3600, 600)
    assert "Tokens live an hour unless asked otherwise, at least ten minutes" in pages.read(PAGE)


def test_the_data_folder_has_the_files_and_modes_of_the_table(tmp_path: Path) -> None:
    table = re.findall(r"^\| `([a-z./-]+)` \| 0(\d+) \|", pages.read(PAGE), re.MULTILINE)
    with running(tmp_path):
        folder = tmp_path / "data"
        found = {
            (str(file.relative_to(folder)), f"{stat.S_IMODE(file.stat().st_mode):o}")
            for file in folder.rglob("*")
            if file.is_file() and not file.name.endswith(("-wal", "-shm"))
        }
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert found == set(table)


async def test_the_kinds_of_the_page_are_served() -> None:
    stored_only = re.search(r"\*\*Stored only\*\*: (.+?),\s+webhook configurations", pages.read(PAGE), re.DOTALL)
    assert stored_only is not None
    named = set(stored_only[1].replace("\n", " ").replace(" ", "").split(","))
    async with homes.in_process() as cluster:
        served = {resource.kind for resource in await cluster.discover()}
    assert named - served == set()
    assert len(named) > 15
