"""The page about programs says what is so: variables, limits, its example, and the words of errors."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import pytest
from tests.deployers.programs.state.stores import files, world
from tests.deployers.programs.trees import make
from tests.docs import pages

from landform.cluster.resources import PROGRAM_STATE, SECRETS
from landform.deployers.programs.contract import contract, labels
from landform.deployers.programs.contract.contract import Layout, Operation
from landform.deployers.programs.contract.faults import ProgramDataError
from landform.deployers.programs.contract.sandboxes import Inputs
from landform.deployers.programs.files import archives, collecting, exportfiles, staging, tars
from landform.deployers.programs.states import statechunks
from landform.deployers.programs.states.statewriting import pack, scratch

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = "docs/programs.md"


def test_the_page_names_every_variable() -> None:
    named = re.findall(r"`([A-Z_]+)`", "".join(re.findall(r"^\| (`[A-Z_]+`.*?) \|", pages.read(PAGE), re.MULTILINE)))
    assert set(named) == set(contract.environment(Layout(contract.SHARED), Operation.DELETE))
    assert f"`{contract.SHARED}`" in pages.read(PAGE)
    assert f"user {contract.USER} in group {contract.GROUP}" in pages.read(PAGE)
    assert f"group {contract.FILES_GROUP}" in pages.read(PAGE)


def test_the_page_has_the_limits() -> None:
    rows = dict(re.findall(r"^\| ([a-z ]+) \| (\d+) \|$", pages.read(PAGE), re.MULTILINE))
    assert {what: int(limit) for what, limit in rows.items()} == {
        "files and folders": archives.PLENTY.entries,
        "bytes of all files together": archives.PLENTY.size,
        "bytes once it is packed": statechunks.MOST * statechunks.SIZE,
        "folders in folders": tars.DEEPEST,
        "bytes of a path": tars.LONGEST_PATH,
    }
    assert f"They may have {collecting.LARGEST_EXPORTS} bytes" in pages.read(PAGE)
    assert f"pieces of {statechunks.SIZE} bytes" in pages.read(PAGE)


def test_the_page_says_how_state_is_found() -> None:
    text = pages.read(PAGE)
    for words in (PROGRAM_STATE, f"{labels.TYPE}={statechunks.TYPE}", labels.ITEM_NAME):
        assert f"`{words}`" in text


def test_the_json_on_the_page_is_json() -> None:
    found = [json.loads(block.text) for block in pages.blocks(PAGE) if block.language == "json"]
    assert [set(each) for each in found] == [{"meta", "components"}, {"target", "content"}]


async def test_the_example_counts_its_runs() -> None:
    [program] = [block.text for block in pages.blocks(PAGE) if block.language == "bash"]
    async with world() as place:
        for number in (1, 2):
            run = place.made({})
            staging.stage(run, Inputs(script=program.encode()))
            await place.store().restore(Path(Layout(PurePosixPath(run)).state))
            assert _run(run, Operation.RECONCILE) == ""
            assert exportfiles.parse(collecting.read_exports(run) or b"") == {"runs": number}
            await place.store().save(Path(Layout(PurePosixPath(run)).state), f"run-{number}")
        assert _run(run, Operation.DELETE) == "gone after 2 runs\n"


def _run(folder: Path, operation: Operation) -> str:
    layout = Layout(PurePosixPath(folder))
    environment = {"PATH": os.environ["PATH"], **contract.environment(layout, operation)}
    done = subprocess.run(["/bin/sh", layout.script], env=environment, check=True, capture_output=True, text=True)
    return done.stdout


def _keep(folder: Path) -> None:
    with scratch() as file:
        pack(folder / "state", file)


def _link(folder: Path) -> None:
    (folder / "state" / "x").symlink_to("y")
    _keep(folder)


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / "state" / "x")
    _keep(folder)


def _no_folder(folder: Path) -> None:
    (folder / "state").rmdir()
    (folder / "state").touch()
    _keep(folder)


def _large_exports(folder: Path) -> None:
    (folder / "exports" / "values").write_bytes(bytes(2_000_000))
    collecting.read_exports(folder)


def _no_file(folder: Path) -> None:
    (folder / "exports" / "values").mkdir()
    collecting.read_exports(folder)


def _broken(_folder: Path) -> None:
    exportfiles.parse(b"a: [")


def _list(_folder: Path) -> None:
    exportfiles.parse(b"[]")


def _no_text(_folder: Path) -> None:
    exportfiles.parse(b"\xff")


@pytest.mark.parametrize("provoke", [_link, _pipe, _no_folder, _large_exports, _no_file, _broken, _list, _no_text])
def test_errors_are_in_the_table_as_they_are_said(tmp_path: Path, provoke: Callable[[Path], None]) -> None:
    staging.stage(make(tmp_path / "run", {}), Inputs())
    with pytest.raises(ProgramDataError) as caught:
        provoke(tmp_path / "run")
    assert _documented(str(caught.value)), str(caught.value)


async def test_a_damaged_state_is_said_as_in_the_table() -> None:
    async with world() as place:
        saved = await place.store().save(place.made(files(noise=os.urandom(600_000))), "run")
        assert saved is not None
        await place.cluster.delete(SECRETS, saved.names[1], namespace="default")
        with pytest.raises(ProgramDataError) as caught:
            await place.restored(place.store())
        assert _documented(str(caught.value)), str(caught.value)


def test_a_state_that_is_too_large_is_said_as_in_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statechunks, "MOST", 0)
    with scratch() as file, pytest.raises(ProgramDataError) as caught:
        pack(make(tmp_path / "state", {}), file)
    assert _documented(str(caught.value).replace("at most 0 ", "at most 536870912 ")), str(caught.value)


def _documented(sentence: str) -> bool:
    rows = re.findall(r"^\| `(.+?)` \|", pages.read(PAGE), re.MULTILINE)
    return any(re.fullmatch(re.escape(row).replace(r"\.\.\.", ".+"), sentence) for row in rows)
