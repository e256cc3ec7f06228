"""Watching: every change in order, from a version on or from what exists."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.contract.objects import config_map, next_change, next_event, take, widget

from landform.cluster import errors
from landform.cluster.interface import EventType, ListOptions, WriteOptions
from landform.cluster.resources import CONFIG_MAPS, untyped

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster, WatchEvent
    from landform.cluster.resources import Resource, Unstructured

STATUS = WriteOptions(subresource="status")


def told(events: list[WatchEvent[Unstructured]]) -> list[tuple[str, str]]:
    """Type and object name of each event."""
    return [(event.type.value, event.object["metadata"]["name"] if event.object else "") for event in events]


async def test_changes_after_a_version_come_in_order(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    before = await cluster.create(widgets, widget("before"), namespace=namespace)
    created = await cluster.create(widgets, widget("one"), namespace=namespace)
    changed = await cluster.patch(widgets, "one", {"spec": {"size": 5}}, namespace=namespace)
    await cluster.delete(widgets, "one", namespace=namespace)

    since = ListOptions(resource_version=before["metadata"]["resourceVersion"])
    events = await take(cluster.watch(widgets, namespace=namespace, options=since), 3)
    assert told(events) == [("ADDED", "one"), ("MODIFIED", "one"), ("DELETED", "one")]
    assert [event.object for event in events[:2]] == [created, changed]
    assert [event.resource_version for event in events[:2]] == [
        created["metadata"]["resourceVersion"],
        changed["metadata"]["resourceVersion"],
    ]


async def test_a_deletion_shows_the_final_object_at_the_version_of_its_deletion(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    created = await cluster.create(widgets, widget("one", {"size": 7}), namespace=namespace)
    since = created["metadata"]["resourceVersion"]
    await cluster.delete(widgets, "one", namespace=namespace)
    (event,) = await take(cluster.watch(widgets, namespace=namespace, options=ListOptions(resource_version=since)), 1)
    assert event.object is not None
    assert event.object["spec"] == {"size": 7}
    assert event.object["metadata"]["uid"] == created["metadata"]["uid"]
    assert int(event.resource_version) > int(since)
    assert event.object["metadata"]["resourceVersion"] == event.resource_version


async def test_a_watch_without_a_version_starts_with_what_exists(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    one = await cluster.create(widgets, widget("one"), namespace=namespace)
    two = await cluster.create(widgets, widget("two"), namespace=namespace)
    events = await take(cluster.watch(widgets, namespace=namespace), 2)
    assert [event.type for event in events] == [EventType.ADDED] * 2
    assert [event.object for event in events] == [one, two]


async def test_a_running_watch_hears_of_changes(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    async with asyncio.timeout(30), cluster.watch(widgets, namespace=namespace) as stream:
        created = await cluster.create(widgets, widget("one"), namespace=namespace)
        event = await next_change(stream)
        assert (event.type, event.object) == (EventType.ADDED, created)
        changed = await cluster.patch(widgets, "one", {"spec": {"size": 5}}, namespace=namespace)
        event = await next_change(stream)
        assert (event.type, event.object) == (EventType.MODIFIED, changed)


async def test_initial_events_end_with_a_bookmark(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await cluster.create(widgets, widget("two"), namespace=namespace)
    newest = await cluster.create(widgets, widget("one"), namespace=namespace)
    options = ListOptions(send_initial_events=True, resource_version_match="NotOlderThan")
    events = await take(cluster.watch(widgets, namespace=namespace, options=options), 3)
    assert told(events) == [("ADDED", "one"), ("ADDED", "two"), ("BOOKMARK", "")]
    assert [event.initial_events_end for event in events] == [False, False, True]
    assert int(events[-1].resource_version) >= int(newest["metadata"]["resourceVersion"])


async def test_after_the_initial_events_changes_follow(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    options = ListOptions(send_initial_events=True, resource_version_match="NotOlderThan")
    async with asyncio.timeout(30), cluster.watch(widgets, namespace=namespace, options=options) as stream:
        assert (await next_event(stream)).initial_events_end
        created = await cluster.create(widgets, widget("one"), namespace=namespace)
        assert (await next_event(stream)).object == created


async def test_an_empty_namespace_begins_with_the_bookmark(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    options = ListOptions(send_initial_events=True, resource_version_match="NotOlderThan")
    (event,) = await take(cluster.watch(widgets, namespace=namespace, options=options), 1)
    assert (event.type, event.object, event.initial_events_end) == (EventType.BOOKMARK, None, True)


async def test_the_version_of_a_list_is_where_a_watch_goes_on(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await cluster.create(widgets, widget("one"), namespace=namespace)
    page = await cluster.list(widgets, namespace=namespace)
    await cluster.create(widgets, widget("two"), namespace=namespace)
    since = ListOptions(resource_version=page.resource_version)
    assert told(await take(cluster.watch(widgets, namespace=namespace, options=since), 1)) == [("ADDED", "two")]


async def test_a_watch_sees_only_its_namespace(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    first = await cluster.create(widgets, widget("one"), namespace="default")
    await cluster.delete(widgets, "one", namespace="default")
    await cluster.create(widgets, widget("two"), namespace=namespace)
    since = ListOptions(resource_version=first["metadata"]["resourceVersion"])
    assert told(await take(cluster.watch(widgets, namespace=namespace, options=since), 1)) == [("ADDED", "two")]


async def test_an_object_that_begins_to_match_is_added_and_one_that_ceases_is_deleted(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    created = await cluster.create(widgets, widget("one"), namespace=namespace)
    labelled = await cluster.patch(widgets, "one", {"metadata": {"labels": {"on": "yes"}}}, namespace=namespace)
    await cluster.patch(widgets, "one", {"spec": {"size": 5}}, namespace=namespace)
    cleared = await cluster.patch(widgets, "one", {"metadata": {"labels": None}}, namespace=namespace)
    since = ListOptions(resource_version=created["metadata"]["resourceVersion"], label_selector="on=yes")
    events = await take(cluster.watch(widgets, namespace=namespace, options=since), 3)
    assert told(events) == [("ADDED", "one"), ("MODIFIED", "one"), ("DELETED", "one")]
    assert events[0].object == labelled
    # What is shown last is the object as it last matched, at the version at which it ceased to.
    gone = events[2].object
    assert gone is not None
    assert gone["metadata"]["labels"] == {"on": "yes"}
    assert gone["spec"]["size"] == 5
    assert events[2].resource_version == cleared["metadata"]["resourceVersion"]


async def test_one_object_may_be_watched_by_its_name(cluster: Cluster, namespace: str) -> None:
    first = await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    await cluster.create(CONFIG_MAPS, config_map("two"), namespace=namespace)
    since = ListOptions(resource_version=first["metadata"]["resourceVersion"], field_selector="metadata.name=two")
    assert told(await take(cluster.watch(CONFIG_MAPS, namespace=namespace, options=since), 1)) == [("ADDED", "two")]


async def test_a_watch_ends_after_its_time(cluster: Cluster, namespace: str, widgets: Resource[Unstructured]) -> None:
    page = await cluster.list(widgets, namespace=namespace)
    options = ListOptions(resource_version=page.resource_version, timeout_seconds=1)
    async with asyncio.timeout(30), cluster.watch(widgets, namespace=namespace, options=options) as stream:
        assert [event async for event in stream if event.type is not EventType.BOOKMARK] == []


async def test_a_write_that_changes_nothing_is_not_heard_of(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    created = await cluster.create(widgets, widget("one", {"size": 5}), namespace=namespace)
    same = await cluster.patch(widgets, "one", {"spec": {"size": 5}}, namespace=namespace)
    assert same == created
    await cluster.create(widgets, widget("two"), namespace=namespace)
    since = ListOptions(resource_version=created["metadata"]["resourceVersion"])
    assert told(await take(cluster.watch(widgets, namespace=namespace, options=since), 1)) == [("ADDED", "two")]


async def test_a_status_write_is_a_change(cluster: Cluster, namespace: str, widgets: Resource[Unstructured]) -> None:
    created = await cluster.create(widgets, widget("one"), namespace=namespace)
    await cluster.replace(widgets, created | {"status": {"phase": "Done"}}, namespace=namespace, options=STATUS)
    since = ListOptions(resource_version=created["metadata"]["resourceVersion"])
    (event,) = await take(cluster.watch(widgets, namespace=namespace, options=since), 1)
    assert event.object is not None
    assert event.object["status"] == {"phase": "Done"}


async def test_marking_for_deletion_is_a_modification(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    created = await cluster.create(widgets, widget("one", finalizers=["landform.test/hold"]), namespace=namespace)
    await cluster.delete(widgets, "one", namespace=namespace)
    await cluster.patch(widgets, "one", {"metadata": {"finalizers": None}}, namespace=namespace)
    since = ListOptions(resource_version=created["metadata"]["resourceVersion"])
    events = await take(cluster.watch(widgets, namespace=namespace, options=since), 2)
    assert told(events) == [("MODIFIED", "one"), ("DELETED", "one")]
    assert all(event.object and event.object["metadata"]["deletionTimestamp"] for event in events)


async def test_a_version_that_is_no_number_is_refused(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    with pytest.raises(errors.ApiError) as caught:
        await take(cluster.watch(widgets, namespace=namespace, options=ListOptions(resource_version="abc")), 1)
    assert (caught.value.code, caught.value.message) == (
        500,
        'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    )


async def test_a_kind_nobody_serves_cannot_be_watched(cluster: Cluster, namespace: str) -> None:
    unknown = untyped("nothing.landform.test/v1", "Nothing", "nothings")
    with pytest.raises(errors.NotFound):
        await take(cluster.watch(unknown, namespace=namespace), 1)
