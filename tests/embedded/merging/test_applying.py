"""What must hold for every apply, whoever applies what."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.embedded.merging import drawn
from tests.embedded.merging.lookups import has_null, value_at
from tests.embedded.merging.schemas import node_of

from landform.cluster.errors import ApiError, Conflict
from landform.embedded.merging import comparing, entries, fieldsets, ownership
from landform.embedded.merging.scopes import OBJECT_META, Scope
from landform.embedded.schemas import nodes

Json = dict[str, Any]

NOW = datetime(2030, 1, 1, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
SCOPE = Scope(node_of("Widget"), "golden.landform.test/v1", "Widget", ignored={"f:status": {}})

managers = st.sampled_from(("alice", "bob"))
writes = st.lists(st.tuples(managers, st.sampled_from(("apply", "update")), drawn.specs), min_size=1, max_size=4)


def _widget(spec: Json) -> Json:
    metadata = {"name": "w", "namespace": "n"}
    return {"apiVersion": SCOPE.api_version, "kind": SCOPE.kind, "metadata": metadata, "spec": spec}


def _written(history: list[tuple[str, str, Json]]) -> Json:
    """An object after some writes, all of which succeed."""
    live: Json | None = None
    for manager, verb, spec in history:
        if verb == "apply":
            live = ownership.apply(SCOPE, live, _widget(spec), manager=manager, now=NOW, force=True).object
        else:
            new = _widget(spec)
            managed = ownership.update(SCOPE, live, new, manager=manager, now=NOW)
            live = {**new, "metadata": {**new["metadata"], "managedFields": managed}}
    assert live is not None
    return live


def _managed(obj: Json) -> list[Json]:
    managed: list[Json] = obj["metadata"].get("managedFields", [])
    return managed


def _could_be_stored(obj: Json) -> bool:
    """Where nothing is left of a map, the API server leaves null, which validation refuses."""
    return not has_null(obj, but_in="free")


@drawn.quickly
@given(writes, managers, drawn.specs)
def test_applying_the_same_again_changes_nothing(history: Any, manager: str, spec: Json) -> None:
    first = ownership.apply(SCOPE, _written(history), _widget(spec), manager=manager, now=NOW, force=True)
    assume(_could_be_stored(first.object) and _managed(first.object))
    again = ownership.apply(SCOPE, first.object, _widget(spec), manager=manager, now=LATER)
    assert again.object == first.object
    assert not again.changed


@drawn.quickly
@given(writes, managers, drawn.specs)
def test_inputs_stay_as_they_are(history: Any, manager: str, spec: Json) -> None:
    live, applied = _written(history), _widget(spec)
    before = copy.deepcopy((live, applied))
    ownership.apply(SCOPE, live, applied, manager=manager, now=NOW, force=True)
    ownership.update(SCOPE, live, applied, manager=manager, now=NOW)
    assert (live, applied) == before


@drawn.quickly
@given(writes)
def test_owned_fields_exist(history: Any) -> None:
    live = _written(history)
    assume(_could_be_stored(live))
    for entry in _managed(live):
        for path in fieldsets.paths(entry["fieldsV1"]):
            value_at(live, path)


@drawn.quickly
@given(writes, drawn.specs)
def test_what_is_forced_is_there_and_owned(history: Any, spec: Json) -> None:
    result = ownership.apply(SCOPE, _written(history), _widget(spec), manager="carol", now=NOW, force=True).object
    mine = next((e for e in _managed(result) if e["manager"] == "carol"), None)
    applied = fieldsets.from_object(_widget(spec), SCOPE.root)["f:spec"]
    assert mine is not None
    assert mine["fieldsV1"]["f:spec"] == applied


@drawn.quickly
@given(drawn.specs, drawn.specs)
def test_a_conflict_is_raised_or_nobody_loses_a_field(theirs: Json, ours: Json) -> None:
    live = ownership.apply(SCOPE, None, _widget(theirs), manager="alice", now=NOW).object
    try:
        result = ownership.apply(SCOPE, live, _widget(ours), manager="bob", now=NOW).object
    except Conflict:
        return
    after = {entry["manager"]: entry["fieldsV1"] for entry in _managed(result)}
    for entry in _managed(live):
        assert after["alice"] == entry["fieldsV1"]


@drawn.quickly
@given(writes, drawn.specs)
def test_an_update_that_changes_nothing_leaves_the_entries_alone(history: Any, spec: Json) -> None:
    live = _written(history)
    managed = ownership.update(SCOPE, live, copy.deepcopy(live), manager="carol", now=LATER)
    assert managed == _managed(live)


entry_parts = drawn.some(
    manager=drawn.free,
    operation=st.sampled_from(("Apply", "Update", 1)),
    apiVersion=st.sampled_from((SCOPE.api_version, "", None)),
    time=st.sampled_from(("2020-01-01T00:00:00Z", None)),
    fieldsType=st.sampled_from(("FieldsV1", "FieldsV2")),
    fieldsV1=st.one_of(drawn.free, st.dictionaries(st.sampled_from(("f:spec", "k:", "x", ".")), drawn.free)),
)


@drawn.quickly
@given(st.one_of(drawn.free, st.lists(entry_parts, max_size=2)))
def test_whatever_a_client_sends_as_managed_fields_the_result_is_well_formed(sent: Any) -> None:
    live = _written([("alice", "update", {"title": "x"})])
    new = _widget({"title": "y"})
    new["metadata"]["managedFields"] = sent
    managed = ownership.update(SCOPE, live, new, manager="bob", now=NOW)
    assert entries.decode(managed) == entries.decode(json.loads(json.dumps(managed)))


@drawn.quickly
@given(drawn.specs, drawn.specs)
def test_a_comparison_names_no_field_twice(old: Json, new: Json) -> None:
    changes = comparing.compare({"spec": old}, {"spec": new}, SCOPE.root)
    for one, other in (
        (changes.added, changes.modified),
        (changes.added, changes.removed),
        (changes.modified, changes.removed),
    ):
        assert not fieldsets.intersection(one, other)


def test_the_schema_of_metadata_is_that_of_the_api_server() -> None:
    real = node_of("ConfigMap").properties["metadata"]
    assert set(OBJECT_META.properties) == set(real.properties)
    for name, ours in OBJECT_META.properties.items():
        theirs = real.properties[name]
        assert (ours.type, ours.list_type, ours.list_map_keys) == (theirs.type, theirs.list_type, theirs.list_map_keys)
        assert (ours.additional is None) == (theirs.additional is None)


def test_who_owns_fields_in_a_version_that_is_gone_loses_them() -> None:
    old = Scope(SCOPE.node, "golden.landform.test/v0", "Widget")
    live = _widget({"title": "x"})
    live["metadata"]["managedFields"] = ownership.update(old, None, live, manager="alice", now=NOW)
    scope = Scope(SCOPE.node, SCOPE.api_version, SCOPE.kind, api_versions=frozenset({SCOPE.api_version}))
    managed = ownership.update(scope, live, {**live, "spec": {"title": "x", "flag": True}}, manager="bob", now=NOW)
    assert [entry["manager"] for entry in managed] == ["bob"]


@pytest.mark.parametrize("verb", ["update", "apply"])
def test_fields_of_a_list_that_became_atomic_become_the_list(verb: str) -> None:
    divided = {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}
    whole = {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "atomic"}

    def scope(tags: Json) -> Scope:
        schema = {"type": "object", "properties": {"tags": tags, "note": {"type": "string"}}}
        return Scope(nodes.parse(schema), "x/v1", "X")

    live: Json = {"apiVersion": "x/v1", "kind": "X", "metadata": {"name": "x"}, "tags": ["a"]}
    live = ownership.apply(scope(divided), None, live, manager="alice", now=NOW).object
    assert live["metadata"]["managedFields"][0]["fieldsV1"] == {"f:tags": {'v:"a"': {}}}
    new = {**live, "note": "n"}
    if verb == "update":
        managed = ownership.update(scope(whole), live, new, manager="bob", now=NOW)
    else:
        applied = {key: new[key] for key in ("apiVersion", "kind", "note")}
        managed = ownership.apply(scope(whole), live, applied, manager="bob", now=NOW).object["metadata"][
            "managedFields"
        ]
    assert managed[0]["fieldsV1"] == {"f:tags": {}}


@pytest.mark.parametrize(
    ("applied", "code", "message"),
    [
        ({}, 400, "invalid object type: /, Kind="),
        ({"apiVersion": 1, "kind": "ConfigMap"}, 400, "invalid object type: /, Kind=ConfigMap"),
        ({"apiVersion": "apps/v1", "kind": "ConfigMap"}, 400, "invalid object type: apps/v1, Kind=ConfigMap"),
        (
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": "text"},
            500,
            "failed to create typed patch object (/; /v1, Kind=ConfigMap): .metadata: expected map, got &{text}",
        ),
    ],
    ids=["nothing", "number as version", "other group", "text as metadata"],
)
def test_a_configuration_of_the_wrong_kind_is_refused_in_the_words_of_the_api_server(
    applied: Json, code: int, message: str
) -> None:
    scope = Scope(node_of("ConfigMap"), "v1", "ConfigMap", built_in=True)
    with pytest.raises(ApiError) as caught:
        ownership.apply(scope, None, applied, manager="alice", now=NOW)
    assert (caught.value.code, caught.value.message) == (code, message)
