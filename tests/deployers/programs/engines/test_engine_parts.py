"""The pure parts of the engine sandbox: frames, quantities, users, containers, sockets."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.deployers.programs.folder_worlds import a_run

from landform.deployers.programs.contract.sandboxes import Program
from landform.deployers.programs.engines import containers, quantities, sockets
from landform.deployers.programs.engines.containers import Making
from landform.deployers.programs.engines.frames import Frames
from landform.deployers.programs.engines.settings import EngineSettings
from landform.deployers.programs.engines.users import Engine, Who, who
from landform.deployers.programs.local.places import Place

PLACE = Place(a_run(), Path("/runs/x"))


@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=40))), st.lists(st.integers(0, 500)))
def test_frames_are_joined_wherever_they_are_cut(frames: list[tuple[int, bytes]], cuts: list[int]) -> None:
    stream = b"".join(bytes([number, 0, 0, 0]) + len(text).to_bytes(4) + text for number, text in frames)
    reader, found, start = Frames(), b"", 0
    for cut in [*sorted(cuts), len(stream)]:
        found += reader.feed(stream[start:cut])
        start = max(start, cut)
    assert found == b"".join(text for _, text in frames)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("500m", 0.5),
        ("2", 2),
        (1.5, 1.5),
        ("128Mi", 128 << 20),
        ("1G", 10**9),
        ("1E", 10**18),
        ("1e3", 1000),
        (".5", 0.5),
    ],
)
def test_quantities_mean_what_they_mean_in_kubernetes(text: object, number: float) -> None:
    assert quantities.parse(text) == number


@pytest.mark.parametrize("text", ["", "x", "1 Mi", "1mi", "Mi", "1MiB", "--1"])
def test_what_is_no_quantity_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no quantity"):
        quantities.parse(text)


@pytest.mark.parametrize("text", ["9" * 100_000 + "x", "9" * 5_000, "1e999", "1e99999999999999999999"], ids=len)
@pytest.mark.timeout(10)
def test_what_is_far_too_large_is_refused_soon(text: str) -> None:
    with pytest.raises(ValueError, match="is no quantity"):
        quantities.parse(text)


@pytest.mark.parametrize(
    ("engine", "uid", "expected"),
    [
        pytest.param(Engine(True, False), 0, Who("1000:3000"), id="root at root's podman"),
        pytest.param(Engine(False, False), 1000, Who("1000:3000"), id="user 1000 at docker"),
        pytest.param(Engine(False, False), 501, Who("501:20"), id="another user at docker"),
        pytest.param(Engine(False, True), 501, Who("0:0", ()), id="rootless docker"),
        pytest.param(
            Engine(True, True), 501, Who("1000:3000", user_namespace="keep-id:uid=1000,gid=3000"), id="rootless podman"
        ),
    ],
)
def test_a_container_runs_as_somebody_who_can_write_its_files(engine: Engine, uid: int, expected: Who) -> None:
    assert who(engine, uid, 20) == expected


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("a", "a:latest"),
        ("a:1", "a:1"),
        ("host:5000/a", "host:5000/a:latest"),
        ("host:5000/a:1", "host:5000/a:1"),
        ("a@sha256:12", "a@sha256:12"),
    ],
)
def test_an_image_without_a_tag_is_the_latest(image: str, expected: str) -> None:
    assert containers.qualified(image) == expected


def test_a_script_comes_between_the_interpreter_and_the_arguments() -> None:
    body = _body(Program(image="a:1", command=("/bin/sh", "-e"), args=("x",), is_script=True))
    assert body["Entrypoint"] == ["/bin/sh", "-e", "/data/ls/shared/script/run"]
    assert body["Cmd"] == ["x"]


def test_an_image_that_is_told_nothing_runs_as_it_was_made() -> None:
    assert _body(Program(image="a:1")).keys().isdisjoint({"Entrypoint", "Cmd"})


def test_variables_of_the_contract_win() -> None:
    env = _body(Program(image="a:1", env={"OPERATION": "x", "A": "y"}))["Env"]
    assert "OPERATION=RECONCILE" in env
    assert "A=y" in env
    assert "OPERATION=x" not in env


@pytest.mark.parametrize(
    ("allowed", "wish", "mode"),
    [(True, {}, None), (True, {"network": False}, "none"), (False, {}, "none"), (False, {"network": True}, "none")],
)
def test_a_network_can_only_be_switched_off(allowed: bool, wish: dict[str, Any], mode: str | None) -> None:
    host = _body(Program(image="a:1", settings=wish), EngineSettings(network=allowed))["HostConfig"]
    assert host.get("NetworkMode") == mode


def test_the_lower_limit_counts() -> None:
    wish = {"resources": {"limits": {"memory": "64Mi", "cpu": "2"}}}
    host = _body(Program(image="a:1", settings=wish), EngineSettings(memory=1 << 30, cpus=1.5, pids=100))["HostConfig"]
    assert (host["Memory"], host["MemorySwap"]) == (64 << 20, 64 << 20)
    assert (host["NanoCpus"], host["PidsLimit"]) == (1_500_000_000, 100)


def test_a_read_only_root_leaves_a_place_for_temporary_files() -> None:
    host = _body(Program(image="a:1", settings={"readOnlyRoot": True}))["HostConfig"]
    assert host["ReadonlyRootfs"] is True
    assert "/tmp" in host["Tmpfs"]
    loose = _body(Program(image="a:1", settings={"readOnlyRoot": False}), EngineSettings(read_only_root=True))
    assert "ReadonlyRootfs" not in loose["HostConfig"]


def test_a_run_is_found_again_by_the_labels_of_its_container() -> None:
    assert containers.run_of(_body(Program(image="a:1"))["Labels"]) == PLACE.run
    assert containers.run_of({"landform.run": "{"}) is None
    assert containers.run_of({}) is None


def test_the_first_socket_that_is_there_is_taken(tmp_path: Path) -> None:
    there = tmp_path / "there.sock"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(there))
        assert sockets.find(f"unix://{there}", {}) == str(there)
        assert sockets.find("", {"DOCKER_HOST": f"unix://{there}"}) == str(there)
        assert sockets.find("", {"CONTAINER_HOST": f"unix://{there}", "DOCKER_HOST": "tcp://1.2.3.4"}) == str(there)
        assert sockets.find(str(tmp_path / "none.sock"), {"DOCKER_HOST": f"unix://{there}"}) == ""
    (tmp_path / "file").touch()
    assert sockets.find(str(tmp_path / "file"), {}) == ""


def _body(program: Program, settings: EngineSettings | None = None) -> dict[str, Any]:
    return containers.body(PLACE, program, Making(settings or EngineSettings(), Who("1000:3000"), "here"))
