"""`landform run`: a landscape from a folder to its end."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from tests.cli.processes import PATIENCE_SECONDS, Up, command, environment, up
from tests.cli.typed import Said
from tests.engine.landscapes import installation

from landform.cli.main import main
from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def run(data: Path, *arguments: Path | str) -> Said:
    result = CliRunner().invoke(main, ["run", "--data", str(data), *map(str, arguments)], prog_name="landform")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Said(result.exit_code, result.stdout, result.stderr)


def write(path: Path, *objects: dict[str, Any]) -> Path:
    for obj in objects:
        obj["metadata"].pop("annotations", None)  # it is the command that starts jobs
    path.write_text("---\n".join(map(yamls.dump, objects)))
    return path


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with up(tmp_path_factory.mktemp("home") / "data") as home:
        yield home
        assert home.stop() == 0


def test_a_landscape_runs_to_its_end_without_any_set_up(tmp_path: Path) -> None:
    importer = installation("importer", imports=("address",), exports="greeting", value="hello")
    exporter = installation("exporter", exports="address", value="secret-address")
    # Which one is written first does not matter.
    said = run(tmp_path / "data", write(tmp_path / "both.yaml", importer, exporter))
    assert said.code == 0, said
    lines = said.out.splitlines()
    assert lines[:2] == ["installations/importer applied and started", "installations/exporter applied and started"]
    assert [line.split()[:2] for line in lines[2:] if line[0].isalpha()] == [
        ["importer", "Succeeded"],
        ["exporter", "Succeeded"],
    ]
    assert "│  exports address" in lines
    assert "secret-address" not in said.out + said.err
    assert "exporter: Succeeded" in said.err.splitlines()


def test_a_failure_ends_with_one_and_tells_why(tmp_path: Path) -> None:
    said = run(tmp_path / "data", write(tmp_path / "a.yaml", installation("lonely", imports=("nothing",))))
    assert said.code == 1
    assert "lonely" in said.out
    assert "lonely failed" in said.err.splitlines()
    assert "nothing" in said.err
    assert said.err.splitlines()[-1] == (
        "Mend the cause, then start again with `landform reconcile lonely -n default`."
    )


def test_a_job_that_takes_longer_than_allowed_is_a_failure(home: Up, tmp_path: Path) -> None:
    said = run(home.folder, write(tmp_path / "a.yaml", installation("slow", delay="5s")), "--timeout", "1500ms")
    assert said.code == 1
    assert "slow is not done, and its time is over" in said.err
    assert "the configured delay of 5s" in said.err


def test_a_home_that_runs_is_used(home: Up, tmp_path: Path) -> None:
    file = write(tmp_path / "a.yaml", installation("here"))
    assert run(home.folder, file).code == 0
    assert run(tmp_path / "unused", file, "--kubeconfig", home.kubeconfig).code == 0
    assert not (tmp_path / "unused").exists()
    tree = CliRunner().invoke(main, ["tree", "here", "--data", str(home.folder)])
    assert tree.output.split()[:2] == ["here", "Succeeded"]


def test_programs_get_nothing_but_data(home: Up, tmp_path: Path) -> None:
    file = write(tmp_path / "a.yaml", installation("data", exports="x", value="fine"))
    [root] = json.loads(run(home.folder, file, "-o", "json", "--show-values").out)
    assert (root["name"], root["state"], root["exports"]) == (
        "data",
        "succeeded",
        [{"name": "x", "kind": "DataObject", "value": "fine"}],
    )


def test_objects_without_an_installation_are_applied_and_that_is_all(home: Up, tmp_path: Path) -> None:
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}}
    assert run(home.folder, write(tmp_path / "a.yaml", settings)) == Said(0, "configmaps/settings applied\n", "")


def test_no_path_is_a_usage_error(tmp_path: Path) -> None:
    assert run(tmp_path).code == 2


def test_ctrl_c_ends_it_at_once(tmp_path: Path) -> None:
    file = write(tmp_path / "a.yaml", installation("s", delay="1m"))
    with started(tmp_path, "--data", tmp_path / "data", file) as process:
        wait_for_line(process, "installations/s applied and started")
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        assert process.wait(PATIENCE_SECONDS) == 130
        assert time.monotonic() - begun < 10
    assert "Traceback" not in (tmp_path / "stderr").read_text()


def test_a_kept_home_stays_until_ctrl_c(tmp_path: Path) -> None:
    file = write(tmp_path / "a.yaml", installation("kept"))
    with started(tmp_path, "--data", tmp_path / "data", "--keep", file) as process:
        wait_for_line(process, "   └─ kept-item-")
        result = CliRunner().invoke(main, ["tree", "kept", "--data", str(tmp_path / "data")])
        assert result.output.split()[:2] == ["kept", "Succeeded"]
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_SECONDS) == 0


@contextmanager
def started(folder: Path, *arguments: Path | str) -> Iterator[subprocess.Popen[str]]:
    """A `landform run` in a process of its own; killed at the end if it still runs."""
    with (folder / "stderr").open("w") as errors:
        process = subprocess.Popen(
            command("run", *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environment(PYTHONUNBUFFERED="1"),
            process_group=0,
        )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for_line(process: subprocess.Popen[str], beginning: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(beginning):
            return
    raise AssertionError(f"it ended without {beginning!r}")
