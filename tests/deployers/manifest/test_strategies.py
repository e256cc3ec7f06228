"""How an object becomes what its manifest says, case by case."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.cluster.interface import PatchType
from landform.deployers.manifest import strategies
from landform.kit import patches

LIVE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "s", "resourceVersion": "7", "uid": "u", "annotations": {"own": "1"}, "finalizers": ["f"]},
    "spec": {"clusterIP": "10.0.0.1", "ports": [{"port": 80}]},
    "status": {"x": 1},
}
WANTED: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "s"},
    "spec": {"ports": [{"port": 81}]},
}


def test_an_update_replaces_all_but_what_the_cluster_gave() -> None:
    write = strategies.write("update", LIVE, WANTED)
    assert write is not None
    assert (write.patch, write.body["metadata"]) == (None, {"name": "s", "resourceVersion": "7"})
    assert write.body["spec"] == {"clusterIP": "10.0.0.1", "ports": [{"port": 81}]}


def test_a_patch_says_what_differs_and_takes_away_what_is_not_said() -> None:
    write = strategies.write("patch", LIVE, WANTED)
    assert write is not None
    assert write.patch is PatchType.MERGE
    assert write.body == {"metadata": {"annotations": None, "finalizers": None}, "spec": {"ports": [{"port": 81}]}}


@pytest.mark.parametrize("strategy", ["update", "patch", "merge", "mergeOverwrite"])
def test_who_insists_says_only_what_differs_and_no_version(strategy: str) -> None:
    write = strategies.write(strategy, LIVE, {**WANTED, "spec": {"ports": [{"port": 81}], "type": "ClusterIP"}})
    assert write is not None
    insisting = strategies.insisting(LIVE, write)
    assert insisting.patch is PatchType.MERGE
    patched = patches.merge_patch(LIVE, insisting.body)
    body = patches.merge_patch(LIVE, write.body) if write.patch else write.body
    assert patched["spec"] == body["spec"]
    assert "resourceVersion" not in insisting.body.get("metadata", {})


def test_what_is_applied_by_the_server_cannot_conflict_anyway() -> None:
    write = strategies.write("apply", LIVE, WANTED)
    assert write is not None
    assert strategies.insisting(LIVE, write) is write


@pytest.mark.parametrize("strategy", ["patch", "merge", "mergeOverwrite"])
def test_nothing_is_written_when_nothing_differs(strategy: str) -> None:
    wanted = {key: value for key, value in LIVE.items() if key != "status"}
    assert strategies.write(strategy, LIVE, wanted) is None


@pytest.mark.parametrize(
    ("live", "wanted", "filled", "overlaid"),
    [
        ({"a": 1}, {"a": 2, "b": 3}, {"a": 1, "b": 3}, {"a": 2, "b": 3}),
        (
            {"a": 0, "b": "", "c": [], "d": None},
            {"a": 1, "b": "x", "c": [1], "d": {}},
            {"a": 1, "b": "x", "c": [1], "d": {}},
            {"a": 1, "b": "x", "c": [1], "d": {}},
        ),
        ({"a": {"x": 1}}, {"a": {"x": False, "y": 2}}, {"a": {"x": 1, "y": 2}}, {"a": {"x": False, "y": 2}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [1, 2]}, {"a": [3]}),
        ({"a": 1}, {"a": None}, {"a": 1}, {"a": None}),
    ],
)
def test_merging_fills_and_overwriting_wins(live: Any, wanted: Any, filled: Any, overlaid: Any) -> None:
    assert strategies.filled(live, wanted) == filled
    assert strategies.overlaid(live, wanted) == overlaid


def test_a_job_keeps_the_labels_that_its_selector_asks_for() -> None:
    labels = {"batch.kubernetes.io/controller-uid": "u"}
    live = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}}},
    }
    wanted = {"apiVersion": "batch/v1", "kind": "Job", "spec": {"template": {"metadata": {"labels": {"a": "b"}}}}}
    spec = strategies.carried(live, wanted)["spec"]
    assert spec["selector"] == {"matchLabels": labels}
    assert spec["template"]["metadata"]["labels"] == {**labels, "a": "b"}


def test_an_account_keeps_its_secrets_and_a_claim_its_volume() -> None:
    account = {"apiVersion": "v1", "kind": "ServiceAccount"}
    assert strategies.carried({**account, "secrets": [{"name": "t"}]}, account)["secrets"] == [{"name": "t"}]
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "spec": {}}
    bound = {**claim, "spec": {"volumeName": "v", "storageClassName": "fast"}}
    assert strategies.carried(bound, claim)["spec"] == {"volumeName": "v", "storageClassName": "fast"}


def test_the_annotations_of_the_cluster_itself_stay() -> None:
    given = {"deployment.kubernetes.io/revision": "3", "kubectl.kubernetes.io/x": "1", "example.org/kubernetes.io": "1"}
    live = {"metadata": {"annotations": given}}
    carried = strategies.carried(live, {"metadata": {"annotations": {"a": "b"}}})
    assert carried["metadata"]["annotations"] == {"a": "b", "deployment.kubernetes.io/revision": "3"}


JSON = st.recursive(
    st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)
OBJECT = st.dictionaries(st.text(max_size=3), JSON, max_size=4)


@given(OBJECT, OBJECT)
def test_what_is_overlaid_holds_everything_that_is_said(live: Any, wanted: Any) -> None:
    result = strategies.overlaid(live, wanted)
    assert strategies.overlaid(result, wanted) == result
    assert all(name in result for name in (*live, *wanted))


@given(OBJECT, OBJECT)
def test_what_is_filled_loses_nothing_and_is_filled_once(live: Any, wanted: Any) -> None:
    result = strategies.filled(live, wanted)
    assert patches.same(strategies.filled(result, wanted), result)
    assert all(result[name] == value for name, value in live.items() if value and not isinstance(value, dict))
