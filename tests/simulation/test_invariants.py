"""What the ready-made invariants find, and what they let pass, on histories written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from landform.cluster.resources import CONFIG_MAPS, LEASES, ObjectKey
from landform.embedded.journal import Change
from landform.testing.simulation import history as histories
from landform.testing.simulation import invariants
from landform.testing.simulation.clusters import TOUCHED
from landform.testing.simulation.differences import changes
from landform.testing.simulation.history import History, Request
from landform.testing.simulation.scenarios import Violation, check

if TYPE_CHECKING:
    from landform.cluster.resources import Resource
    from landform.testing.simulation.scenarios import Invariant


class Chronicle:
    """A history that a test writes."""

    def __init__(self) -> None:
        self.moment = 0.0
        self.version = 0
        self.history = History(lambda: self.moment)

    def write(
        self,
        actor: str,
        name: str,
        data: dict[str, Any] | None,
        *,
        seen: int = 0,
        condition: str = "",
        resource: Resource[Any] = CONFIG_MAPS,
        labels: dict[str, str] | None = None,
        annotations: dict[str, str] | None = None,
        verb: str = "patch",
    ) -> int:
        """Somebody writes an object, or deletes it; its version."""
        self.version += 1
        self.moment += 1.0
        metadata = {
            "name": name,
            "namespace": "default",
            "resourceVersion": str(self.version),
            "labels": labels or {},
            "annotations": annotations or {},
        }
        part = "spec" if resource is LEASES else "data"
        raw = msgspec.json.encode({"metadata": metadata, part: data}) if data is not None else None
        token = histories.request.set(Request(actor, verb, condition=condition, seen=seen))
        self.history.write(Change(self.version, str(resource), "default", name, raw))
        histories.request.reset(token)
        return self.version

    def findings(self, invariant: Invariant) -> list[str]:
        return [violation.text for violation in check([invariant], self.history)]


@pytest.fixture
def chronicle() -> Chronicle:
    return Chronicle()


def test_who_overwrites_what_he_has_not_seen_loses_an_update(chronicle: Chronicle) -> None:
    first = chronicle.write("a", "x", {"value": "1"})
    chronicle.write("b", "x", {"value": "2"})
    chronicle.write("a", "x", {"value": "3"}, seen=first)
    [found] = chronicle.findings(invariants.no_lost_updates(CONFIG_MAPS))
    assert found == (
        "a overwrote data.value of configmaps default/x, which b had changed in version 2; a had seen version 1"
    )


def test_who_has_seen_it_or_names_the_version_or_writes_something_else_loses_nothing(chronicle: Chronicle) -> None:
    invariant = invariants.no_lost_updates(CONFIG_MAPS)
    first = chronicle.write("a", "x", {"value": "1", "other": "1"})
    second = chronicle.write("b", "x", {"value": "2", "other": "1"})
    chronicle.write("a", "x", {"value": "2", "other": "2"}, seen=first)
    assert chronicle.findings(invariant) == []
    third = chronicle.write("b", "x", {"value": "3", "other": "2"}, seen=second)
    chronicle.write("a", "x", {"value": "4", "other": "2"}, seen=first, condition=str(third))
    assert chronicle.findings(invariant) == []


def test_who_drops_the_annotation_of_the_neighbour_loses_an_update_even_on_the_newest_version(
    chronicle: Chronicle,
) -> None:
    chronicle.write("a", "x", {"value": "1"})
    touched = chronicle.write("neighbour", "x", {"value": "1"}, annotations={TOUCHED: "1"})
    chronicle.write("a", "x", {"value": "2"}, seen=touched, condition=str(touched))
    assert chronicle.findings(invariants.no_lost_updates(CONFIG_MAPS)) == [
        "a dropped an annotation of configmaps default/x that is not its own"
    ]


def test_who_deletes_what_was_created_anew_is_found(chronicle: Chronicle) -> None:
    invariant = invariants.no_unseen_deletions(CONFIG_MAPS)
    first = chronicle.write("user", "x", {})
    chronicle.write("a", "x", None, seen=first, verb="delete")
    assert chronicle.findings(invariant) == []
    chronicle.write("user", "x", {})
    chronicle.write("a", "x", None, seen=first, verb="delete")
    assert chronicle.findings(invariant) == [
        "a deleted configmaps default/x, which was created anew in version 3; a had seen version 1"
    ]


def test_two_objects_for_one_purpose_are_found(chronicle: Chronicle) -> None:
    invariant = invariants.no_duplicate_children(CONFIG_MAPS, lambda obj: obj["data"].get("for"), "app=x")
    chronicle.write("a", "x", {"for": "1"}, labels={"app": "x"})
    chronicle.write("a", "foreign", {"for": "1"})
    assert chronicle.findings(invariant) == []
    chronicle.write("a", "y", {"for": "1"}, labels={"app": "x"})
    assert chronicle.findings(invariant) == ["configmaps default/x and default/y are both for 1"]


def test_a_claim_counts_when_a_process_writes_it(chronicle: Chronicle) -> None:
    invariant = invariants.claims_are_true(
        CONFIG_MAPS, lambda obj: obj["data"].get("ready") == "yes", lambda history, obj: len(history.writes) > 2
    )
    chronicle.write("user", "x", {"ready": "yes"})
    assert chronicle.findings(invariant) == []
    chronicle.write("a", "x", {"ready": "yes", "more": ""})
    assert chronicle.findings(invariant)[0].startswith("a made configmaps default/x claim what is not true")


def test_a_number_that_goes_back_is_found(chronicle: Chronicle) -> None:
    invariant = invariants.never_goes_back(CONFIG_MAPS, "data", "generation")
    for generation in (1, 2, 2):
        chronicle.write("a", "x", {"generation": generation})
        assert chronicle.findings(invariant) == []
    chronicle.write("b", "x", {"generation": 1})
    assert chronicle.findings(invariant) == ["b set data.generation of configmaps default/x back from 2 to 1"]


def test_who_changes_what_the_holder_of_the_lease_wrote_is_found(chronicle: Chronicle) -> None:
    invariant = invariants.one_owner_per_key(CONFIG_MAPS, invariants.lease_holder("default", "leader"))
    chronicle.write("a", "leader", {"holderIdentity": "a"}, resource=LEASES)
    chronicle.write("a", "x", {"value": "1"})
    chronicle.write("b", "leader", {"holderIdentity": "b"}, resource=LEASES)
    chronicle.write("a", "x", {"value": "2"})
    assert chronicle.findings(invariant) == [], "b has not written yet, so nothing of b's is lost"
    chronicle.write("b", "x", {"value": "3"})
    assert chronicle.findings(invariant) == []
    chronicle.write("a", "x", {"value": "4"})
    assert chronicle.findings(invariant) == [
        "a changed configmaps default/x, whose owner b had written it in version 5"
    ]


def test_writes_count_as_restless_some_seconds_after_convergence(chronicle: Chronicle) -> None:
    invariant = invariants.no_writes_after_convergence()
    chronicle.write("a", "x", {"value": "1"})
    chronicle.history.converged_at = chronicle.moment
    chronicle.write("a", "x", {"value": "2"})
    chronicle.moment += 20
    chronicle.write("user", "x", {"value": "3"})
    chronicle.write("a", "leader", {}, resource=LEASES)
    assert chronicle.findings(invariant) == []
    chronicle.write("a", "x", {"value": "4"})
    assert chronicle.findings(invariant) == ["a still writes configmaps default/x, 1 times in 14 s"]


def test_what_is_left_behind_is_found_unless_it_has_a_reason(chronicle: Chronicle) -> None:
    chronicle.write("a", "x", {}, labels={"app": "x"})
    chronicle.write("a", "gone", {}, labels={"app": "x"})
    chronicle.write("a", "gone", None)
    chronicle.write("a", "foreign", {})
    everything = invariants.nothing_left_behind(CONFIG_MAPS, "app=x")
    assert chronicle.findings(everything) == ["configmaps default/x was left behind"]
    with_reason = invariants.nothing_left_behind(CONFIG_MAPS, "app=x", unless=lambda history, obj: True)
    assert chronicle.findings(with_reason) == []


def test_invariants_may_assert_or_tell_violations_of_their_own(chronicle: Chronicle) -> None:
    def is_not_empty(history: History) -> None:
        assert history.writes, "nothing was written"

    def tells(history: History) -> list[Violation]:
        return [Violation("mine", "text", 3.0)]

    asserted, told = check([is_not_empty, tells], chronicle.history)
    assert str(asserted).startswith("is not empty: nothing was written")
    assert str(told) == "mine: text"


def test_changes_are_told_field_by_field() -> None:
    before = {"metadata": {"resourceVersion": "1"}, "data": {"a": 1, "b": {"c": [1]}, "e": {}}}
    after = {"metadata": {"resourceVersion": "2"}, "data": {"a": 1, "b": {"c": [1, 2]}, "d": "new"}}
    assert changes(before, after) == {
        ("data", "b", "c"): ([1], [1, 2]),
        ("data", "e"): ({}, None),
        ("data", "d"): (None, "new"),
    }
    assert changes(None, {"data": {"a": 1}}) == {("data", "a"): (None, 1)}
    assert changes({"data": {"a": {"b": 1}}}, {"data": {"a": 2}}) == {("data", "a"): ({"b": 1}, 2)}


def test_keys_of_other_namespaces_are_other_objects(chronicle: Chronicle) -> None:
    chronicle.write("a", "x", {})
    assert chronicle.history.get(CONFIG_MAPS, ObjectKey("default", "x")) is not None
    assert chronicle.history.get(CONFIG_MAPS, ObjectKey("other", "x")) is None
    assert chronicle.history.objects(CONFIG_MAPS, "other") == []
