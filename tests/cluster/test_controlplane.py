"""The control plane itself: it comes up, it serves, and it leaves nothing behind."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cluster.controlplane import build, parts, watchdog
from tests.cluster.controlplane.plane import ControlPlane, KubectlError

if TYPE_CHECKING:
    from collections.abc import Callable


def wait_until(holds: Callable[[], bool], deadline: float = 60) -> None:
    """Ask until the answer is yes."""
    end = time.monotonic() + deadline
    while not holds():
        assert time.monotonic() < end, f"not so after {deadline} s"
        time.sleep(0.05)


def test_it_says_its_version(control_plane: ControlPlane) -> None:
    version = json.loads(control_plane.kubectl("get", "--raw=/version"))
    assert version["gitVersion"] == build.KUBERNETES
    assert (version["major"], version["minor"]) == ("1", "34")


def test_controllers_run(control_plane: ControlPlane, namespace: str) -> None:
    control_plane.kubectl("wait", "--for=create", "serviceaccount/default", f"--namespace={namespace}", "--timeout=60s")


def test_kubectl_reads_its_input_and_raises_with_its_words(control_plane: ControlPlane, namespace: str) -> None:
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}, "data": {"a": "b"}}
    control_plane.kubectl("apply", f"--namespace={namespace}", "--filename=-", input=json.dumps(manifest))
    assert control_plane.kubectl("get", "cm", "one", f"-n{namespace}", "-o=jsonpath={.data.a}") == "b"
    with pytest.raises(KubectlError, match='configmaps "two" not found'):
        control_plane.kubectl("get", "configmap", "two", f"--namespace={namespace}")


def test_alice_has_no_rights_until_somebody_grants_them(control_plane: ControlPlane, namespace: str) -> None:
    as_alice = f"--token={control_plane.alice_token}"
    with pytest.raises(KubectlError, match='User "alice" cannot list resource "configmaps"'):
        control_plane.kubectl("get", "configmaps", f"--namespace={namespace}", as_alice)
    control_plane.kubectl("create", "rolebinding", "alice", "--clusterrole=view", "--user=alice", f"-n{namespace}")
    wait_until(lambda: control_plane.kubectl("auth", "can-i", "list", "cm", "--as=alice", f"-n{namespace}") == "yes\n")
    control_plane.kubectl("get", "configmaps", f"--namespace={namespace}", as_alice)


def test_a_second_one_runs_beside_it_and_leaves_nothing(control_plane: ControlPlane) -> None:
    with ControlPlane(audit=True) as second:
        assert second.url != control_plane.url
        second.kubectl("create", "namespace", "only-here")
        with pytest.raises(KubectlError, match='namespaces "only-here" not found'):
            control_plane.kubectl("get", "namespace", "only-here")

        requests = [json.loads(line) for line in second.audit_log.read_text().splitlines()]
        creation = [r for r in requests if r["verb"] == "create" and r["objectRef"].get("name") == "only-here"]
        assert [(r["user"]["username"], r["responseStatus"]["code"]) for r in creation] == [("admin", 201)]
        assert len(watchdog.members(second.folder)) == 3
    assert not watchdog.members(second.folder)
    assert not second.folder.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT], ids=lambda number: number.name)
def test_a_killed_starter_leaves_nothing(number: signal.Signals) -> None:
    program = (
        "import sys, time\n"
        "from tests.cluster.controlplane.plane import ControlPlane\n"
        "with ControlPlane() as plane:\n"
        "    print(plane.folder, flush=True)\n"
        "    time.sleep(600)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as starter:
        assert starter.stdout is not None
        folder = Path(starter.stdout.readline().strip())
        assert len(watchdog.members(folder)) == 3
        starter.send_signal(number)
    wait_until(lambda: not folder.exists() and not watchdog.members(folder))


def test_a_port_that_somebody_else_takes_is_not_the_end(
    control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = int(control_plane.url.rpartition(":")[2])
    etcd_client, etcd_peer, free = (parts.free_port() for _ in range(3))
    answers = iter([taken, etcd_peer, etcd_client, etcd_peer, taken, free])
    monkeypatch.setattr(parts, "free_port", lambda: next(answers))
    with ControlPlane() as plane:
        assert plane.url.endswith(f":{free}")


def test_a_part_that_ends_is_quoted(tmp_path: Path) -> None:
    program = tmp_path / "etcd"
    program.write_text("#!/bin/sh\necho the disk is on fire\nexit 3\n")
    program.chmod(0o755)
    part = parts.Part(program, [], folder=tmp_path)
    with pytest.raises(parts.StartError, match=r"etcd ended with exit code 3; .*\n  \| the disk is on fire"):
        part.wait_until(lambda: False)


def test_a_part_that_never_gets_ready_is_quoted(tmp_path: Path) -> None:
    program = tmp_path / "etcd"
    program.write_text("#!/bin/sh\necho still thinking\nexec sleep 600\n")
    program.chmod(0o755)
    part = parts.Part(program, [], folder=tmp_path)
    wait_until(lambda: part.log.read_text() != "")
    with pytest.raises(parts.StartError, match=r"etcd was not ready after 0 s; .*\n  \| still thinking"):
        part.wait_until(lambda: False, deadline=0)
    watchdog.clean_up(tmp_path)
    part.process.wait()
