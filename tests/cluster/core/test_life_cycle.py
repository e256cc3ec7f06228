"""From `kubectl apply` to Succeeded, and what the objects look like then."""

from __future__ import annotations

import asyncio

import pytest
from tests.cli import processes
from tests.cluster.core import landscapes
from tests.cluster.core.users import EXAMPLES, User, condition

from landform.api.scopes import object_name

pytestmark = pytest.mark.usefixtures("controller")

DOMAIN = "landscaper.gardener.cloud"
LABEL = "execution.landscaper.gardener.cloud/name"


async def test_an_installation_stands_until_it_is_asked_to_run(user: User) -> None:
    await user.kubectl("apply", f"--filename={EXAMPLES / 'hello'}")

    async def upkeep() -> bool:
        return (await user.installation("hello")).metadata.finalizers is not None

    await user.until(upkeep, "the finalizer")
    found = await user.installation("hello")
    assert (found.metadata.finalizers, found.spec.context) == (("finalizer.landscaper.gardener.cloud",), "default")
    assert (found.status.phase, await user.executions()) == (None, [])

    (found,) = await user.run("hello")
    assert (found.status.phase, found.status.observed_generation) == ("Succeeded", found.metadata.generation)
    assert await user.data("greeting") == "Hello, landscape"
    assert condition(found, "Healthy") == "everything below is as the last job left it"


async def test_kubectl_shows_and_describes_what_there_is(user: User) -> None:
    await user.kubectl("apply", f"--filename={EXAMPLES / 'hello'}")
    await user.run("hello")
    rows = (await user.kubectl("get", "inst,exec,di,dobj", "--no-headers")).splitlines()
    words = [row.split() for row in rows if row]
    name = (await user.item("greeter")).metadata.name
    assert [word[:-1] for word in words] == [
        [f"installation.{DOMAIN}/hello", "Succeeded", "hello"],
        [f"execution.{DOMAIN}/hello", "Succeeded", object_name("Exec.hello", "")],
        [f"deployitem.{DOMAIN}/{name}", f"{DOMAIN}/mock", "Succeeded", f"{name}-export"],
        *sorted(
            [
                [f"dataobject.{DOMAIN}/{object_name('Exec.hello', '')}", "Exec.hello"],
                [f"dataobject.{DOMAIN}/greeting", "greeting"],
            ]
        ),
    ]
    described = await user.kubectl("describe", "inst", "hello")
    assert "Phase:                  Succeeded" in described
    assert "everything below is as the last job left it" in described


async def test_an_error_is_in_what_kubectl_describes(user: User) -> None:
    await user.kubectl("apply", f"--filename={EXAMPLES / 'error-handling' / '3-failing-item.yaml'}")
    (found,) = await user.run("failing-item")
    assert found.status.phase == "Failed"
    said = "the configuration wants the phase Failed"

    async def events() -> bool:
        return said in (await user.kubectl("get", "events"))

    await user.until(events, "the Event")
    described = await user.kubectl("describe", "inst", "failing-item")
    assert described.count(said) >= 2  # in the last error, and in the Event below


async def test_roots_run_in_the_order_of_their_data_and_start_those_that_import(user: User) -> None:
    await user.kubectl("apply", f"--filename={EXAMPLES / 'data-flow'}")
    database, website = await user.run("database", "website")
    assert (database.status.phase, website.status.phase) == ("Succeeded", "Succeeded")
    assert "example.com" in str(await user.data("website-address"))
    before = website.status.job_id
    await user.run("database")
    assert (await user.ended("website", before=before)).status.phase == "Succeeded"


async def test_sub_installations_run_with_the_job_of_their_root(user: User) -> None:
    words = ("--namespace", user.namespace, "--kubeconfig", user.plane.kubeconfig)
    ended = await asyncio.to_thread(processes.run, "run", EXAMPLES / "sub-installations", *words)
    assert ended[0] == 0, ended
    found = await user.installations()
    jobs = {(one.status.phase, one.status.job_id, one.status.job_id_finished) for one in found}
    assert len(found) == 4
    assert len(jobs) == 1
    assert "cache=" in await user.data("shop-address")


async def test_a_request_during_a_job_starts_another_one_after_it(user: User) -> None:
    slow = landscapes.blueprint(deployExecutions=landscapes.deploying(landscapes.item("slow", delay="1s")))
    await user.apply(landscapes.installation("busy", slow))
    await user.annotate("inst/busy", operation="reconcile")

    async def begun() -> str | None:
        return (await user.installation("busy")).status.job_id

    first = await user.until(begun, "the first job")
    await user.annotate("inst/busy", operation="reconcile")
    found = await user.ended("busy", before=first)
    assert found.status.phase == "Succeeded"
    assert (await user.item("slow")).status.job_id_finished == found.status.job_id


async def test_a_part_cannot_be_started_by_itself(user: User) -> None:
    part = landscapes.template("part", landscapes.blueprint())
    await user.apply(landscapes.installation("whole", landscapes.blueprint(subinstallations=[part])))
    (whole,) = await user.run("whole")
    (name,) = [one.metadata.name or "" for one in await user.installations() if one.metadata.name != "whole"]
    await user.annotate(f"inst/{name}", operation="reconcile")
    assert (await user.ended(name)).status.job_id == whole.status.job_id


async def test_an_item_that_was_deleted_by_hand_is_there_after_the_next_job(user: User) -> None:
    await user.kubectl("apply", f"--filename={EXAMPLES / 'hello'}")
    await user.run("hello")
    uid = (await user.item("greeter")).metadata.uid
    await user.kubectl("delete", "di", "--all", "--wait=false")
    (found,) = await user.run("hello")
    item = await user.item("greeter")
    assert (found.status.phase, item.status.phase) == ("Succeeded", "Succeeded")
    assert item.metadata.uid != uid


async def test_an_item_that_is_no_longer_wanted_is_deleted(user: User) -> None:
    first, second = landscapes.item("first"), landscapes.item("second")
    both = landscapes.blueprint(deployExecutions=landscapes.deploying(first, second))
    await user.apply(landscapes.installation("shrinking", both))
    await user.run("shrinking")
    await user.apply(
        landscapes.installation("shrinking", landscapes.blueprint(deployExecutions=landscapes.deploying(second)))
    )
    await user.run("shrinking")
    assert [(one.metadata.labels or {})[LABEL] for one in await user.items()] == ["second"]
    await user.apply(landscapes.installation("shrinking", landscapes.blueprint()))
    (found,) = await user.run("shrinking")
    assert found.status.phase == "Succeeded"
    assert await user.left() == [f"installation.{DOMAIN}/shrinking"]
