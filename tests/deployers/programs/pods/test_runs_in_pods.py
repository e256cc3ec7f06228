"""Runs as pods, on a home whose node is played."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.deployers.programs.pods import nodes
from tests.deployers.programs.pods.nodes import ITEM, NAMESPACE, ORDER, RUN, ended, running, status, waiting, world

from landform.cluster.informers import Caches
from landform.cluster.interface import LIST_ALL
from landform.cluster.resources import SECRETS, SERVICE_ACCOUNTS
from landform.deployers.programs.contract.contract import Operation
from landform.deployers.programs.contract.identities import RunId
from landform.deployers.programs.contract.outcomes import End, Outcome, Result
from landform.deployers.programs.contract.sandboxes import Step
from landform.deployers.programs.pods import names, results
from landform.deployers.programs.pods.permissions import ROLE_BINDINGS, ROLES
from landform.deployers.programs.pods.podspecs import PODS
from landform.deployers.programs.pods.results import Left
from landform.testing import time

GOOD = Result(Outcome(End.EXITED, exit_code=0, started=datetime(2030, 1, 1, tzinfo=UTC)), exports=b'{"a": 1}')


def test_a_run_ends_with_what_the_wait_container_wrote() -> None:
    async def scenario() -> None:
        async with world() as w:
            await w.sandbox.begin(ORDER)
            async with asyncio.TaskGroup() as group:
                finished = group.create_task(w.finished())
                await asyncio.sleep(1)
                await w.say(status("Pending", init=running()))
                await asyncio.sleep(1)
                await w.say(status(init=ended(), main=running(), wait=running()))
                await asyncio.sleep(3600 * 5)
                await w.say(status(init=ended(), main=ended(), wait=running()))
                await asyncio.sleep(1)
                assert not finished.done()
                await w.collect(GOOD)
            assert finished.result() == GOOD
            assert [report.step for report in w.reports] == [Step.STAGING, Step.STAGING, Step.RUNNING, Step.COLLECTING]
            assert w.reports[-1].status["podName"] == names.pod_name(RUN)
            assert w.reports[-1].status["containerStatus"] == {
                "reason": "Completed",
                "state": ended(),
                "image": "example/main:1",
                "imageID": "sha256:main",
                "exitCode": 0,
            }

    time.run(scenario())


def test_a_result_is_there_again_for_another_process() -> None:
    async def scenario() -> None:
        async with world() as w:
            await w.sandbox.begin(ORDER)
            await w.collect(GOOD)
            assert await w.finished() == GOOD
            another = w.another()
            assert await another.has(RUN)
            assert await another.runs() == [RUN]
            await another.begin(ORDER)
            assert await another.finished(RUN, w.reports.append) == GOOD
            await another.close()

    time.run(scenario())


def test_what_was_cut_short_is_begun_anew() -> None:
    async def scenario() -> None:
        async with world() as w:
            await w.sandbox.begin(ORDER)
            await w.home.patch(PODS, names.pod_name(RUN), {"metadata": {"finalizers": None}}, namespace=NAMESPACE)
            await w.home.delete(PODS, names.pod_name(RUN), namespace=NAMESPACE)
            change = {"metadata": {"annotations": {"container.deployer.landscaper.gardener.cloud/begun": None}}}
            await w.home.patch(SECRETS, names.result_name(RUN), change, namespace=NAMESPACE)
            another = w.another()
            assert not await another.has(RUN)
            await another.begin(ORDER)
            assert await another.has(RUN)
            assert (await w.pod())["spec"]["restartPolicy"] == "Never"
            await another.close()

    time.run(scenario())


def test_a_pod_that_is_gone_without_a_result_is_lost_and_not_begun_again() -> None:
    async def scenario() -> None:
        async with world() as w:
            await w.sandbox.begin(ORDER)
            await w.home.patch(PODS, names.pod_name(RUN), {"metadata": {"finalizers": None}}, namespace=NAMESPACE)
            await w.home.delete(PODS, names.pod_name(RUN), namespace=NAMESPACE)
            await asyncio.sleep(1)
            assert await w.sandbox.has(RUN)
            await w.sandbox.begin(ORDER)
            result = await w.finished()
            assert (result.outcome.end, result.outcome.reason) == (End.LOST, "PodDeleted")
            assert "not collected" in result.fault

    time.run(scenario())


@pytest.mark.parametrize("reason", ["ErrImagePull", "ImagePullBackOff", "CreateContainerError"])
def test_a_container_that_cannot_start_is_waited_for_a_minute(reason: str) -> None:
    async def scenario() -> None:
        async with world() as w:
            await w.sandbox.begin(ORDER)
            await w.say(status("Pending", init=ended(), main=waiting(reason, "no such host"), wait=running()))
            began = w.clock.monotonic()
            result = await w.finished()
            assert w.clock.monotonic() - began == pytest.approx(60, abs=1)
            assert result.outcome == Outcome(
                End.NOT_STARTED, reason=reason, message="container main (image example/main:1): no such host"
            )
            assert await w.finished() == result

    time.run(scenario())


@pytest.mark.parametrize("reason", ["ErrImageNeverPull", "InvalidImageName"])
def test_an_image_that_can_never_be_pulled_ends_the_run_at_once(reason: str) -> None:
    async def scenario() -> None:
        async with world() as w:
            await w.sandbox.begin(ORDER)
            await w.say(status("Pending", init=waiting(reason, "is not present")))
            result = await w.finished()
            assert (result.outcome.end, result.outcome.reason) == (End.NOT_STARTED, reason)
            assert w.clock.monotonic() < 1

    time.run(scenario())


def test_a_pull_that_succeeds_in_the_end_is_forgiven() -> None:
    async def scenario() -> None:
        async with world() as w:
            await w.sandbox.begin(ORDER)
            async with asyncio.TaskGroup() as group:
                finished = group.create_task(w.finished())
                for reason in ("ErrImagePull", "ImagePullBackOff"):
                    await w.say(status("Pending", init=ended(), main=waiting(reason, "busy"), wait=running()))
                    await asyncio.sleep(25)
                await w.say(status(init=ended(), main=running(), wait=running()))
                await asyncio.sleep(100)
                await w.collect(GOOD)
            assert finished.result() == GOOD
            assert "busy" in w.reports[-2].message

    time.run(scenario())


def test_inputs_that_cannot_be_staged_are_told_in_the_words_of_init() -> None:
    async def scenario() -> None:
        async with world() as w:
            await w.sandbox.begin(ORDER)
            await w.say(status("Failed", init=ended(1, message="the archive is damaged")))
            result = await w.finished()
            assert (result.outcome.end, result.outcome.reason) == (End.NOT_STARTED, "StagingFailed")
            assert result.outcome.message.endswith("the archive is damaged")

    time.run(scenario())


def test_a_wait_container_that_fails_is_a_fault_of_collecting() -> None:
    async def scenario() -> None:
        async with world() as w:
            await w.sandbox.begin(ORDER)
            failed = ended(1, message="secrets is forbidden")
            async with asyncio.TaskGroup() as group:
                finished = group.create_task(w.finished())
                await w.say(status(init=ended(), main=running(), wait=failed))
                await asyncio.sleep(60)
                assert not finished.done(), "the program goes on"
                await w.say(status("Failed", init=ended(), main=ended(), wait=failed))
            result = finished.result()
            assert result.outcome.succeeded
            assert "secrets is forbidden" in result.fault

    time.run(scenario())


def test_a_wait_container_without_last_words_is_told_by_its_exit_code() -> None:
    async def scenario() -> None:
        async with world() as w:
            await w.sandbox.begin(ORDER)
            await w.say(status("Failed", init=ended(), main=ended(3), wait=ended(137, "OOMKilled")))
            result = await w.finished()
            assert (result.outcome.end, result.outcome.exit_code) == (End.EXITED, 3)
            assert result.fault.endswith("the wait container ended with exit code 137 (OOMKilled)")

    time.run(scenario())


def test_an_evicted_pod_is_told_in_the_words_of_the_kubelet() -> None:
    async def scenario() -> None:
        async with world() as w:
            await w.sandbox.begin(ORDER)
            more = {"reason": "Evicted", "message": "The node was low on resource: memory."}
            await w.say(status("Failed", more=more))
            result = await w.finished()
            assert result.outcome == Outcome(End.NOT_STARTED, reason="Evicted", message=more["message"])

    time.run(scenario())


def test_a_program_that_was_evicted_while_it_ran_has_the_reason_beside_its_exit_code() -> None:
    async def scenario() -> None:
        async with world() as w:
            await w.sandbox.begin(ORDER)
            more = {"reason": "Evicted", "message": "The node was low on resource: memory."}
            await w.say(status("Failed", more=more, init=ended(), main=ended(143), wait=ended(1)))
            result = await w.finished()
            assert (result.outcome.end, result.outcome.signal) == (End.SIGNALED, 15)
            assert (result.outcome.reason, result.outcome.message) == ("Evicted", more["message"])

    time.run(scenario())


def test_a_pod_that_somebody_deletes_is_kept_until_its_end_is_known() -> None:
    async def scenario() -> None:
        async with world() as w:
            await w.sandbox.begin(ORDER)
            await w.schedule()
            await w.say(status(init=ended(), main=running(), wait=running()))
            async with asyncio.TaskGroup() as group:
                finished = group.create_task(w.finished())
                await w.home.delete(PODS, names.pod_name(RUN), namespace=NAMESPACE)
                await asyncio.sleep(10)
                assert not finished.done()
                await w.say(status("Failed", init=ended(), main=ended(143), wait=ended(1)))
            result = finished.result()
            assert (result.outcome.end, result.outcome.signal) == (End.SIGNALED, 15)
            assert result.outcome.reason == "PodDeleted"
            assert result.fault.endswith("the pod was deleted before that")
            assert (await w.pod())["metadata"]["finalizers"] == [names.FINALIZER]

    time.run(scenario())


def test_a_node_that_gives_no_sign_of_a_deleted_pod_loses_the_run() -> None:
    async def scenario() -> None:
        async with world() as w:
            await w.sandbox.begin(ORDER)
            await w.schedule()
            await w.say(status(init=ended(), main=running(), wait=running()))
            await w.home.delete(PODS, names.pod_name(RUN), namespace=NAMESPACE)
            result = await w.finished()
            assert w.clock.monotonic() == pytest.approx(20 + 30 + 300, abs=2)
            assert (result.outcome.end, result.outcome.reason) == (End.LOST, "NodeLost")
            await w.sandbox.remove(RUN)
            assert not await w.sandbox.has(RUN)
            # It may run on, wherever it is: so it is stopped before another run of the item begins.
            assert await w.sandbox.runs() == [RUN]

    time.run(scenario())


def test_stopping_waits_until_nothing_runs_any_more() -> None:
    async def scenario() -> None:
        async with world() as w:
            await w.sandbox.begin(ORDER)
            await w.schedule()
            await w.say(status(init=ended(), main=running(), wait=running()))
            async with asyncio.TaskGroup() as group:
                stopped = group.create_task(w.sandbox.stop(RUN, timedelta(seconds=7)))
                await asyncio.sleep(5)
                assert (await w.pod())["metadata"]["deletionGracePeriodSeconds"] == 7
                assert not stopped.done()
                await w.say(status("Failed", init=ended(), main=ended(143), wait=ended()))
            await w.sandbox.remove(RUN)
            await asyncio.sleep(1)
            assert await w.sandbox.runs() == []
            await w.sandbox.stop(RUN, timedelta(seconds=7))

    time.run(scenario())


def test_while_what_a_stopped_program_left_is_being_kept_there_is_room_for_it() -> None:
    async def scenario() -> None:
        async with world() as w:
            await w.sandbox.begin(ORDER)
            await w.schedule()
            await w.say(status(init=ended(), main=running(), wait=running()))
            async with asyncio.TaskGroup() as group:
                group.create_task(w.sandbox.stop(RUN, timedelta(seconds=7)))
                await asyncio.sleep(1)
                await w.tell(results.asking_for(3))
                await asyncio.sleep(1)
                secret = await w.home.get(SECRETS, names.result_name(RUN), namespace=NAMESPACE)
                assert results.ready_slots(secret) == 3
                await w.say(status("Failed", init=ended(), main=ended(143), wait=ended()))

    time.run(scenario())


@pytest.mark.parametrize(
    ("code", "left", "expected"),
    [
        pytest.param(143, Left(b"b: 2"), (None, ""), id="failed"),
        pytest.param(143, Left(None, "", "too large"), (None, ""), id="failed with bad exports"),
        pytest.param(143, Left(None, "a link"), (None, "a link"), id="failed with bad state"),
        pytest.param(0, Left(b"b: 2"), (b"b: 2", ""), id="succeeded"),
        pytest.param(0, Left(None, "a link", "too large"), (None, "a link; too large"), id="succeeded with both bad"),
    ],
)
def test_what_is_left_of_a_deleted_pod_goes_with_the_end_that_the_kubelet_tells(
    code: int, left: Left, expected: tuple[bytes | None, str]
) -> None:
    async def scenario() -> None:
        async with world() as w:
            await w.sandbox.begin(ORDER)
            await w.schedule()
            await w.say(status(init=ended(), main=running(), wait=running()))
            async with asyncio.TaskGroup() as group:
                finished = group.create_task(w.finished())
                await w.home.delete(PODS, names.pod_name(RUN), namespace=NAMESPACE)
                await w.tell(results.leaving(left))
                await asyncio.sleep(10)
                assert not finished.done()
                await w.say(status("Failed", init=ended(), main=ended(code), wait=ended()))
            result = finished.result()
            assert result.outcome.exit_code == code
            assert (result.exports, result.fault) == expected
            assert await w.finished() == result

    time.run(scenario())


def test_removing_a_run_leaves_only_the_account_of_the_item() -> None:
    async def scenario() -> None:
        async with world() as w:
            order = replace(ORDER, program=replace(ORDER.program, pull_credentials=b'{"auths":{}}'))
            await w.sandbox.begin(order)
            await w.collect(GOOD)
            await w.finished()
            await w.sandbox.remove(RUN)
            assert not await w.sandbox.has(RUN)
            for resource in (PODS, SECRETS, ROLES, ROLE_BINDINGS):
                assert not (await w.home.list(resource, namespace=NAMESPACE)).items
            assert await w.sandbox.items() == [ITEM]
            await w.sandbox.remove(RUN)

    time.run(scenario())


def test_a_kept_pod_is_no_run_any_more_and_goes_with_its_item() -> None:
    async def scenario() -> None:
        async with world(replace(nodes.SETTINGS, keep_pod=True)) as w:
            await w.sandbox.begin(ORDER)
            await w.say(status("Succeeded", init=ended(), main=ended(), wait=ended()))
            await w.collect(GOOD)
            assert await w.finished() == GOOD
            await w.sandbox.remove(RUN)
            await asyncio.sleep(1)
            assert await w.sandbox.runs() == []
            assert not await w.sandbox.has(RUN)
            assert "finalizers" not in (await w.pod())["metadata"]
            await w.sandbox.forget(ITEM)
            assert not (await w.home.list(PODS, namespace=NAMESPACE)).items

    time.run(scenario())


def test_forgetting_an_item_leaves_nothing_of_it_and_everything_of_others() -> None:
    async def scenario() -> None:
        async with world() as w:
            other = RunId(replace(ITEM, uid="another"), "job-1", Operation.DELETE)
            for run in (RUN, other):
                await w.sandbox.begin(replace(ORDER, run=run))
            before = {
                resource: len((await w.home.list(resource, namespace=NAMESPACE)).items)
                for resource in (PODS, SECRETS, ROLES, ROLE_BINDINGS)
            }
            await w.sandbox.forget(ITEM)
            await asyncio.sleep(1)
            assert await w.sandbox.items() == [other.item]
            assert await w.sandbox.runs() == [other]
            for resource, count in before.items():
                assert len((await w.home.list(resource, namespace=NAMESPACE)).items) * 2 == count
            accounts = await w.home.list(SERVICE_ACCOUNTS, namespace=NAMESPACE, options=LIST_ALL)
            assert names.account_name(ITEM) not in [each["metadata"]["name"] for each in accounts.items]

    time.run(scenario())


def test_one_watch_on_each_kind_serves_all_runs() -> None:
    async def scenario() -> None:
        async with world() as w:
            runs = [RunId(replace(ITEM, uid=f"uid-{number}"), "job", Operation.RECONCILE) for number in range(20)]
            for run in runs:
                await w.sandbox.begin(replace(ORDER, run=run))
            async with asyncio.TaskGroup() as group:
                waits = [group.create_task(w.finished(run)) for run in runs]
                await asyncio.sleep(1)
                watches = [task for task in asyncio.all_tasks() if task.get_name().startswith("host's ")]
                assert len(watches) == 2
                for run in runs:
                    await w.collect(GOOD, run)
            assert [wait.result() for wait in waits] == [GOOD] * 20

    time.run(scenario())


def test_who_reads_secrets_for_other_reasons_sees_nothing_of_runs() -> None:
    async def scenario() -> None:
        async with world() as w:
            await w.sandbox.begin(ORDER)
            async with Caches(w.home) as caches:
                secrets = caches.secrets()
                await caches.synced()
                assert secrets.list() == []

    time.run(scenario())
