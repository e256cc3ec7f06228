"""`kubectl delete`: in which order things go, what holds them, and the ways out."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from tests.cluster.core.landscapes import blueprint, deploying, exporter, importer, installation, item, refs, template
from tests.cluster.core.users import EXAMPLES, User, condition

from landform.cluster.interface import EventType
from landform.cluster.kinds import DEPLOY_ITEMS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

pytestmark = pytest.mark.usefixtures("controller")

NOBODY = "example.com/nobody"
LABEL = "execution.landscaper.gardener.cloud/name"


@asynccontextmanager
async def deleted_items(user: User) -> AsyncIterator[list[str]]:
    """What the blueprint calls the DeployItems of a namespace, in the order in which they go."""
    gone: list[str] = []
    watching = asyncio.Event()

    async def follow() -> None:
        async with user.cluster.watch(DEPLOY_ITEMS, namespace=user.namespace) as events:
            watching.set()
            async for event in events:
                if event.type == EventType.DELETED and event.object is not None:
                    gone.append((event.object.metadata.labels or {})[LABEL])

    task = asyncio.create_task(follow())
    try:
        await watching.wait()
        yield gone
    finally:
        task.cancel()
        await asyncio.wait([task])


async def test_items_go_in_the_reverse_of_their_order(user: User) -> None:
    items = [item("base"), item("middle", depends_on=("base",)), item("top", depends_on=("middle",)), item("aside")]
    await user.apply(installation("tower", blueprint(deployExecutions=deploying(*items))))
    (found,) = await user.run("tower")
    assert found.status.phase == "Succeeded"
    async with deleted_items(user) as gone:
        await user.kubectl("delete", "inst", "tower", "--timeout=20s")

        async def everything() -> bool:
            return len(gone) == 4

        await user.until(everything, "all items to go")
    assert [name for name in gone if name != "aside"] == ["top", "middle", "base"]
    assert await user.left() == []


async def test_a_whole_tree_goes_and_only_what_the_user_brought_stays(user: User) -> None:
    await user.kubectl("apply", f"--filename={EXAMPLES / 'targets'}")
    (found,) = await user.run("everywhere")
    assert found.status.phase == "Succeeded"
    await user.kubectl("delete", "inst", "everywhere", "--timeout=20s")
    assert await user.left() == []
    # The garbage collector of Kubernetes takes up to half a minute to know a new kind: what it will take away is
    # what belongs to somebody who is gone.
    listing = json.loads(await user.kubectl("get", "dobj,tgt,secret", "--output=json"))["items"]
    stays = [obj["metadata"]["name"] for obj in listing if not obj["metadata"].get("ownerReferences")]
    assert stays == ["cluster-ap", "cluster-eu", "cluster-us"]


async def test_what_is_imported_stays_until_nobody_imports_it(user: User) -> None:
    await user.apply(exporter("giver", "thing"), importer("taker", "thing"))
    await user.run("giver", "taker")
    await user.kubectl("delete", "inst", "giver", "--wait=false")
    assert (await user.waiting("giver")).startswith(
        "installation taker (in phase Succeeded) still imports data 'thing'"
    )
    assert (await user.installation("giver")).status.phase == "InitDelete"
    await user.kubectl("delete", "inst", "taker", "--timeout=20s")
    await user.gone("giver")


async def test_a_target_of_a_map_is_protected_too(user: User) -> None:
    giver = blueprint(
        exports=[{"name": "place", "type": "target", "targetType": "example.com/place"}],
        exportExecutions=[
            {"name": "x", "type": "Spiff", "template": {"exports": {"place": {"type": "example.com/place"}}}}
        ],
    )
    taker = blueprint(imports=[{"name": "places", "type": "targetMap", "targetType": "example.com/place"}])
    await user.apply(
        installation("giver", giver, exports={"targets": [{"name": "place", "target": "there"}]}),
        installation("taker", taker, imports={"targets": [{"name": "places", "targetMap": {"a": "there"}}]}),
    )
    both = await user.run("giver", "taker")
    assert {found.status.phase for found in both} == {"Succeeded"}
    await user.kubectl("delete", "inst", "giver", "--wait=false")
    assert "taker" in await user.waiting("giver")
    await user.annotate("inst/giver", delete_ignore_successors="true")
    await user.gone("giver")


async def test_a_deletion_whose_deployer_is_gone_says_so_and_has_a_way_out(user: User) -> None:
    await user.apply(installation("lost", blueprint(deployExecutions=deploying(item("x", type_=NOBODY)))))
    await user.annotate("inst/lost", operation="reconcile")

    async def given() -> bool:
        return any(each.status.job_id for each in await user.items())

    await user.until(given, "the item")
    await user.annotate("inst/lost", operation="interrupt")
    await user.ended("lost")
    await user.kubectl("delete", "inst", "lost", "--wait=false")

    async def named() -> str:
        return condition(await user.item("x"), "Waiting")

    assert NOBODY in await user.until(named, "the item to say what it waits for")
    await user.annotate("inst/lost", delete_without_uninstall="true")
    await user.gone("lost")
    assert await user.left() == []


async def test_a_deletion_without_uninstall_asks_no_deployer(user: User) -> None:
    await user.apply(installation("forgotten", blueprint(deployExecutions=deploying(item("x", type_=NOBODY)))))
    await user.annotate("inst/forgotten", operation="reconcile", delete_without_uninstall="true")

    async def given() -> bool:
        return any(each.status.job_id for each in await user.items())

    await user.until(given, "the item")
    await user.kubectl("delete", "inst", "forgotten", "--wait=false")
    await user.annotate("inst/forgotten", operation="interrupt")
    await user.gone("forgotten")
    assert await user.left() == []


async def test_a_failed_tree_that_is_half_there_can_be_deleted(user: User) -> None:
    broken = blueprint(deployExecutions=[{"name": "x", "type": "GoTemplate", "template": "{{ .imports.no.value }}"}])
    fine = blueprint(deployExecutions=deploying(item("fine")))
    deep = blueprint(subinstallations=[template("fine", fine), template("broken", broken)])
    late = blueprint(imports=[{"name": "never", "type": "data", "schema": {}}])
    root = blueprint(
        exports=[{"name": "out", "type": "data", "schema": {}}],
        subinstallations=[
            template("deep", deep, exports=refs(never="never")),
            template("late", late, imports=refs(never="never")),
        ],
        deployExecutions=deploying(item("bad", phase="Failed"), item("next", depends_on=("bad",))),
    )
    await user.apply(installation("ruin", root))
    (found,) = await user.run("ruin")
    assert found.status.phase == "Failed"
    assert len(await user.installations()) == 5
    await user.kubectl("delete", "inst", "ruin", "--timeout=20s")
    assert await user.left() == []


async def test_an_installation_that_never_ran_or_whose_blueprint_is_broken_can_be_deleted(user: User) -> None:
    await user.apply(installation("never", blueprint()), installation("broken", ": no yaml :"))
    await user.apply({**installation("lost-context", blueprint()), **_with_context("nowhere")})
    broken, lost = await user.run("broken", "lost-context")
    assert (broken.status.phase, lost.status.phase) == ("Failed", "Failed")
    await user.kubectl("delete", "inst", "--all", "--timeout=20s")
    assert await user.left() == []


async def test_a_namespace_can_be_deleted_with_all_that_is_in_it(user: User) -> None:
    await user.kubectl("apply", f"--filename={EXAMPLES / 'data-flow'}")
    await user.run("database", "website")
    await user.kubectl("delete", "namespace", user.namespace, "--wait=false")
    await user.gone("database")
    await user.gone("website")
    assert await user.left() == []


async def test_a_namespace_whose_targets_go_before_the_items_goes_all_the_same(user: User) -> None:
    await user.kubectl("apply", f"--filename={EXAMPLES / 'targets'}")
    (found,) = await user.run("everywhere")
    assert found.status.phase == "Succeeded"
    await user.kubectl("delete", "namespace", user.namespace, "--timeout=60s")


async def test_items_whose_targets_went_first_are_named_and_have_a_way_out(user: User) -> None:
    await user.kubectl("apply", f"--filename={EXAMPLES / 'targets'}")
    await user.run("everywhere")
    before = (await user.installation("everywhere")).status.job_id
    await user.kubectl("delete", "tgt", "cluster-eu", "cluster-us", "cluster-ap")
    await user.kubectl("delete", "inst", "everywhere", "--wait=false")
    found = await user.ended("everywhere", before=before)
    assert found.status.phase == "DeleteFailed"
    assert found.status.last_error is not None
    assert "cluster-eu does not exist" in found.status.last_error.message
    await user.annotate("inst/everywhere", delete_without_uninstall="true", operation="reconcile")
    await user.gone("everywhere")
    assert await user.left() == []


def _with_context(name: str) -> dict[str, Any]:
    made = installation("lost-context", blueprint())
    return {"spec": {**made["spec"], "context": name}}
