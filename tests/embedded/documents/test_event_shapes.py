"""Events of the core group and of events.k8s.io are the same events."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from landform.embedded.events import field_in_core, from_core, source_of, to_core

NEW: dict[str, Any] = {
    "apiVersion": "events.k8s.io/v1",
    "kind": "Event",
    "metadata": {"name": "a", "namespace": "default"},
    "eventTime": "2026-01-02T03:04:05.000000Z",
    "regarding": {"kind": "Pod", "name": "web"},
    "related": {"kind": "Node", "name": "n"},
    "note": "It starts.",
    "reason": "Started",
    "action": "Start",
    "type": "Normal",
    "reportingController": "example.com/controller",
    "reportingInstance": "one",
    "series": {"count": 2, "lastObservedTime": "2026-01-02T03:04:06.000000Z"},
    "deprecatedSource": {"component": "old"},
    "deprecatedFirstTimestamp": "2026-01-02T03:04:05Z",
    "deprecatedLastTimestamp": "2026-01-02T03:04:06Z",
    "deprecatedCount": 2,
}

CORE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Event",
    "metadata": {"name": "a", "namespace": "default"},
    "eventTime": "2026-01-02T03:04:05.000000Z",
    "involvedObject": {"kind": "Pod", "name": "web"},
    "related": {"kind": "Node", "name": "n"},
    "message": "It starts.",
    "reason": "Started",
    "action": "Start",
    "type": "Normal",
    "reportingComponent": "example.com/controller",
    "reportingInstance": "one",
    "series": {"count": 2, "lastObservedTime": "2026-01-02T03:04:06.000000Z"},
    "source": {"component": "old"},
    "firstTimestamp": "2026-01-02T03:04:05Z",
    "lastTimestamp": "2026-01-02T03:04:06Z",
    "count": 2,
}


def test_every_field_has_its_name_in_the_other_shape() -> None:
    assert to_core(NEW) == CORE
    assert from_core(CORE) == NEW


def test_an_event_that_has_the_shape_already_stays_as_it_is() -> None:
    assert to_core(CORE) is CORE
    assert from_core(NEW) is NEW


@given(st.sets(st.sampled_from(sorted(set(NEW) - {"apiVersion"}))))
def test_nothing_is_lost_on_the_way_there_and_back(fields: set[str]) -> None:
    event = {"apiVersion": NEW["apiVersion"], **{field: NEW[field] for field in fields}}
    back = from_core(to_core(event))
    assert {key: value for key, value in back.items() if value or key in event} == event


def test_selectors_of_the_new_group_name_fields_of_the_stored_shape() -> None:
    assert field_in_core("regarding.name") == "involvedObject.name"
    assert field_in_core("reportingController") == "reportingComponent"
    assert field_in_core("metadata.name") == "metadata.name"


def test_the_source_is_whoever_reported() -> None:
    assert source_of(CORE) == "old"
    assert source_of({**CORE, "source": {}}) == "example.com/controller"
    assert source_of({"reason": "x"}) == ""
