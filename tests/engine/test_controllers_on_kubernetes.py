"""`landform controller` on a real control plane: the commands work there as they do on a home. Time is real here."""

from __future__ import annotations

import json
import signal
import subprocess
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.cli.processes import PATIENCE_SECONDS, command, environment
from tests.cluster.controlplane import fixtures
from tests.cluster.controlplane.plane import ControlPlane
from tests.engine.landscapes import installation

from landform.api.catalog import KINDS
from landform.api.crds import crds
from landform.cli.main import main
from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
HOW_MANY = 10

pytestmark = [
    *fixtures.MARKS,
    pytest.mark.skipif(not fixtures.wanted(), reason="needs a real control plane: LANDFORM_CLUSTER_TESTS=1"),
]


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    """A control plane with our definitions, and nothing else in it."""
    with ControlPlane() as plane:
        for definition in crds():
            plane.kubectl("apply", "--server-side", "--filename=-", input=json.dumps(definition))
        names = [f"crd/{info.plural}.{info.group}" for info in KINDS]
        plane.kubectl("wait", "--for=condition=Established", "--timeout=60s", *names)
        yield plane


@contextmanager
def controller(plane: ControlPlane, name: str) -> Iterator[subprocess.Popen[str]]:
    """A replica that works; killed in the end."""
    process = subprocess.Popen(
        command("controller", "--kubeconfig", plane.kubeconfig, "--identity", name),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(PYTHONUNBUFFERED="1"),
        process_group=0,
    )
    try:
        assert process.stderr is not None
        assert any("ready" in line for line in process.stderr), "it ended"
        yield process
    finally:
        process.kill()
        process.communicate()


def typed(plane: ControlPlane, name: str, *arguments: str, stdin: str = "") -> tuple[int, str]:
    words = [name, "--kubeconfig", str(plane.kubeconfig), *arguments]
    result = CliRunner().invoke(main, words, input=stdin, prog_name="landform")
    return result.exit_code, result.output


def workers(plane: ControlPlane) -> set[str]:
    items = json.loads(plane.kubectl("get", "deployitems", "-A", "-ojson"))["items"]
    return {item["status"]["deployer"]["identity"] for item in items}


def test_replicas_share_the_work_and_take_it_over(plane: ControlPlane) -> None:
    both = [yamls.dump(installation(f"a-{number}", exports=f"x-{number}")) for number in range(HOW_MANY)]
    with ExitStack() as stack:
        processes = [stack.enter_context(controller(plane, name)) for name in ("one", "two")]
        code, output = typed(plane, "run", "-", "--timeout", "60s", stdin="---\n".join(both))
        assert code == 0, output
        assert workers(plane) == {"one", "two"}
        processes[0].kill()
        code, output = typed(plane, "run", "-", "--timeout", "60s", stdin="---\n".join(both))
        assert code == 0, output
        assert workers(plane) == {"two"}
        processes[1].send_signal(signal.SIGTERM)
        assert processes[1].wait(PATIENCE_SECONDS) == 0
    assert plane.kubectl("get", "leases", "-n", "default", "-oname").count("landform") <= 1, "one left, one died"


def test_a_landscape_is_run_looked_at_and_deleted(plane: ControlPlane) -> None:
    with controller(plane, "alone"):
        code, output = typed(plane, "run", str(ROOT / "examples" / "sub-installations"), "--timeout", "60s")
        assert code == 0, output
        code, output = typed(plane, "tree", "shop", "--show-values")
        assert 'exports shop-address = "https://shop.example.com' in output
        assert typed(plane, "why", "shop")[1].endswith("succeeded; nothing is in its way\n")
        code, output = typed(plane, "delete", "shop", "--wait", "--timeout", "60s")
        assert code == 0, output
        left = json.loads(plane.kubectl("get", "inst,exec,di", "-ojson"))["items"]
        assert [obj["metadata"]["name"] for obj in left if not obj["metadata"]["name"].startswith("a-")] == []
