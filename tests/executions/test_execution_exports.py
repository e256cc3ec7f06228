"""What items export: one DataObject for the Installation, always that of the last job."""

from __future__ import annotations

import base64

import pytest
from tests.executions.worlds import NAMESPACE, World, in_a_world, template

from landform.api import scopes
from landform.api.errors import OperationFailed
from landform.api.names import Annotation, Label
from landform.cluster.kinds import DATA_OBJECTS
from landform.cluster.resources import SECRETS
from landform.executions import exports


def test_the_exports_of_all_items_are_one_data_object() -> None:
    async def scenario(world: World) -> None:
        world.tiny.exports.update({"a": {"url": "http://a"}})
        await world.apply(template("a"), template("b"))
        ended = await world.run("J")
        assert ended.status.export_ref is not None
        assert ended.status.export_ref.name == scopes.object_name("Exec.shop", "")
        found = await world.cluster.get(DATA_OBJECTS, ended.status.export_ref.name, namespace=NAMESPACE)
        assert found.metadata.labels == {Label.DATA_CONTEXT: "Exec.shop", Label.DATA_SOURCE: "Exec.shop"}
        assert Annotation.HASH in (found.metadata.annotations or {})
        assert await world.exports() == [{"a": {"url": "http://a"}, "b": None}]

    in_a_world(scenario)


def test_exports_cost_two_writes_more_and_unchanged_ones_none() -> None:
    async def scenario(world: World) -> None:
        world.tiny.exports["a"] = {"x": 1}
        await world.apply(template("a"))
        await world.run("J")
        assert world.recording.writes.count("create DataObject") == 1
        assert len(world.recording.writes) == 7
        world.recording.writes.clear()
        await world.run("K")
        assert not [write for write in world.recording.writes if "DataObject" in write]

    in_a_world(scenario)


def test_changed_exports_replace_the_old_ones_whole() -> None:
    async def scenario(world: World) -> None:
        world.tiny.exports["a"] = {"old": {"deep": 1}, "kept": 1}
        await world.apply(template("a"))
        await world.run("J")
        world.tiny.exports["a"] = {"kept": 2}
        await world.run("K")
        assert await world.exports() == [{"a": {"kept": 2}}]

    in_a_world(scenario)


def test_without_exports_there_is_no_data_object_and_an_old_one_goes() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"))
        assert (await world.run("J")).status.export_ref is None
        assert await world.exports() == []
        world.tiny.exports["a"] = {"x": 1}
        await world.run("K")
        del world.tiny.exports["a"]
        await world.say("a", {"exportRef": None})
        assert (await world.run("L")).status.export_ref is None
        assert await world.exports() == []

    in_a_world(scenario)


def test_a_failed_job_leaves_the_exports_of_the_last_one() -> None:
    async def scenario(world: World) -> None:
        world.tiny.exports["a"] = {"x": 1}
        await world.apply(template("a"))
        await world.run("J")
        world.tiny.fails.add("a")
        ended = await world.run("K")
        assert ended.status.phase == "Failed"
        assert ended.status.export_ref is not None
        assert await world.exports() == [{"a": {"x": 1}}]

    in_a_world(scenario)


def test_a_missing_export_secret_fails_the_job_and_is_named() -> None:
    async def scenario(world: World) -> None:
        world.tiny.exports["a"] = {"x": 1}
        await world.apply(template("a"), template("b", "a"))
        await world.trigger("J")
        while "-a" not in world.tiny.log:
            await world.execution()
        name = f"{(await world.item('a')).metadata.name}-export"
        await world.cluster.delete(SECRETS, name, namespace=NAMESPACE)
        ended = await world.ended()
        assert ended.status.phase == "Failed"
        assert ended.status.last_error is not None
        assert ended.status.last_error.operation == "handlePhaseCompleting"
        assert ended.status.last_error.reason == "ExportSecretMissing"
        assert name in ended.status.last_error.message

    in_a_world(scenario)


def test_an_export_secret_of_another_namespace_is_not_read() -> None:
    async def scenario(world: World) -> None:
        secret = {"metadata": {"name": "loot"}, "data": {"config": base64.b64encode(b"{a: 1}").decode()}}
        await world.cluster.create(SECRETS, secret, namespace="kube-system")
        world.tiny.ignores.add("a")
        await world.apply(template("a"))
        await world.trigger("J")
        while "a" not in await world.items() or not (await world.item("a")).status.job_id:
            await world.execution()
        reference = {"name": "loot", "namespace": "kube-system"}
        await world.say("a", {"phase": "Succeeded", "jobIDFinished": "J", "exportRef": reference})
        ended = await world.ended()
        assert ended.status.phase == "Failed"
        assert ended.status.last_error is not None
        assert "kube-system" in ended.status.last_error.message

    in_a_world(scenario)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"pass: [hunter2", "it is not YAML (line 2, column 1)"),
        (b"- hunter2", "it is not a map of values"),
        (b"\xff\xfehunter2", "it is not YAML"),
    ],
)
def test_unreadable_exports_are_reported_without_their_content(text: bytes, message: str) -> None:
    secret = {"metadata": {"name": "s"}, "data": {"config": base64.b64encode(text).decode()}}
    with pytest.raises(OperationFailed) as caught:
        exports.value("a", secret)
    assert caught.value.message.endswith(message)
    assert "hunter2" not in str(caught.value)


def test_a_secret_without_the_key_or_with_nothing_in_it_exports_nothing() -> None:
    assert exports.value("a", {"metadata": {"name": "s"}}) is None
    assert exports.value("a", {"metadata": {"name": "s"}, "data": {"config": ""}}) is None
