"""Programs in pods of a real node."""

from __future__ import annotations

import asyncio
import json
import signal
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from tests.cluster.node import fixtures as node_fixtures
from tests.cluster.node import images
from tests.deployers.programs.pods.clusters import SETTINGS, gone, item, printed, ran, script, started

from landform.deployers.programs.contract import labels
from landform.deployers.programs.contract.contract import Operation
from landform.deployers.programs.contract.outcomes import End
from landform.deployers.programs.contract.sandboxes import Inputs, Order, Program, Progress, Step
from landform.deployers.programs.files import archives
from landform.deployers.programs.pods import names

if TYPE_CHECKING:
    from tests.deployers.programs.pods.clusters import Host

    from landform.deployers.programs.contract.identities import ItemId
    from landform.deployers.programs.pods.sandbox import PodSandbox


pytestmark = [*node_fixtures.MARKS]

LOOK = """
set -e
echo "$OPERATION as $(id -u) $(id -g) $(id -G)"
cat $IMPORTS_PATH $TARGET_PATH $COMPONENT_DESCRIPTOR_PATH $CONTENT_PATH/blueprint.yaml
ls /var/run/secrets 2>&1 | wc -l
echo '{"flowers": 3}' > $EXPORTS_PATH
"""
FOR_EVER = "while true; do sleep 0.1; done"
CRASH = "import time; time.sleep(3); import nothing"


async def state_of(sandbox: PodSandbox, flowers: ItemId) -> bytes | None:
    """What the item's next program finds in the file `a` of its state."""
    return (await ran(sandbox, script("cat $STATE_PATH/a > $EXPORTS_PATH", flowers, "job-2"))).exports


async def test_a_program_finds_its_inputs_and_leaves_its_exports(host: Host) -> None:
    inputs = Inputs(
        imports=b'{"color": "red"}\n',
        target=b'{"target": {}}\n',
        component_descriptors=b'{"components": []}\n',
        content=archives.pack_files({"blueprint.yaml": b"kind: Blueprint\n"}),
    )
    order, reports = script(LOOK, item(), inputs=inputs), list[Progress]()
    async with host.sandbox() as sandbox:
        await sandbox.begin(order)
        async with asyncio.TaskGroup() as group:
            output = group.create_task(printed(sandbox, order.run))
            result = await sandbox.finished(order.run, reports.append)
        assert (result.outcome.succeeded, result.fault) == (True, "")
        assert result.exports == b'{"flowers": 3}\n'
        assert result.outcome.started is not None
        assert output.result().decode().splitlines()[1:] == [
            '{"color": "red"}', '{"target": {}}', '{"components": []}', "kind: Blueprint", "1",
        ]  # fmt: skip
        assert output.result().startswith(b"RECONCILE as 1000 3000 ")
        assert reports[-1].step in (Step.RUNNING, Step.COLLECTING)
        await sandbox.remove(order.run)
        assert not await sandbox.has(order.run)


async def test_state_is_there_in_the_next_run_and_goes_with_the_item(host: Host) -> None:
    flowers = item()
    async with host.sandbox() as sandbox:
        first = script("mkdir $STATE_PATH/beds; printf 'a\\0b' > $STATE_PATH/beds/one; exit 3", flowers)
        result = await ran(sandbox, first)
        assert (result.outcome.end, result.outcome.exit_code) == (End.EXITED, 3)
        assert result.exports is None
        second = script("od -c $STATE_PATH/beds/one | head -1 > $EXPORTS_PATH", flowers, "job-2", Operation.DELETE)
        result = await ran(sandbox, second)
        assert result.exports is not None
        assert result.exports.split()[1:] == [b"a", b"\\0", b"b"]
        assert await sandbox.items() == [flowers]
        await sandbox.forget(flowers)
        await gone(sandbox, flowers)
        everything = ("get", "pods,secrets,serviceaccounts,roles,rolebindings", "--selector", labels.ITEM_TOKEN)
        assert host.plane.kubectl(*everything, f"--namespace={host.namespace}", "-o=name") == ""


