"""What a user sees when something is in the way: one sentence, exit code 1, nothing lost."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.cli.processes import run, up
from tests.contract.objects import config_map, eventually

from landform.cluster.errors import Storage
from landform.cluster.resources import CONFIG_MAPS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def failure(*arguments: str | Path, stdin: str = "") -> str:
    """The one sentence that a command fails with."""
    code, output, errors = run(*arguments, stdin=stdin)
    assert code == 1, (output, errors)
    assert output == ""
    assert errors.startswith("Error: ")
    assert errors.count("\n") == 1, errors
    return errors.removeprefix("Error: ").strip()


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that a home has used and left in order."""
    folder = tmp_path_factory.mktemp("used") / "data"
    with up(folder) as home:
        assert home.stop() == 0
    return folder


@pytest.fixture
def folder(used: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return shutil.copytree(used, tmp_path / "data")


def test_a_second_process_is_told_who_has_the_folder(tmp_path: Path) -> None:
    with up(tmp_path / "data") as home:
        assert failure("up", "--data", home.folder) == (
            f"the data folder {home.folder} is in use by another landform process (pid {home.process.pid});"
            " stop that one, or choose another folder with --data"
        )
        assert home.stop() == 0


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert failure("up", "--data", tmp_path / "data", "--port", port) == (
            f"port {port} on 127.0.0.1 is in use; choose another with --port, or 0 for any free one"
        )


@pytest.mark.parametrize("host", ["203.0.113.7", "no.such.host.invalid"])
def test_an_address_of_another_machine_is_named(tmp_path: Path, host: str) -> None:
    told = failure("up", "--data", tmp_path / "data", "--host", host)
    assert told.startswith(f"cannot listen on {host}:0: ")
    assert told.endswith("; choose another with --host and --port")


@pytest.mark.parametrize("below", ["", "sub"])
def test_a_file_is_no_data_folder(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").touch()
    place = tmp_path / "file" / below if below else tmp_path / "file"
    assert failure("up", "--data", place) == f"{place} is not a folder; choose another with --data"


def destroy_header(raw: bytearray) -> None:
    raw[:100] = os.urandom(100)


def fill_middle(raw: bytearray) -> None:
    middle = len(raw) // 8192 * 4096
    raw[middle : middle + 8192] = b"\xa5" * 8192


def truncate(raw: bytearray) -> None:
    del raw[len(raw) // 2 :]


@pytest.mark.parametrize("damage", [destroy_header, fill_middle, truncate], ids=lambda damage: str(damage.__name__))
def test_a_damaged_database_is_refused_and_left_as_it_is(folder: Path, damage: Callable[[bytearray], None]) -> None:
    database = folder / "landform.db"
    raw = bytearray(database.read_bytes())
    damage(raw)
    database.write_bytes(raw)
    told = failure("up", "--data", folder)
    assert told.startswith(f"{database} is damaged (")
    assert told.endswith("); it was left as it is: move it away and restore a copy made with `landform backup`")
    assert database.read_bytes() == raw


def test_a_database_in_which_a_single_byte_changed_is_refused(folder: Path) -> None:
    database = folder / "landform.db"
    raw = database.read_bytes()
    changed = raw.replace(b'"name":"default"', b'"name":"defaulT"', 1)
    assert changed != raw
    database.write_bytes(changed)
    assert "does not match its checksum" in failure("up", "--data", folder)
    assert database.read_bytes() == changed


@pytest.mark.parametrize("file", ["admin-token", "ca.pem", "service-account-key.pem"])
def test_a_broken_key_file_is_named_and_left_as_it_is(folder: Path, file: str) -> None:
    path = folder / "pki" / file
    path.write_text("broken\n")
    told = failure("up", "--data", folder)
    assert told.startswith(f"{path} does not hold a ")
    assert told.endswith("; restore it from a backup, or delete it to get a new one")
    assert path.read_text() == "broken\n"


def test_a_broken_server_certificate_is_simply_replaced(folder: Path) -> None:
    (folder / "pki" / "server.pem").write_text("broken\n")
    with up(folder) as home:
        assert home.stop() == 0


def test_a_home_that_was_never_started_is_explained(tmp_path: Path) -> None:
    assert failure("get", "configmaps", "--data", tmp_path) == (
        f"no Landform home has been started on {tmp_path}; start one with `landform up --data {tmp_path}`,"
        " or name another cluster with --kubeconfig"
    )


def test_a_home_that_does_not_run_is_explained(folder: Path) -> None:
    told = failure("get", "configmaps", "--data", folder)
    assert told.startswith("no answer from https://127.0.0.1:")
    assert told.endswith(f"; is the home running? Start it with `landform up --data {folder}`")


class Disk:
    """A small disk of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ballast = path / "ballast"

    def fill(self) -> None:
        with self._ballast.open("wb", buffering=0) as file:
            for size in (65536, 4096, 512):
                while True:
                    try:
                        if file.write(b"\0" * size) < size:
                            break
                    except OSError:
                        break

    def free(self) -> None:
        self._ballast.unlink()

    def make_read_only(self) -> None:
        _mount("-o", "remount,ro", self.path)


def _mount(*arguments: str | Path) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    place = tmp_path / "disk"
    place.mkdir()
    try:
        _mount("-t", "tmpfs", "-o", "size=4m", "tmpfs", place)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"a disk of its own cannot be mounted here: {error}")
    try:
        yield Disk(place)
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def test_a_read_only_disk_is_explained(disk: Disk) -> None:
    data = disk.path / "data"
    disk.make_read_only()
    assert failure("up", "--data", data) == (
        f"the data folder {data} is not writable (Read-only file system);"
        " change its permissions or choose another with --data"
    )


def test_a_disk_that_became_read_only_is_explained(disk: Disk) -> None:
    data = disk.path / "data"
    with up(data) as home:
        assert home.stop() == 0
    before = (data / "landform.db").read_bytes()
    disk.make_read_only()
    assert failure("up", "--data", data) == (
        f"the data folder {data} is not writable (Read-only file system);"
        " change its permissions or choose another with --data"
    )
    assert (data / "landform.db").read_bytes() == before


def test_a_start_on_a_full_disk_is_explained(disk: Disk) -> None:
    disk.fill()
    assert failure("up", "--data", disk.path / "data") == (
        f"there is no space left on the disk of the data folder {disk.path / 'data'}; free some and start again"
    )


@pytest.mark.parametrize("kilobytes", [40, 150, 400])
def test_a_first_start_that_runs_out_of_space_is_explained_and_can_be_repeated(disk: Disk, kilobytes: int) -> None:
    spare = disk.path / "spare"
    spare.write_bytes(b"\0" * kilobytes * 1024)
    disk.fill()
    spare.unlink()
    assert "disk" in failure("up", "--data", disk.path / "data")
    disk.free()
    with up(disk.path / "data") as home:
        assert home.stop() == 0


async def test_a_full_disk_refuses_writes_until_there_is_space_and_loses_nothing(disk: Disk) -> None:
    acknowledged: dict[str, str] = {}
    with up(disk.path / "data") as home:
        async with home.cluster() as cluster:

            async def write(name: str) -> None:
                body = config_map(name, {"text": "t" * 2000})
                created = await cluster.create(CONFIG_MAPS, body, namespace="default")
                acknowledged[name] = created["metadata"]["resourceVersion"]

            async def fill_up() -> None:
                for number in range(3000):
                    await write(f"before-{number}")

            async def works_again() -> bool:
                try:
                    await write("after")
                except Storage:
                    return False
                return True

            async def found() -> dict[str, str]:
                items = (await cluster.list(CONFIG_MAPS, namespace="default")).items
                return {obj["metadata"]["name"]: obj["metadata"]["resourceVersion"] for obj in items}

            await write("first")
            disk.fill()
            with pytest.raises(Storage) as refused:
                await fill_up()
            assert refused.value.code == 507
            assert str(refused.value) == (
                "the data could not be written to disk: database or disk is full; nothing of this request was kept."
                " Free space or repair the disk, then try again"
            )
            assert (await found()).items() >= acknowledged.items(), "readers go on"
            disk.free()
            await eventually(works_again, "writes work again without a restart", deadline=10)
            assert (await found()).items() >= acknowledged.items()
        home.kill()
    with up(disk.path / "data") as home:
        async with home.cluster() as cluster:
            items = (await cluster.list(CONFIG_MAPS, namespace="default")).items
            found_after = {obj["metadata"]["name"]: obj["metadata"]["resourceVersion"] for obj in items}
            assert found_after.items() >= acknowledged.items()
            assert set(found_after) == {*acknowledged, "kube-root-ca.crt"}, "what was refused is not there"
        assert await home.stopped() == 0


def test_a_copy_onto_a_full_disk_blames_the_copy(disk: Disk, folder: Path) -> None:
    disk.fill()
    told = failure("backup", "--data", folder, disk.path / "copy")
    assert told.startswith(f"the backup to {disk.path}")
    assert "full" in told or "No space left" in told
    assert sorted(path.name for path in disk.path.iterdir()) == ["ballast"]
