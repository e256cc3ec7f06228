"""What happens by itself, and what an interrupt ends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.cluster.core.landscapes import blueprint, deploying, installation, item, template
from tests.cluster.core.users import condition

from landform.api import jobs

if TYPE_CHECKING:
    from tests.cluster.core.users import User

pytestmark = pytest.mark.usefixtures("controller")


async def test_an_item_is_deployed_again_by_its_schedule(user: User) -> None:
    fresh = item("fresh", continuousReconcile={"every": "1s"})
    await user.apply(installation("kept", blueprint(deployExecutions=deploying(fresh))))
    (before,) = await user.run("kept")
    passes: set[str] = set()

    async def twice() -> bool:
        status = (await user.item("fresh")).status
        passes.add(status.job_id_finished or "")
        return len(passes) >= 3

    await user.until(twice, "two passes")
    assert {jobs.base(each) for each in passes} == {before.status.job_id}
    after = await user.installation("kept")
    assert (after.status.job_id, after.status.phase) == (before.status.job_id, "Succeeded")
    await user.kubectl("delete", "inst", "kept", "--timeout=20s")
    assert await user.left() == []


BROKEN = [{"name": "main", "type": "GoTemplate", "template": "{{ fail `no` }}"}]


@pytest.mark.parametrize(
    "executions", [deploying(item("bad", phase="Failed")), BROKEN], ids=["its item fails", "its template fails"]
)
async def test_a_failed_job_is_tried_again_as_often_as_wanted(user: User, executions: list[dict[str, Any]]) -> None:
    retried = {"failedReconcile": {"numberOfReconciles": 2, "interval": "1s"}}
    await user.apply(installation("stubborn", blueprint(deployExecutions=executions), automaticReconcile=retried))
    await user.annotate("inst/stubborn", operation="reconcile")

    async def tried() -> bool:
        found = await user.installation("stubborn")
        state = found.status.automatic_reconcile_status
        return state is not None and state.number_of_reconciles == 2 and not jobs.is_busy(found.status)

    await user.until(tried, "two more tries")
    before = await user.installation("stubborn")
    assert (before.status.phase, before.status.observed_generation) == ("Failed", before.metadata.generation)
    await asyncio.sleep(1.5)
    assert (await user.installation("stubborn")).status.job_id == before.status.job_id, "that was all"


async def test_a_job_that_succeeded_is_run_again(user: User) -> None:
    again = {"succeededReconcile": {"interval": "1s"}}
    text = blueprint(deployExecutions=deploying(item("good")))
    await user.apply(installation("regular", text, automaticReconcile=again))
    (first,) = await user.run("regular")
    assert (await user.ended("regular", before=first.status.job_id)).status.phase == "Succeeded"


async def test_a_changed_specification_starts_a_job_if_wanted(user: User) -> None:
    made = installation("watched", blueprint(deployExecutions=deploying(item("one"))))
    made["metadata"]["annotations"] = {"landscaper.gardener.cloud/reconcile-if-changed": "true"}
    await user.apply(made)
    first = await user.ended("watched")
    changed = installation("watched", blueprint(deployExecutions=deploying(item("two"))))
    await user.apply({**changed, "metadata": made["metadata"]})
    assert (await user.ended("watched", before=first.status.job_id)).status.phase == "Succeeded"
    assert (await user.item("two")).status.phase == "Succeeded"


async def test_an_interrupt_ends_everything_below_and_the_next_job_works(user: User) -> None:
    endless = blueprint(deployExecutions=deploying(item("endless", delay="1h"), item("next", depends_on=("endless",))))
    root = installation("stuck", blueprint(subinstallations=[template("part", endless)]))
    await user.apply(root)
    await user.annotate("inst/stuck", operation="reconcile")

    async def working() -> bool:
        return any(each.status.phase == "Progressing" for each in await user.items())

    await user.until(working, "the item to be worked on")
    assert await user.waiting("stuck")
    await user.annotate("inst/stuck", operation="interrupt")
    found = await user.ended("stuck")
    assert (found.status.phase, condition(found, "Waiting")) == ("Failed", "")
    for each in await user.items():
        assert each.status.phase == "Failed"
        assert each.status.job_id_finished == found.status.job_id
        assert each.status.last_error is not None
        assert each.status.last_error.reason == "InterruptOperation"
    short = blueprint(deployExecutions=deploying(item("endless"), item("next", depends_on=("endless",))))
    await user.apply(installation("stuck", blueprint(subinstallations=[template("part", short)])))
    (found,) = await user.run("stuck")
    assert found.status.phase == "Succeeded"