async def test_a_state_of_many_pieces_gets_the_slots_that_it_needs(host: Host) -> None:
    flowers = item()
    async with host.sandbox() as sandbox:
        grow = "head -c 20000000 /dev/urandom > $STATE_PATH/soil; sha256sum < $STATE_PATH/soil > $EXPORTS_PATH"
        first = await ran(sandbox, script(grow, flowers))
        assert (first.outcome.succeeded, first.fault) == (True, "")
        second = await ran(sandbox, script("sha256sum < $STATE_PATH/soil > $EXPORTS_PATH", flowers, "job-2"))
        assert second.exports == first.exports


async def test_another_process_finds_a_run_and_its_end(host: Host) -> None:
    order = script("echo begun; sleep 3; echo done > $EXPORTS_PATH", item())
    async with host.sandbox() as sandbox:
        await sandbox.begin(order)
        await started(sandbox, order.run)
    async with host.sandbox() as another:
        assert await another.has(order.run)
        await another.begin(order)
        result = await another.finished(order.run, lambda _: None)
        assert result.exports == b"done\n"
        assert await printed(another, order.run) == b"begun\n"


async def test_an_image_that_is_not_there_ends_the_run_in_the_words_of_the_kubelet(host: Host) -> None:
    order = Order(script("", item()).run, Program(image="localhost/missing:1"), Inputs())
    async with host.sandbox() as sandbox:
        result = await ran(sandbox, order)
        assert result.outcome.end is End.NOT_STARTED
        assert result.outcome.reason in ("ErrImagePull", "ImagePullBackOff")
        assert "localhost/missing:1" in result.outcome.message


async def test_a_command_that_is_not_there_was_never_started(host: Host) -> None:
    order = Order(script("", item()).run, Program(command=("/bin/missing",)), Inputs())
    async with host.sandbox() as sandbox:
        result = await ran(sandbox, order)
        assert result.outcome.end is End.NOT_STARTED
        assert "/bin/missing" in result.outcome.message


async def test_a_program_over_its_memory_limit_is_out_of_memory(host: Host) -> None:
    program = Program(
        image=images.PYTHON,
        command=("python", "-c", "b'x' * 200_000_000"),
        settings={"resources": {"limits": {"memory": "50Mi"}}},
    )
    async with host.sandbox() as sandbox:
        result = await ran(sandbox, Order(script("", item()).run, program, Inputs()))
        # On a busy machine the runtime may hear of the lack of memory too late to tell it.
        assert result.outcome.signal == signal.SIGKILL
        assert result.outcome.end is End.OUT_OF_MEMORY or "out of memory" in result.outcome.message


async def test_stopping_asks_first_and_waits_for_the_end(host: Host) -> None:
    order = script("trap 'echo asked; exit 5' TERM; echo ready; while true; do sleep 0.1; done", item())
    async with host.sandbox() as sandbox:
        await sandbox.begin(order)
        async with asyncio.TaskGroup() as group:
            output = group.create_task(printed(sandbox, order.run))
            await started(sandbox, order.run)
            await sandbox.stop(order.run, timedelta(seconds=10))
        assert output.result() == b"ready\nasked\n"
        result = await sandbox.finished(order.run, lambda _: None)
        assert result.outcome.exit_code == 5
        await sandbox.remove(order.run)


async def test_a_program_that_does_not_listen_is_ended_after_its_grace(host: Host) -> None:
    flowers = item()
    order = script("trap '' TERM; echo 1 > $STATE_PATH/a; echo ready; while true; do sleep 0.1; done", flowers)
    async with host.sandbox() as sandbox:
        await sandbox.begin(order)
        await started(sandbox, order.run)
        await sandbox.stop(order.run, timedelta(seconds=1))
        result = await sandbox.finished(order.run, lambda _: None)
        assert (result.outcome.signal, result.fault) == (9, "")
        await sandbox.remove(order.run)
        assert await state_of(sandbox, flowers) == b"1\n"


