"""What a program finds when it starts is exactly what the contract says."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath

import pytest
from tests.deployers.programs.trees import Node, describe, make

from landform.deployers.programs.contract.contract import Layout, Owner
from landform.deployers.programs.contract.faults import Damaged
from landform.deployers.programs.contract.sandboxes import Inputs
from landform.deployers.programs.files import archives
from landform.deployers.programs.files.staging import stage

EVERYTHING = Inputs(
    imports=b'{"a": 1}',
    target=b'{"target": {}}',
    component_descriptors=b'{"components": []}',
    content=archives.pack_files({"blueprint.yaml": b"kind: Blueprint", "files/run.sh": b"#!"}),
    script=b"#!/bin/sh\n",
)


def staged(folder: Path) -> dict[str, tuple[bytes | None, int]]:
    return {os.fsdecode(path): (node.content, node.mode) for path, node in describe(folder).items()}


def test_all_inputs_are_staged_where_the_contract_says(tmp_path: Path) -> None:
    stage(tmp_path, EVERYTHING, restore=lambda state: make(state, {b"kept": Node(b"x", 0o600)}))
    assert staged(tmp_path) == {
        "imports": (None, 0o777),
        "imports/import.json": (b'{"a": 1}', 0o644),
        "exports": (None, 0o777),
        "targets": (None, 0o777),
        "targets/target.json": (b'{"target": {}}', 0o644),
        "component_descriptor.json": (b'{"components": []}', 0o644),
        "content": (None, 0o777),
        "content/blueprint.yaml": (b"kind: Blueprint", 0o644),
        "content/files": (None, 0o755),
        "content/files/run.sh": (b"#!", 0o644),
        "script": (None, 0o777),
        "script/run": (b"#!/bin/sh\n", 0o755),
        "state": (None, 0o777),
        "state/kept": (b"x", 0o600),
    }


def test_what_an_item_does_not_have_is_not_there(tmp_path: Path) -> None:
    stage(tmp_path, Inputs())
    assert staged(tmp_path) == {
        "imports": (None, 0o777),
        "exports": (None, 0o777),
        "targets": (None, 0o777),
        "targets/target.json": (b"null", 0o644),
        "content": (None, 0o777),
        "state": (None, 0o777),
    }


def test_every_path_of_the_contract_is_below_the_folder(tmp_path: Path) -> None:
    stage(tmp_path, EVERYTHING)
    layout = Layout(PurePosixPath(tmp_path))
    for place in (layout.imports, layout.target, layout.component_descriptors, layout.script):
        assert Path(place).is_file()
    for place in (layout.content, layout.state, layout.exports.parent):
        assert Path(place).is_dir()


def test_permissions_do_not_depend_on_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        stage(tmp_path, EVERYTHING)
    finally:
        os.umask(before)
    found = staged(tmp_path)
    assert found["state"][1] == found["exports"][1] == 0o777
    assert found["imports/import.json"][1] == found["content/files/run.sh"][1] == 0o644
    assert found["content/files"][1] == found["script/run"][1] == 0o755


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_everything_belongs_to_the_program_if_it_should(tmp_path: Path) -> None:
    before = tmp_path.stat()
    stage(tmp_path, EVERYTHING, owner=Owner(1000, 2000))
    for path in describe(tmp_path):
        said = os.stat(os.fsencode(tmp_path) + b"/" + path)
        assert (said.st_uid, said.st_gid) == (1000, 2000), path
    after = tmp_path.stat()
    assert (after.st_uid, stat.S_IMODE(after.st_mode)) == (before.st_uid, stat.S_IMODE(before.st_mode))


def test_content_that_cannot_be_unpacked_is_said(tmp_path: Path) -> None:
    with pytest.raises(Damaged, match="the files of the blueprint cannot be staged: it cannot be decompressed"):
        stage(tmp_path, Inputs(content=b"no archive"))
