"""Answers become objects that own their memory, know their kind, and say what is wrong with them."""

from __future__ import annotations

import gc
import json
import weakref
from typing import Any

import msgspec
import pytest

from landform.cluster import codec, errors
from landform.cluster.interface import EventType
from landform.cluster.resources import CONFIG_MAPS, ObjectKey, Resource


class Meta(msgspec.Struct, rename="camel", frozen=True):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    labels: dict[str, str] = {}


class Widget(msgspec.Struct, rename="camel", frozen=True):
    metadata: Meta
    spec: msgspec.Raw = msgspec.Raw()


WIDGETS = Resource("example.com", "v1", "Widget", "widgets", True, Widget)


def text(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


def test_an_object_is_decoded_to_the_resources_model() -> None:
    widget = codec.decode(WIDGETS, text(metadata={"name": "a", "resourceVersion": "7"}, spec={"size": 1}, extra=1))
    assert widget.metadata == Meta(name="a", resource_version="7")
    assert bytes(widget.spec) == b'{"size": 1}'


def test_an_unreadable_object_is_named_with_the_path_of_the_fault() -> None:
    raw = text(metadata={"name": "a", "namespace": "n", "labels": {"x": 1}})
    with pytest.raises(errors.Unreadable) as caught:
        codec.decode(WIDGETS, raw)
    expected = (
        "widgets.example.com n/a is not a readable Widget: Expected `str`, got `int` - at `$.metadata.labels[...]`"
    )
    assert str(caught.value) == expected


@pytest.mark.parametrize("raw", [b"", b"<html>", b"[]", b'{"metadata": 1}'])
def test_what_is_no_object_is_unreadable(raw: bytes) -> None:
    with pytest.raises(errors.Unreadable):
        codec.decode(WIDGETS, raw)


def test_a_list_carries_its_version_and_where_it_continues() -> None:
    raw = text(
        metadata={"resourceVersion": "9", "continue": "abc", "remainingItemCount": 4},
        items=[{"metadata": {"name": "a"}}],
    )
    page = codec.decode_list(WIDGETS, raw)
    assert (page.resource_version, page.continue_token, page.remaining) == ("9", "abc", 4)
    assert [widget.metadata.name for widget in page.items] == ["a"]


def test_a_list_without_items_is_empty() -> None:
    assert codec.decode_list(WIDGETS, text(metadata={"resourceVersion": "9"}, items=None)).items == []


def test_objects_of_a_list_do_not_keep_the_page_alive() -> None:
    class Page(bytearray):
        pass

    raw = Page(text(metadata={}, items=[{"metadata": {"name": "a"}, "spec": {"size": 1}}]))
    page = weakref.ref(raw)
    widget = codec.decode_list(WIDGETS, raw).items[0]
    del raw
    gc.collect()
    assert page() is None
    assert bytes(widget.spec) == b'{"size": 1}'


def test_plain_objects_in_lists_say_what_they_are() -> None:
    named = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}}
    items = codec.decode_list(CONFIG_MAPS, text(items=[{"metadata": {"name": "a"}}, named])).items
    assert items[0] == {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    assert list(items[0]) == ["apiVersion", "kind", "metadata"]
    assert items[1] == named


def test_an_event_carries_the_object_and_its_version() -> None:
    event = codec.decode_event(
        WIDGETS, text(type="MODIFIED", object={"metadata": {"name": "a", "resourceVersion": "7"}})
    )
    assert (event.type, event.resource_version) == (EventType.MODIFIED, "7")
    assert event.object == Widget(Meta(name="a", resource_version="7"))


@pytest.mark.parametrize(("annotations", "ended"), [({}, False), ({codec.INITIAL_EVENTS_END: "true"}, True)])
def test_a_bookmark_carries_only_how_far_the_watch_has_come(annotations: dict[str, str], ended: bool) -> None:
    raw = text(
        type="BOOKMARK", object={"kind": "Widget", "metadata": {"resourceVersion": "12", "annotations": annotations}}
    )
    event = codec.decode_event(WIDGETS, raw)
    assert (event.type, event.resource_version, event.object) == (EventType.BOOKMARK, "12", None)
    assert event.initial_events_end is ended


def test_an_error_event_is_raised_as_the_error_it_reports() -> None:
    status = {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old resource version: 1 (5)"}
    with pytest.raises(errors.Gone, match="too old resource version"):
        codec.decode_event(WIDGETS, text(type="ERROR", object=status))


@pytest.mark.parametrize(
    "line", [b"", b"{}", b'{"type":"OTHER","object":{}}', b'{"type":"ADDED"', b'{"type":"ERROR","object":1}']
)
def test_an_unreadable_event_is_refused(line: bytes) -> None:
    with pytest.raises(errors.Unreadable):
        codec.decode_event(WIDGETS, line)


@pytest.mark.parametrize(
    ("answer", "held"),
    [
        ({"kind": "Status", "status": "Success", "metadata": {}}, False),
        ({"kind": "Widget", "metadata": {}}, False),
        ({"kind": "Widget", "metadata": {"deletionTimestamp": "t", "finalizers": ["f"]}}, True),
        ({"kind": "Widget", "metadata": {"deletionTimestamp": "t", "deletionGracePeriodSeconds": 30}}, True),
        ({"kind": "Widget", "metadata": {"deletionTimestamp": "t", "deletionGracePeriodSeconds": 0}}, False),
        ({"kind": "Namespace", "metadata": {"deletionTimestamp": "t"}, "spec": {"finalizers": ["f"]}}, True),
        ({"kind": "Namespace", "metadata": {"deletionTimestamp": "t"}, "spec": {}}, False),
        ({"kind": "Widget", "metadata": {"deletionTimestamp": "t"}, "spec": {"finalizers": ["f"]}}, False),
    ],
    ids=["status", "gone", "finalizer", "grace", "no grace", "namespace", "empty namespace", "other spec"],
)
def test_a_deleted_object_is_answered_only_while_something_holds_it(answer: dict[str, Any], held: bool) -> None:
    deleted = codec.decode_deleted(WIDGETS, text(**answer))
    assert (deleted is not None) is held


@pytest.mark.parametrize(
    "obj",
    [
        Widget(Meta("a", "n", "u", "7", {"x": "y"})),
        {"metadata": {"name": "a", "namespace": "n", "uid": "u", "resourceVersion": "7", "labels": {"x": "y"}}},
    ],
    ids=["typed", "plain"],
)
def test_metadata_reads_the_same_for_typed_and_plain_objects(obj: Any) -> None:
    found = codec.metadata(obj)
    assert (found.name, found.namespace, found.uid, found.resource_version) == ("a", "n", "u", "7")
    assert found.labels == {"x": "y"}
    assert codec.key_of(obj) == ObjectKey("n", "a")


def test_a_plain_object_without_metadata_has_empty_metadata() -> None:
    found = codec.metadata({})
    assert (found.name, found.resource_version, found.labels) == ("", "", {})


def test_encoding_and_decoding_give_the_same_object() -> None:
    plain = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "ü"}}
    assert codec.decode(CONFIG_MAPS, codec.encode(plain)) == plain