async def test_a_pod_that_somebody_deletes_tells_its_end_and_leaves_its_state(host: Host) -> None:
    flowers = item()
    asked = "trap 'echo 2 >> $STATE_PATH/a; exit 7' TERM"
    order = script(f"{asked}; echo 1 > $STATE_PATH/a; echo ready; {FOR_EVER}", flowers)
    async with host.sandbox() as sandbox:
        await sandbox.begin(order)
        await started(sandbox, order.run)
        delete = ("delete", "pod", names.pod_name(order.run), "--wait=false")
        host.plane.kubectl(*delete, f"--namespace={host.namespace}")
        result = await sandbox.finished(order.run, lambda _: None)
        assert (result.outcome.exit_code, result.outcome.reason, result.fault) == (7, "PodDeleted", "")
        await sandbox.remove(order.run)
        assert await state_of(sandbox, flowers) == b"1\n2\n"


async def test_a_program_whose_sidecar_cannot_work_is_given_up(host: Host) -> None:
    broken = replace(SETTINGS, wait=replace(SETTINGS.wait, command=("python", "-c", "import nothing")))
    async with host.sandbox(broken) as sandbox:
        result = await ran(sandbox, script("sleep 6", item()))
        # Whether the program was begun in the moment in which the sidecar ran is a matter of luck.
        said = result.fault or result.outcome.message
        assert "No module named 'nothing'" in said


async def test_a_sidecar_that_fails_does_not_end_the_program(host: Host) -> None:
    broken = replace(SETTINGS, wait=replace(SETTINGS.wait, command=("python", "-c", CRASH)))
    order = script("sleep 6", item())
    async with host.sandbox(broken) as sandbox:
        result = await ran(sandbox, order)
        assert result.outcome.succeeded
        assert "No module named 'nothing'" in result.fault


async def test_a_sidecar_that_is_ended_does_not_end_the_program(host: Host) -> None:
    flowers = item()
    order = script("echo ready; sleep 8; echo done | tee $STATE_PATH/a", flowers)
    async with host.sandbox() as sandbox:
        await sandbox.begin(order)
        await started(sandbox, order.run)
        end = ("python", "-c", "import os, signal; os.kill(1, signal.SIGTERM)")
        wait = (names.pod_name(order.run), "--container=wait", f"--namespace={host.namespace}")
        await asyncio.to_thread(host.plane.kubectl, "exec", *wait, "--", *end)
        result = await sandbox.finished(order.run, lambda _: None)
        # The kubelet has started it again, so it has seen the end after all.
        assert (result.outcome.succeeded, result.fault) == (True, "")
        assert await printed(sandbox, order.run) == b"ready\ndone\n"
        await sandbox.remove(order.run)
        assert await state_of(sandbox, flowers) == b"done\n"


async def test_the_credentials_of_a_run_open_its_own_objects_only(host: Host) -> None:
    flowers = item()
    order = script("echo ready; exec sleep 600", flowers)
    async with host.sandbox() as sandbox:
        await sandbox.begin(order)

        def may(verb: str, resource: str, name: str) -> bool:
            review = {
                "apiVersion": "authorization.k8s.io/v1",
                "kind": "LocalSubjectAccessReview",
                "metadata": {"namespace": host.namespace},
                "spec": {
                    "user": f"system:serviceaccount:{host.namespace}:{names.account_name(flowers)}",
                    "resourceAttributes": {
                        "verb": verb, "resource": resource, "name": name, "namespace": host.namespace,
                    },
                },
            }  # fmt: skip
            said = host.plane.kubectl("create", "-f", "-", "-o=json", input=json.dumps(review))
            return bool(json.loads(said)["status"]["allowed"])

        pod, result = names.pod_name(order.run), names.result_name(order.run)
        assert may("watch", "pods", pod)
        assert may("patch", "secrets", result)
        for refused in (
            ("list", "secrets", ""),
            ("get", "secrets", names.inputs_name(order.run, 0)),
            ("create", "secrets", ""),
            ("delete", "secrets", result),
            ("watch", "pods", "another"),
            ("delete", "pods", pod),
            ("patch", "roles", pod),
        ):
            assert not may(*refused), refused
        await sandbox.stop(order.run, timedelta(0))
        await sandbox.forget(flowers)
        await gone(sandbox, flowers)
