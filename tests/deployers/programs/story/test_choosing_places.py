"""Which place is chosen for a program, from what is configured and what is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from landform.api.errors import OperationFailed
from landform.deployers.programs.contract.sandboxes import Program, SandboxName
from landform.deployers.programs.grounds import choosing
from landform.deployers.programs.grounds.choosing import Available, Wish
from landform.deployers.programs.orders.specifications import Specification
from landform.deployers.programs.setup import finding

IMAGE = Specification(Program(image="example/x:1"))
SCRIPT = Specification(Program(is_script=True))
SCRIPT_IN_IMAGE = Specification(Program(image="example/x:1", is_script=True))
NOTHING = Available()
ENGINE = Available(engine="/run/podman.sock")
HOST = Available(host=True)
BOTH = Available(host=True, engine="/run/podman.sock")


@pytest.mark.parametrize(
    ("wanted", "available", "name"),
    [
        (IMAGE, HOST, SandboxName.KUBERNETES),
        (IMAGE, BOTH, SandboxName.KUBERNETES),
        (IMAGE, ENGINE, SandboxName.ENGINE),
        (SCRIPT, NOTHING, SandboxName.PROCESS),
        (SCRIPT, BOTH, SandboxName.PROCESS),
        (SCRIPT_IN_IMAGE, ENGINE, SandboxName.ENGINE),
        (SCRIPT_IN_IMAGE, BOTH, SandboxName.KUBERNETES),
    ],
)
def test_auto_takes_what_is_there(wanted: Specification, available: Available, name: SandboxName) -> None:
    assert choosing.choose(Wish.AUTO, available, wanted) is name


@pytest.mark.parametrize(
    ("wish", "wanted", "available", "name"),
    [
        (Wish.ENGINE, IMAGE, BOTH, SandboxName.ENGINE),
        (Wish.KUBERNETES, SCRIPT, BOTH, SandboxName.KUBERNETES),
        (Wish.ENGINE, SCRIPT, ENGINE, SandboxName.ENGINE),
        (Wish.PROCESS, SCRIPT, BOTH, SandboxName.PROCESS),
    ],
)
def test_a_wish_is_obeyed(wish: Wish, wanted: Specification, available: Available, name: SandboxName) -> None:
    assert choosing.choose(wish, available, wanted) is name


@pytest.mark.parametrize(
    ("wish", "wanted", "available", "words"),
    [
        (Wish.AUTO, IMAGE, NOTHING, "install podman"),
        (Wish.AUTO, SCRIPT_IN_IMAGE, NOTHING, "install podman"),
        (Wish.KUBERNETES, IMAGE, ENGINE, "needs a host cluster"),
        (Wish.ENGINE, IMAGE, HOST, "needs the API socket of podman or docker"),
        (Wish.PROCESS, IMAGE, BOTH, "cannot be run as a local process"),
    ],
)
def test_where_there_is_no_place_it_is_said_at_once_what_to_do(
    wish: Wish, wanted: Specification, available: Available, words: str
) -> None:
    with pytest.raises(OperationFailed, match=words) as raised:
        choosing.choose(wish, available, wanted)
    assert (raised.value.reason, raised.value.codes) == ("NoSandbox", ("ERR_CONFIGURATION_PROBLEM",))


def test_the_files_of_programs_lie_in_the_data_folder_unless_another_user_must_get_there() -> None:
    data = Path("/home/me/.landform")
    assert finding.folder_of_home(data, 1000) == data / "programs"
    as_root, other = finding.folder_of_home(data, 0), finding.folder_of_home(data / "x", 0)
    assert data not in as_root.parents
    assert as_root != other


def test_without_a_home_the_files_lie_in_the_users_state_folder() -> None:
    assert str(finding.default_folder({"HOME": "/home/me"}, 1000)) == "/home/me/.local/state/landform/programs"
    assert str(finding.default_folder({"XDG_STATE_HOME": "/state"}, 1000)) == "/state/landform/programs"
