"""The script of an item may be a file of its blueprint, and what is wrong with its name is said."""

from __future__ import annotations

import pytest

from landform.api.errors import OperationFailed
from landform.blueprints.staging import Staged
from landform.deployers.programs.contract.sandboxes import Program
from landform.deployers.programs.orders import gathering
from landform.deployers.programs.orders.specifications import Specification

FILES = {"blueprint.yaml": b"", "bin/run.sh": b"echo", **{f"data/{number}": b"" for number in range(9)}}


def script_of(file: str, files: dict[str, bytes]) -> bytes | None:
    return gathering.script_of(Specification(Program(is_script=True), script_file=file), Staged(files=files))


@pytest.mark.parametrize("file", ["bin/run.sh", "/bin/run.sh", "./bin/run.sh", "bin//run.sh", "data/../bin/run.sh"])
def test_a_file_is_found_however_its_path_is_written(file: str) -> None:
    assert script_of(file, FILES) == b"echo"


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("bin", "that is a folder of the blueprint; name a file in it"),
        ("/", "that is a folder of the blueprint; name a file in it"),
        ("run.sh", "the blueprint has no such file; it has bin/run.sh, blueprint.yaml, data/0, .*, data/5 and 3 more$"),
        ("../bin/run.sh", "the blueprint has no such file"),
    ],
)
def test_a_file_that_is_not_there_is_said_with_those_that_are(file: str, words: str) -> None:
    with pytest.raises(OperationFailed, match=words):
        script_of(file, FILES)


def test_a_blueprint_may_have_no_files() -> None:
    with pytest.raises(OperationFailed, match=r'spec.config.file: "x": the blueprint has no files'):
        script_of("x", {})
